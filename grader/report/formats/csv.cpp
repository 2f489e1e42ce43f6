#include "grader/report/formats/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "grader/report/words/reason_words.hpp"
#include "grader/report/words/units.hpp"
#include "grader/report/words/verdict.hpp"

namespace opgrade::report {
namespace {

bool starts_formula(std::string_view text) {
  if (text.empty()) return false;
  if (text[0] == '\t' || text[0] == '\r' || text[0] == '\n') return true;
  const auto start = text.find_first_not_of(" \t\r\n\v\f");
  if (start == text.npos) return false;
  text.remove_prefix(start);
  // Full-width = + - @ (U+FF1D, U+FF0B, U+FF0D, U+FF20) start formulas in spreadsheets set to
  // Japanese.
  constexpr std::array<std::string_view, 8> kStarts{
      "=", "+", "-", "@", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view s) { return text.substr(0, s.size()) == s; });
}

/// The grader writes these numbers, so they stay numbers, minus sign included.
std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.10g}", value) : csv_cell(show_value(value));
}

const CaseReport* find_case(const Grade& grade, const CsvColumns::Case& column, Device& device) {
  for (const auto& stage : grade.stages) {
    if (stage.name != column.stage) continue;
    device = stage.device;
    for (const auto& c : stage.cases) {
      if (c.id == column.id) return &c;
    }
  }
  return nullptr;
}

}  // namespace

void CsvColumns::add(const Grade& grade) {
  const Grade view = view_for(grade, Audience::staff);
  for (const auto& stage : view.stages) {
    for (const auto& c : stage.cases) {
      const Case column{stage.name, c.id};
      auto known = std::find(cases.begin(), cases.end(), column);
      if (known == cases.end()) known = cases.insert(known, column);
      known->kernels = known->kernels || kernel_time_of(c).has_value();
    }
  }
}

std::string csv_header(const CsvColumns& columns) {
  std::vector<std::string> cells{
      "submission",        "outcome",     "passed",          "points",
      "max_points",        "open_points", "pass_mark",       "reason",
      "elapsed_s",         "config",      "config_sha256",   "submission_path",
      "submission_sha256", "machine",     "opgrade_version", "started"};
  for (const auto& column : columns.cases) {
    for (const char* what : {" outcome", " points", " accuracy", " op_time_ms"}) {
      cells.push_back(csv_cell(column.id + what));
    }
    if (column.kernels) cells.push_back(csv_cell(column.id + " kernel_time_ms"));
  }
  return csv_line(cells);
}

std::string csv_row(const Grade& grade, const CsvColumns& columns) {
  const Grade view = view_for(grade, Audience::staff);
  const auto& machine = view.machine;
  const std::string machine_name =
      machine.gpu.empty() ? machine.host_cpu : machine.host_cpu + ", " + machine.gpu;
  const Standing standing = grade_verdict(view).standing;
  const std::string passed = standing == Standing::fault       ? ""
                             : standing == Standing::undecided ? "open"
                             : view.passed                     ? "yes"
                                                               : "no";
  std::vector<std::string> cells{csv_cell(view.submission),
                                 std::string(words(view.outcome).id),
                                 passed,
                                 standing == Standing::fault ? "" : number(view.points),
                                 number(view.max_points),
                                 number(view.open_points),
                                 number(view.pass_mark),
                                 csv_cell(sentence_of(view.reason)),
                                 number(view.elapsed_s),
                                 csv_cell(view.config_name),
                                 csv_cell(view.config_sha256),
                                 csv_cell(view.submission_path),
                                 csv_cell(view.submission_sha256),
                                 csv_cell(machine_name),
                                 csv_cell(machine.opgrade_version),
                                 csv_cell(machine.started)};
  for (const auto& column : columns.cases) {
    Device device = Device::cpu;
    const CaseReport* c = find_case(view, column, device);
    if (c == nullptr) {
      cells.insert(cells.end(), column.kernels ? 5 : 4, "");
      continue;
    }
    const auto time = op_time_of(*c, device);
    cells.emplace_back(words(c->outcome).id);
    const bool fault = c->outcome == Outcome::grader_fault;
    cells.push_back(fault || c->advice ? "" : number(sum_of(c->points).points));
    cells.push_back(c->accuracy ? number(*c->accuracy) : "");
    cells.push_back(time ? number(time->ms) : "");
    const auto kernels = kernel_time_of(*c);
    if (column.kernels) cells.push_back(kernels ? number(*kernels) : "");
  }
  return csv_line(cells);
}

std::string csv_quoted(std::string_view cell) {
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string csv_cell(std::string_view text) {
  const std::string cell = (starts_formula(text) ? "'" : "") + std::string(text);
  return cell.find_first_of(",\"\r\n") == cell.npos ? cell : csv_quoted(cell);
}

std::string csv_line(const std::vector<std::string>& cells) {
  return fmt::format("{}\r\n", fmt::join(cells, ","));
}

}  // namespace opgrade::report
