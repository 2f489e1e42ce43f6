// What a student may read of a hidden case, whatever rule of the config names it: outcome and
// points, and neither its name nor a number that tells its sizes. Every kind of rule, outcome and
// format.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "grader/report/exporters.hpp"
#include "grader/report/fields.hpp"
#include "grader/report/reason_words.hpp"
#include "grader/score/score.hpp"
#include "grader/score/score_groups.hpp"
#include "grader/score/score_stage.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A visible and a hidden case, which have sizes, counts and times that occur nowhere else.
struct SampleCase {
  const char* name;
  std::int64_t n;
  double ms;
};
constexpr SampleCase kSeen{"apple", 40127, 13.0625}, kSecret{"zebra", 12347, 7.4375};

/// Texts that only the case can give: its name, its size, multiples of it that rules name, its
/// time.
std::vector<std::string> tells_of(const SampleCase& c) {
  return {c.name,
          std::to_string(c.n),
          fmt::format("{}", 6 * c.n),
          fmt::format("{:.4g}", 6.0 * static_cast<double>(c.n)),
          fmt::format("{:.4g}", 3.0 * static_cast<double>(c.n)),
          fmt::format("{:.4g}", c.ms)};
}

Config two_cases() {
  StageConfig stage{.name = "gpu", .title = "On a GPU", .device = Device::cuda};
  for (const SampleCase& one : {kSeen, kSecret}) {
    CaseConfig c;
    c.model = one.name;
    c.sizes = {{"n", one.n}};
    c.points = 10;
    c.hidden = one.name == kSecret.name;
    stage.cases.push_back(c);
  }
  Config config;
  config.name = "sample";
  config.pass_mark = 20;
  config.stages = {stage};
  return config;
}

CaseReport reported(const StageConfig& stage, const SampleCase& one, Outcome outcome,
                    const Reason& reason) {
  CaseReport c;
  describe_case(case_of(stage, fmt::format("gpu/{}", one.name)), c);
  c.outcome = outcome;
  c.reason = reason;
  c.reason.shape = fmt::format("n={}", one.n);
  CallReport call{.layer = one.name, .shape = {{"n", one.n}}, .timed = true};
  call.check.checked = one.n;
  call.op_time.median_ms = one.ms;
  call.op_time.samples_ms = {one.ms};
  c.calls = {call};
  ProfileCountRow row{.name = "kernel", .step = "conv", .layer = 0, .launches = 1};
  row.of_float.add = 3 * one.n;
  c.profile.emplace();
  c.profile->counted_layers = {{.layer = one.name, .shape = {{"n", one.n}}, .flops = 1}};
  c.profile->counts = {row};
  c.student_output = fmt::format("n is {}", one.n);
  c.findings = {{"data_race", "kernel", "a.cu", 3, fmt::format("of {} elements", one.n)}};
  c.repeat = Repeat{.path = "s", .config = "sample", .device = Device::cuda, .seed = 5};
  return c;
}

/// The grade that the config gives for these outcomes.
Grade graded_as(const Config& config, Outcome seen, Outcome secret, const Reason& seen_reason,
                const Reason& secret_reason) {
  const StageConfig& stage = config.stages[0];
  Grade grade;
  grade.submission = "s";
  StageReport report{.name = stage.name, .title = stage.title, .device = stage.device};
  report.build.outcome = Outcome::passed;
  report.cases = {reported(stage, kSeen, seen, seen_reason),
                  reported(stage, kSecret, secret, secret_reason)};
  score_stage(stage, report, config.accept_emulated,
              {[](const OpTimeRule&) { return std::nullopt; }});
  score_constructs(stage, {std::nullopt, Reason(why::ConstructMissing{.construct = "asm"})},
                   report);
  grade.stages = {report};
  score_groups(config, grade);
  grade.notes = {text_reason("something else had the device"),
                 text_reason(fmt::format("gpu/{} took a while", kSecret.name))};
  grade.notes[0].about = fmt::format("gpu/{}", kSecret.name);
  finish_grade(grade, config.pass_mark, {});
  return grade;
}

struct RuleKind {
  const char* name;
  std::function<void(StageConfig&, const SampleCase&)> add;
};

/// A rule about the case, of each kind that a config may have.
const std::vector<RuleKind>& rules() {
  static const std::vector<RuleKind> all{
      {"none", [](StageConfig&, const SampleCase&) {}},
      {"counts at most, points of its own",
       [](StageConfig& stage, const SampleCase& c) {
         stage.counts.push_back(
             {.model = c.name, .count = "float_operations", .at_most = "6 * n", .points = 3});
       }},
      {"counts at least, not kept",
       [](StageConfig& stage, const SampleCase& c) {
         stage.counts.push_back(
             {.model = c.name, .count = "float_operations", .at_least = "6 * n", .points = 3});
       }},
      {"counts without points",
       [](StageConfig& stage, const SampleCase& c) {
         stage.counts.push_back(
             {.model = c.name, .count = "float_operations", .at_least = "6 * n"});
       }},
      {"op_times",
       [](StageConfig& stage, const SampleCase& c) {
         stage.op_times.push_back(
             {.model = c.name, .points = 3, .full = {c.ms}, .zero = {2 * c.ms}});
       }},
      {"op_times beside the reference",
       [](StageConfig& stage, const SampleCase& c) {
         stage.op_times.push_back({.model = c.name,
                                   .points = 3,
                                   .full = {1, TimeBound::Unit::reference},
                                   .zero = {2, TimeBound::Unit::reference}});
       }},
      {"constructs with points, and of a case",
       [](StageConfig& stage, const SampleCase& c) {
         stage.constructs = {{.required = "asm", .points = 2},
                             {.required = "asm", .case_name = c.name}};
       }},
      {"a group of all, which another one needs",
       [](StageConfig& stage, const SampleCase& c) {
         stage.groups = {{"first", CaseGroupConfig::Score::all, 5, ""},
                         {"second", CaseGroupConfig::Score::each, 0, "first"}};
         for (auto& one : stage.cases) one.group = one.model == c.name ? "first" : "second";
       }},
      {"a group by shares",
       [](StageConfig& stage, const SampleCase&) {
         stage.groups = {{"first", CaseGroupConfig::Score::fraction, 5, ""}};
         for (auto& one : stage.cases) one.group = "first";
       }},
  };
  return all;
}

