#include "grader/report/formats/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "grader/report/formats/test_results.hpp"
#include "grader/report/words/units.hpp"
#include "grader/report/words/verdict.hpp"
#include "grader/report/words/xml_text.hpp"

namespace opgrade::report {
namespace {

struct Counts {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  double time_s = 0;

  void add(const TestResult& result) {
    ++tests;
    if (result.end == TestEnd::failed) ++failures;
    if (result.end == TestEnd::error) ++errors;
    if (result.end == TestEnd::skipped) ++skipped;
    time_s += finite_or_zero(result.elapsed_s);
  }

  void operator+=(const Counts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
    time_s += other.time_s;
  }
};

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(xml_text(value).c_str());
}

void set_time(pugi::xml_node node, double seconds) {
  set(node, "time", fmt::format("{:.3f}", finite_or_zero(seconds)));
}

void set_counts(pugi::xml_node node, const Counts& counts) {
  node.append_attribute("tests").set_value(counts.tests);
  node.append_attribute("failures").set_value(counts.failures);
  node.append_attribute("errors").set_value(counts.errors);
  node.append_attribute("skipped").set_value(counts.skipped);
  set_time(node, counts.time_s);
}

void add_text(pugi::xml_node parent, const char* name, std::string_view text) {
  if (!text.empty()) parent.append_child(name).text().set(xml_text(text).c_str());
}

void add_property(pugi::xml_node properties, const char* name, std::string_view value) {
  if (value.empty()) return;
  auto property = properties.append_child("property");
  set(property, "name", name);
  set(property, "value", value);
}

void add_properties(pugi::xml_node test, const StageReport& stage, const CaseReport& c) {
  auto properties = test.append_child("properties");
  add_property(properties, "points", show_case_points(c));
  if (c.accuracy) add_property(properties, "accuracy", show_accuracy(*c.accuracy));
  if (const auto time = op_time_of(c, stage.device))
    add_property(properties, "op_time_ms", show_value(time->ms));
  if (!properties.first_child()) test.remove_child(properties);
}

/// The element that says how the test ended; null for a test that passed.
const char* element_of(TestEnd end) {
  switch (end) {
    case TestEnd::failed:
      return "failure";
    case TestEnd::error:
      return "error";
    case TestEnd::skipped:
      return "skipped";
    case TestEnd::passed:
    case TestEnd::warned:
      break;
  }
  return nullptr;
}

void add_end(pugi::xml_node test, const TestResult& result) {
  const char* const element = element_of(result.end);
  if (element == nullptr) return;
  auto end = test.append_child(element);
  set(end, "message", result.message);
  if (result.end != TestEnd::skipped) set(end, "type", words(result.outcome).id);
  if (!result.details.empty()) end.text().set(xml_text(result.details).c_str());
}

void add_test(pugi::xml_node suite, std::string_view suite_name, const TestResult& result) {
  auto test = suite.append_child("testcase");
  set(test, "name", result.name);
  set(test, "classname", suite_name);
  set_time(test, result.elapsed_s);
  if (result.of_case != nullptr) add_properties(test, *result.stage, *result.of_case);
  add_end(test, result);
  add_text(test, "system-err", result.compiler_output);
  // JUnit has no element for a warning.
  const std::string warning =
      result.end == TestEnd::warned ? result.message + "\n" + result.details + "\n" : "";
  add_text(test, "system-out", warning + result.printed);
}

/// Adds the suite of a stage or, if `stage` is null, that of the whole submission.
Counts add_suite(pugi::xml_node root, const StageReport* stage,
                 const std::vector<TestResult>& results, const std::string& started) {
  const std::string name = stage != nullptr ? stage->name : "submission";
  auto suite = root.append_child("testsuite");
  set(suite, "name", name);
  if (stage != nullptr) {
    auto properties = suite.append_child("properties");
    add_property(properties, "title", stage->title);
    add_property(properties, "device", name_of(stage->device));
    add_property(properties, "points", show_sum(sum_of(*stage)));
  }
  Counts counts;
  for (const TestResult& result : results) {
    if (result.stage != stage) continue;
    add_test(suite, name, result);
    counts.add(result);
  }
  set_counts(suite, counts);
  set(suite, "timestamp", started);
  return counts;
}

}  // namespace

std::string junit_report(const Grade& grade, Audience audience) {
  const Grade view = view_for(grade, audience);
  const std::vector<TestResult> results = test_results_of(view);
  pugi::xml_document document;
  auto declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  auto root = document.append_child("testsuites");
  set(root, "name", view.submission);
  Counts total;
  for (const auto& stage : view.stages)
    total += add_suite(root, &stage, results, view.machine.started);
  const auto is_whole = [](const TestResult& result) { return result.stage == nullptr; };
  if (std::ranges::any_of(results, is_whole))
    total += add_suite(root, nullptr, results, view.machine.started);
  set_counts(root, total);
  set(root, "timestamp", view.machine.started);
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace opgrade::report
