// A made-up class of each term goes through that term's whole rubric: results as `opgrade grade`
// writes them, staff's points as a CSV, and the table that `opgrade rank` prints of both. What each
// student must get was worked out by hand from the published rubric; the arithmetic stands beside.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "grader/base/core/temp_dir.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/grading/score/score.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/task/config/load.hpp"
#include "tests/integration_terms/term_classes.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using namespace test;  // the classes

/// A conv's three samples. Median, fastest and mean differ, so that a config that takes another one
/// is found: `time` is the one that counts.
CallReport timed(double time, Statistic take) {
  CallReport call;
  call.timed = true;
  call.op_time = summarize(
      take == Statistic::fastest ? std::vector{time * 1.25, time, time * 1.5}  // mean 1.25
      : take == Statistic::mean  ? std::vector{time * 0.5, time * 0.75, time * 1.75}
                                 : std::vector{time, time * 0.5, time * 2});
  return call;
}

Grade graded(const Config& config, const std::string& name, const Times& times, Slip slip,
             Statistic take) {
  Grade grade;
  grade.submission = name;
  grade.config_name = config.name;
  for (const auto& stage : config.stages) {
    StageReport report{.name = stage.name, .title = stage.title, .device = stage.device};
    report.build.outcome = Outcome::passed;
    const auto add = [&](CaseReport c) {
      c.outcome = Outcome::passed;
      c.reason = text_reason("every output element is right");
      report.cases.push_back(std::move(c));
    };
    if (stage.random_shapes.count > 0) add({.id = random_id(stage)});
    if (stage.random_batches.count > 0) add({.id = batches_id(stage)});
    if (!stage.fixed_shapes.shapes.empty()) add({.id = fixed_id(stage)});
    const bool last = &stage == &config.stages.back();
    for (const auto& wanted : stage.cases) {
      const bool ruled = std::ranges::any_of(stage.op_times, [&](const OpTimeRule& rule) {
        return rule.model == wanted.model && rule.batch == wanted.batch;
      });
      const bool ranked = stage.name == config.ranking->stage &&
                          wanted.model == config.ranking->model &&
                          wanted.batch == config.ranking->batch;
      const double time = !last ? times.early : ruled ? times.rule : times.ranked;
      CaseReport c{.id = case_id(stage, wanted), .model = wanted.model, .batch = wanted.batch};
      // Two layers of which the second takes three times as long.
      const Statistic counts = ranked ? take : Statistic::median;
      c.calls = {timed(time / 4, counts), timed(time * 3 / 4, counts)};
      add(c);
      if (last && slip == Slip::hidden_case && wanted.model == "unseen")
        report.cases.back().outcome = Outcome::wrong_output;
      if (ranked && slip == Slip::not_credible) report.cases.back().outcome = Outcome::not_credible;
    }
    score_stage(stage, report, config.accept_emulated,
                {[](const OpTimeRule&) { return std::nullopt; }});
    grade.stages.push_back(std::move(report));
  }
  finish_grade(grade, config.pass_mark);
  return grade;
}

/// The cells of a table without commas in its cells but the last.
std::map<std::string, std::vector<std::string>> read_table(const std::string& csv) {
  std::map<std::string, std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream text(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    if (cells.size() >= 8) rows[cells[0]] = cells;
  }
  return rows;
}

std::string run(const std::string& command) {
  std::string output;
  FILE* const pipe = ::popen(command.c_str(), "r");
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) output.push_back(static_cast<char>(c));
  EXPECT_EQ(::pclose(pipe), 0) << command << output;
  return output;
}

class TermClass : public testing::TestWithParam<Term> {};