std::string exported(const Grade& grade, const report::Exporter& to, report::Audience audience) {
  report::ExportOptions options;
  options.audience = audience;
  options.log_guard = std::string(40, 'g');
  return to.write(grade, options);
}

void expect_silent(const Grade& grade, const std::string& about) {
  for (const auto& to : report::exporters()) {
    const std::string text = exported(grade, to, report::Audience::student);
    for (const std::string& told : tells_of(kSecret))
      EXPECT_THAT(text, Not(HasSubstr(told))) << about << ", " << to.name;
  }
}

constexpr Outcome kEnds[] = {Outcome::passed,      Outcome::wrong_output,  Outcome::crashed,
                             Outcome::out_of_time, Outcome::mistake_found, Outcome::not_emulated,
                             Outcome::not_run,     Outcome::not_credible,  Outcome::grader_fault};

TEST(HiddenCase, NoRuleTellsItsNameOrSize) {
  for (const RuleKind& rule : rules()) {
    for (const Outcome end : kEnds) {
      for (const bool accepted : {true, false}) {
        Config config = two_cases();
        config.accept_emulated = accepted;
        rule.add(config.stages[0], kSecret);
        const Reason wrong = why::WrongElements{.layer = kSecret.name, .count = 6 * kSecret.n};
        const Grade grade = graded_as(config, Outcome::passed, end, why::Right(), wrong);
        expect_silent(grade, fmt::format("{}, {}", rule.name, words(end).text));
      }
    }
  }
}

/// Puts the name of a case into each text of a reason.
class CaseNamer {
 public:
  void record(const char*, const char*) {}
  template <class T>
  void operator()(const char* key, T& value, const char* text) {
    rare(key, value, text);
  }
  template <class T>
  void rare(const char* key, T& value, const char*) {
    if constexpr (std::is_same_v<T, std::string>)
      value = key == std::string_view("limit") ? "" : "gpu/zebra";
    else if constexpr (std::is_same_v<T, std::vector<std::string>>)
      value = {"gpu/zebra"};
  }
};

TEST(HiddenCase, NoReasonOfAnotherCaseNamesIt) {
  const auto expect = [](auto why) {
    CaseNamer namer;
    fields(namer, why);
    const Grade grade =
        graded_as(two_cases(), Outcome::not_run, Outcome::out_of_time, why, why::StoppedAtLimit());
    expect_silent(grade, std::string(why.id));
  };
  const auto each = [&]<std::size_t... At>(std::index_sequence<At...>) {
    (expect(std::variant_alternative_t<At, why::Any>()), ...);
  };
  each(std::make_index_sequence<std::variant_size_v<why::Any>>());
}

TEST(HiddenCase, AStoredReportOfAnEarlierVersionTellsNothing) {
  Config config = two_cases();
  rules()[1].add(config.stages[0], kSecret);
  Grade grade = graded_as(config, Outcome::passed, Outcome::passed, {}, {});
  ASSERT_EQ(grade.stages[0].points.size(), 1U);
  grade.stages[0].points[0].case_id.clear();
  expect_silent(grade, "stored");
}

TEST(HiddenCase, StaffAndTheVisibleCasesSeeAllThatARuleSays) {
  Config config = two_cases();
  rules()[1].add(config.stages[0], kSecret);
  rules()[1].add(config.stages[0], kSeen);
  const Grade grade = graded_as(config, Outcome::passed, Outcome::passed, {}, {});
  const auto& text = report::exporter("text");
  const std::string bound = "at most 2.408e+05", hidden_bound = "at most 7.408e+04";
  EXPECT_THAT(exported(grade, report::exporter("json"), report::Audience::student),
              HasSubstr(bound));
  EXPECT_THAT(exported(grade, report::exporter("json"), report::Audience::staff),
              testing::AllOf(HasSubstr(bound), HasSubstr(hidden_bound)));
  EXPECT_THAT(exported(grade, text, report::Audience::student), HasSubstr("apple"));
  // The points stay, with the hidden case's outcome.
  const Grade view = report::view_for(grade, report::Audience::student);
  EXPECT_EQ(view.stages[0].points[0].name, "hidden case");
  EXPECT_EQ(view.stages[0].points[0].points, 3);
  EXPECT_EQ(view.stages[0].points[0].max_points, 3);
  EXPECT_EQ(view.stages[0].points[1].name, "float_operations at most 6 * n");
}

TEST(HiddenCase, OfANamedCaseARuleTellsItsNameAlone) {
  Config config = two_cases();
  config.stages[0].cases[1].hidden = false;
  config.stages[0].cases[1].visibility = Visibility::name;
  rules()[1].add(config.stages[0], kSecret);
  const Grade grade = graded_as(config, Outcome::passed, Outcome::wrong_output, {}, {});
  for (const auto& to : report::exporters()) {
    const std::string shown = exported(grade, to, report::Audience::student);
    for (const char* const told : {"12347", "74082", "7.408e+04"})
      EXPECT_THAT(shown, Not(HasSubstr(told))) << to.name;
  }
}

}  // namespace
}  // namespace opgrade
