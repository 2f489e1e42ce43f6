#include "grader/report/formats/junit.hpp"

#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>

#include "grader/report/words/case_facts.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/report/words/repeat.hpp"
#include "grader/report/words/units.hpp"
#include "grader/report/words/verdict.hpp"
#include "grader/report/words/xml_text.hpp"

namespace opgrade::report {
namespace {

struct Counts {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  double time_s = 0;

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

std::string details(const StageReport& stage, const CaseReport& c) {
  std::string text;
  for (const auto& fact : facts_of(c)) text += fact + "\n";
  text += fmt::format("next: {}\n", next_in(stage, c));
  if (c.repeat) text += fmt::format("again: {}\n", repeat_command(c));
  return text;
}

/// Adds one test case with its result, and counts it in `counts`.
pugi::xml_node add_test(pugi::xml_node suite, Counts& counts, std::string_view name,
                        std::string_view suite_name, double seconds, Outcome outcome,
                        std::string_view reason, std::string_view text, bool advice = false) {
  auto test = suite.append_child("testcase");
  set(test, "name", name);
  set(test, "classname", suite_name);
  set_time(test, seconds);
  ++counts.tests;
  counts.time_s += finite_or_zero(seconds);
  if (outcome == Outcome::passed) return test;
  const char* kind = "failure";
  const bool skipped = advice || outcome == Outcome::not_run || outcome == Outcome::not_emulated;
  if (skipped) {
    kind = "skipped";
    ++counts.skipped;
  } else if (outcome == Outcome::grader_fault) {
    kind = "error";
    ++counts.errors;
  } else {
    ++counts.failures;
  }
  auto result = test.append_child(kind);
  const std::string message(reason.empty() ? words(outcome).text : reason);
  set(result, "message", advice ? fmt::format("{} {}", kAdvice, message) : message);
  if (!skipped) set(result, "type", words(outcome).id);
  if (!text.empty()) result.text().set(xml_text(text).c_str());
  return test;
}

void add_case(pugi::xml_node suite, Counts& counts, const StageReport& stage, const CaseReport& c) {
  const bool bad = is_submission_fault(c.outcome) || c.outcome == Outcome::grader_fault;
  auto test = add_test(suite, counts, c.id, stage.name, c.usage.elapsed_s, c.outcome,
                       sentence_of(c.reason), bad ? details(stage, c) : std::string(), c.advice);
  auto properties = test.prepend_child("properties");
  add_property(properties, "points", show_case_points(c));
  if (c.accuracy) add_property(properties, "accuracy", show_accuracy(*c.accuracy));
  if (const auto time = op_time_of(c, stage.device)) {
    add_property(properties, "op_time_ms", show_value(time->ms));
  }
  if (!properties.first_child()) test.remove_child(properties);
  const bool warned = c.outcome == Outcome::passed && has_problem(c);
  const std::string warning =
      warned ? fmt::format("{}: {}\n{}\n", state_of(c), sentence_of(c.reason), details(stage, c))
             : "";
  add_text(test, "system-out", warning + c.student_output);
}

Counts add_stage(pugi::xml_node root, const StageReport& stage, const Grade& view) {
  auto suite = root.append_child("testsuite");
  set(suite, "name", stage.name);
  auto properties = suite.append_child("properties");
  add_property(properties, "title", stage.title);
  add_property(properties, "device", name_of(stage.device));
  add_property(properties, "points", show_sum(sum_of(stage)));
  Counts counts;
  const auto& build = stage.build;
  if (build.outcome != Outcome::passed && build.outcome != Outcome::not_run) {
    auto test = add_test(suite, counts, "build", stage.name, build.elapsed_s, build.outcome,
                         sentence_of(build.reason), hint_of(build.reason));
    add_text(test, "system-err", build.compiler_output);
  } else if (stage.cases.empty() && build.outcome == Outcome::not_run) {
    add_test(suite, counts, "build", stage.name, 0, Outcome::not_run, sentence_of(build.reason),
             "");
  }
  for (const auto& c : stage.cases) add_case(suite, counts, stage, c);
  set_counts(suite, counts);
  set(suite, "timestamp", view.machine.started);
  return counts;
}

}  // namespace

std::string junit_report(const Grade& grade, Audience audience) {
  const Grade view = view_for(grade, audience);
  pugi::xml_document document;
  auto declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  auto root = document.append_child("testsuites");
  set(root, "name", view.submission);
  Counts total;
  for (const auto& stage : view.stages) total += add_stage(root, stage, view);

  const bool told = total.failures + total.errors > 0;
  const bool bad = is_submission_fault(view.outcome) || view.outcome == Outcome::grader_fault;
  if (view.stages.empty() || (bad && !told)) {
    auto suite = root.append_child("testsuite");
    set(suite, "name", "submission");
    Counts counts;
    add_test(suite, counts, "submission", "submission", 0, view.outcome, sentence_of(view.reason),
             bad ? default_next(view.outcome) : "");
    set_counts(suite, counts);
    set(suite, "timestamp", view.machine.started);
    total += counts;
  }
  set_counts(root, total);
  set(root, "timestamp", view.machine.started);
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace opgrade::report
