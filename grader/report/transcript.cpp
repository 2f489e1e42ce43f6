#include "grader/report/transcript.hpp"

#include <fmt/format.h>

#include <cmath>

#include "grader/report/units.hpp"
#include "grader/report/verdict.hpp"

namespace opgrade::report {
namespace {

std::string remark(const CaseReport& c) {
  std::string text = fmt::format("[{}: {}{}", c.id, c.advice ? "advice: " : "", state_of(c));
  if (!c.hidden && !c.reason.empty()) text += ": " + c.reason;
  return text + "]\n";
}

void add_times(std::string& out, const CallReport& call, const CaseReport& c, Device device) {
  if (device == Device::emulated || !call.timed) return;
  out += fmt::format("Layer Time: {:.6g} ms\n", value_of(call.layer_time, c.take));
  out += fmt::format("Op Time: {:.6g} ms\n", value_of(call.op_time, c.take));
}

void add_network_run(std::string& out, const CaseReport& c, Device device) {
  out += fmt::format("Test batch size: {}\n", c.batch);
  out += "Loading fashion-mnist data...Done\nLoading model...Done\n";
  for (const auto& call : c.calls) {
    out += device == Device::cpu ? "Conv-CPU==\n" : "Conv-GPU==\n";
    add_times(out, call, c, device);
  }
  if (c.accuracy) out += fmt::format("\nTest Accuracy: {}\n", show_accuracy(*c.accuracy));
}

/// Shapes without a network: random ones, and cases with sizes.
void add_shapes_run(std::string& out, const CaseReport& c, Device device) {
  int number = 0;
  for (const auto& call : c.calls) {
    const auto& check = call.check;
    out += fmt::format("Running test case {}\n", ++number);
    out += text_of(call.shape, " ", " = ") + "\n";
    if (check.first >= 0) {
      out += fmt::format("Mismatch at index {} a = {} b = {}\n", check.first, show_value(check.got),
                         show_value(check.want));
    }
    if (!check.passed()) out += fmt::format("Test case {} failed\n", number);
    if (!c.model.empty()) add_times(out, call, c, device);  // of a case with sizes
  }
  if (c.outcome == Outcome::passed) out += "All test cases passed\n";
}

void add_case(std::string& out, const CaseReport& c, Device device) {
  const bool ran = c.outcome != Outcome::not_run && !c.calls.empty();
  const bool network = !c.model.empty() && c.batch > 0;
  if (ran && network) add_network_run(out, c, device);
  if (ran && !network) add_shapes_run(out, c, device);
  if (has_problem(c) || !ran) out += remark(c);
  if (c.usage.elapsed_s > 0) out += time_line(c.usage) + "\n";
  out += "\n";
}

}  // namespace

std::string time_line(const UsageReport& usage) {
  const double elapsed = finite_or_zero(usage.elapsed_s);
  const double user = finite_or_zero(usage.user_s), system = finite_or_zero(usage.system_s);
  // GNU time counts in hundredths and cuts, and leaves hundredths out from an hour on.
  const auto hundredths = static_cast<std::int64_t>(elapsed * 100 + 0.5);
  const auto seconds = hundredths / 100;
  const std::string clock =
      seconds >= 3600
          ? fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
          : fmt::format("{}:{:02}.{:02}", seconds / 60, seconds % 60, hundredths % 100);
  const std::string share =
      elapsed > 0 ? fmt::format("{:.0f}", std::floor((user + system) / elapsed * 100)) : "?";
  return fmt::format("{:.2f}user {:.2f}system {}elapsed {}%CPU (0avgtext+0avgdata {}maxresident)k",
                     user, system, clock, share, usage.peak_memory_bytes / 1024);
}

std::string transcript(const Grade& grade, Audience audience) {
  const Grade view = view_for(grade, audience);
  std::string out;
  for (const auto& stage : view.stages) {
    const auto& build = stage.build;
    const bool built = build.outcome == Outcome::passed || build.outcome == Outcome::not_run;
    if (!built) {
      out += fmt::format("[{}: {}: {}]\n\n", stage.name, words(build.outcome).text, build.reason);
    } else if (is_not_run(stage)) {
      const std::string why = not_run_reason(stage);
      out += fmt::format("[{}: not run{}{}]\n\n", stage.name, why.empty() ? "" : ": ", why);
      continue;
    }
    for (const auto& c : stage.cases) {
      // The line above names cases that were not run because of the build.
      if (built || c.outcome != Outcome::not_run) add_case(out, c, stage.device);
    }
  }
  if (view.stages.empty()) {
    out += fmt::format("[{}: {}]\n", words(view.outcome).text, view.reason);
  }
  return out;
}

}  // namespace opgrade::report
