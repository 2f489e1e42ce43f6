#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <ranges>
#include <set>

#include "grader/base/core/error.hpp"
#include "grader/base/files/yaml_reader.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/course/results/class_results.hpp"
#include "grader/course/results/result_names.hpp"
#include "grader/grading/score/rank.hpp"
#include "grader/report/formats/csv.hpp"
#include "grader/report/words/reason_words.hpp"

namespace opgrade::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream stream(file);
  if (!stream) throw UsageError(file.string() + " cannot be read", "is the path right?");
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::vector<std::string> lines;
  bool first = true;
  for (std::string line; std::getline(stream, line); first = false) {
    if (first && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

std::map<std::string, Grade> grades_in(const fs::path& folder) {
  ClassResults results = read_results(folder);
  if (!results.unreadable.empty())
    throw Error(results.unreadable.front().string() + " holds no readable report.json",
                "grade this submission again, or move the folder away");
  if (results.grades.empty())
    throw Error(folder.string() + " holds no results", "name the --out folder of opgrade grade");
  return std::move(results.grades);
}

/// The lines of --roster. A comma is not allowed in a name: it means that the file is the roster of
/// a course.
std::vector<std::string> names_of(const fs::path& file) {
  auto names = lines_of(file);
  for (const auto& name : names) {
    if (name.find(',') == name.npos) continue;
    throw UsageError(fmt::format("{}: '{}' is no name of a result", file.string(), name),
                     "a line is one name; opgrade course gradebook reads a course's roster.csv");
  }
  return names;
}

/// The result's name for `name` in a list from staff: `name` itself, or the name that opgrade makes
/// of it for results. If neither exists, `name` unchanged.
std::string known_as(const std::string& name, const std::set<std::string>& everybody) {
  const std::string made = result_name(name);
  return !everybody.contains(name) && everybody.contains(made) ? made : name;
}

/// The points of the config's open items.
std::map<std::string, double> open_items_of(const Config& config) {
  std::map<std::string, double> points;
  for (const auto& stage : config.stages)
    for (const auto& item : stage.open_items) points[item.name] = item.points;
  return points;
}

/// Reads lines "submission,item,points"; each item is an open item of the config.
std::map<std::string, std::map<std::string, double>> read_staff(
    const fs::path& file, const std::map<std::string, double>& most,
    const std::set<std::string>& everybody) {
  std::map<std::string, std::map<std::string, double>> given;
  for (const auto& line : lines_of(file)) {
    const auto first = line.find(',');
    const auto last = line.rfind(',');
    const auto fail = [&](const std::string& what) {
      throw UsageError(fmt::format("{}: '{}': {}", file.string(), line, what),
                       "a line is submission,item,points");
    };
    if (first == std::string::npos || first == last) fail("three cells are needed");
    const std::string name = line.substr(0, first);
    const std::string item = line.substr(first + 1, last - first - 1);
    if (name == "submission" && item == "item") continue;
    const auto points = parse_number(line.substr(last + 1));
    if (!most.contains(item)) {
      fail(fmt::format("the config has no open item '{}', only: {}", item,
                       fmt::join(std::views::keys(most), ", ")));
    }
    if (!points || !(*points >= 0 && *points <= most.at(item)))
      fail(fmt::format("the points must be a number from 0 to {}", most.at(item)));
    if (!given[known_as(name, everybody)].emplace(item, *points).second) fail("given twice");
  }
  return given;
}

std::vector<Ranked> rank(const Config& config, const std::map<std::string, Grade>& grades,
                         const std::set<std::string>& everybody) {
  std::vector<Contender> contenders;
  for (const auto& name : everybody) {
    const auto found = grades.find(name);
    Contender who = found == grades.end() || !config.ranking
                        ? Contender{}
                        : contender_of(found->second, *config.ranking);
    who.name = name;
    contenders.push_back(std::move(who));
  }
  if (config.ranking) return rank_class(std::move(contenders), *config.ranking);
  std::vector<Ranked> unranked;
  for (auto& who : contenders) unranked.push_back({.who = std::move(who)});
  return unranked;
}

}  // namespace

void add_rank(arguments::Parser& app, int&) {
  auto* verb = app.add_subcommand(
      "rank", "Print a class's points as CSV: ranking, graded points, points from staff");
  struct Own {
    std::string results, config, roster, staff;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("results", own->results, "Results folder of opgrade grade")
      ->required()
      ->check(arguments::existing_folder());
  verb->add_option("--config,-c", own->config, "The config that graded them")->required();
  verb->add_option(
      "--roster", own->roster,
      "File with one submission name per line; names without a result are listed as absent");
  verb->add_option("--staff", own->staff, "CSV with lines submission,item,points for open items");
  verb->callback([=] {
    const Config config = read_config(own->config);
    const auto grades = grades_in(own->results);
    std::set<std::string> everybody;
    for (const auto& [name, grade] : grades) everybody.insert(name);
    if (!own->roster.empty()) {
      for (const auto& name : names_of(own->roster)) everybody.insert(known_as(name, everybody));
    }
    const auto open_items = open_items_of(config);
    const auto staff = own->staff.empty() ? std::map<std::string, std::map<std::string, double>>{}
                                          : read_staff(own->staff, open_items, everybody);
    for (const auto& [name, items] : staff) {
      if (!everybody.contains(name))
        throw UsageError(fmt::format("{}: '{}' has no result", own->staff, name),
                         "names are those of the folders in the results");
    }
    fmt::print(
        "submission,rank,time_ms,rank_points,graded_points,staff_points,open_points,total,"
        "reason\r\n");
    for (const Ranked& row : rank(config, grades, everybody)) {
      double graded = 0, open = 0, given = 0;
      if (const auto found = grades.find(row.who.name); found != grades.end()) {
        graded = found->second.points;
        open = found->second.open_points;
      }
      if (const auto found = staff.find(row.who.name); found != staff.end()) {
        for (const auto& [item, points] : found->second) {
          given += points;
          open -= open_items.at(item);
        }
      }
      const bool timed = row.who.entry == Entry::timed;
      fmt::print("{},{},{},{},{:.10g},{:.10g},{:.10g},{:.10g},{}\r\n",
                 report::csv_cell(row.who.name), row.rank ? fmt::format("{}", *row.rank) : "",
                 timed ? fmt::format("{:.6g}", row.who.time_ms) : "",
                 row.open ? "open" : fmt::format("{:.10g}", row.points), graded, given,
                 std::max(open, 0.0), graded + given + row.points,
                 report::csv_cell(report::sentence_of(row.reason)));
    }
  });
}

}  // namespace opgrade::cli