TEST_P(TermClass, GetsThePointsOfTheRubric) {
  const Term& term = GetParam();
  const fs::path file =
      fs::path(OPGRADE_SOURCE_DIR "/configs/terms") / (std::string(term.name) + ".yaml");
  const Config config = load_config(file).config;
  ASSERT_TRUE(config.ranking);
  const TempDir folder("opgrade-test-");
  const fs::path results = folder.path() / "results";
  fs::create_directory(results);
  const auto hand_in = [&](const std::string& name, const Times& times, Slip slip = Slip::none) {
    write_result(results / name, graded(config, name, times, slip, term.take));
  };
  Times cid = term.bob;
  cid.early = term.cid_early;
  hand_in("ann", term.ann);
  hand_in("bob", term.bob);
  hand_in("cid", cid);
  hand_in("dan", term.dan);
  hand_in("eve", term.eve, Slip::hidden_case);
  hand_in("gus", term.gus, Slip::not_credible);
  const auto fill = [&](int count, const char* prefix, const Times& from, const Times& to) {
    for (int i = 1; i <= count; ++i) {
      const double share = static_cast<double>(i) / (count + 1);
      const auto mix = [&](double a, double b) { return a + (b - a) * share; };
      hand_in(fmt::format("{}{}", prefix, i),
              {from.early, mix(from.rule, to.rule), mix(from.ranked, to.ranked)});
    }
  };
  fill(term.between_ann_and_bob, "other-a", term.ann, term.bob);
  fill(term.between_bob_and_dan, "other-b", term.bob, term.dan);

  std::ofstream roster(folder.path() / "roster.txt");
  roster << "ann\nbob\nfay\n";  // fay handed nothing in
  roster.close();
  std::ofstream staff(folder.path() / "staff.csv");
  staff << "submission,item,points\n";
  for (const auto& stage : config.stages) {
    for (const auto& item : stage.open_items) {
      staff << "ann," << item.name << ',' << item.points << '\n';
      staff << "bob," << item.name << ',' << item.points / 2 << '\n';
    }
  }
  staff.close();

  const auto table = read_table(
      run(fmt::format("'{}/bin/opgrade' rank '{}' --config '{}' --roster '{}/roster.txt' --staff "
                      "'{}/staff.csv'",
                      OPGRADE_BINARY_DIR, results.string(), file.string(), folder.path().string(),
                      folder.path().string())));
  ASSERT_EQ(table.size(),
            8U + static_cast<std::size_t>(term.between_ann_and_bob + term.between_bob_and_dan));
  const std::map<std::string, double> time = {{"ann", term.ann.ranked},
                                              {"bob", term.bob.ranked},
                                              {"cid", term.bob.ranked},
                                              {"dan", term.dan.ranked}};
  for (const Row& want : term.table) {
    ASSERT_TRUE(table.contains(want.name)) << want.name;
    const auto& cells = table.at(want.name);
    const std::string who = want.name;
    EXPECT_EQ(cells[1], want.rank > 0 ? std::to_string(want.rank) : "") << who << ": rank";
    if (time.contains(who)) {
      EXPECT_NEAR(std::stod(cells[2]), time.at(who), 1e-4) << who;
    } else {
      EXPECT_EQ(cells[2], "") << who;
    }
    if (who == "gus") {
      EXPECT_EQ(cells[3], "open");
    } else {
      EXPECT_NEAR(std::stod(cells[3]), want.rank_points, 1e-6) << who << ": points of the rank";
    }
    EXPECT_NEAR(std::stod(cells[4]), want.graded, 1e-6) << who << ": graded";
    EXPECT_NEAR(std::stod(cells[5]), want.staff, 1e-6) << who << ": given by staff";
    EXPECT_NEAR(std::stod(cells[6]), want.open, 1e-6) << who << ": open";
    EXPECT_NEAR(std::stod(cells[7]), want.total, 1e-6) << who << ": total";
  }
}

INSTANTIATE_TEST_SUITE_P(Course, TermClass,
                         testing::Values(k2017fa, years_of_ranking("2018sp"),
                                         years_of_ranking("2018fa"), years_of_ranking("2019sp"),
                                         years_of_ranking("2019fa"), years_of_ranking("2020fa"),
                                         k2021sp, k2021fa, years_of_340_ms("2022fa"),
                                         years_of_340_ms("2023sp"), k2023fa, k2024sp, k2024fa,
                                         k2025sp, years_of_the_quiz("2025fa"),
                                         years_of_the_quiz("2026sp")),
                         [](const auto& tested) { return "t" + std::string(tested.param.name); });

}  // namespace
}  // namespace opgrade
