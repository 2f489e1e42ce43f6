#include "grader/cases/case_verdict.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "grader/cases/explain_case.hpp"
#include "grader/core/finding_kind.hpp"
#include "grader/core/printable.hpp"
#include "grader/process/interrupt.hpp"
#include "grader/report/units.hpp"
#include "grader/run/received_reply.hpp"

namespace opgrade {
namespace {

constexpr const char* kAllRight = "every output element is right";

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

UsageReport usage_of(const SandboxReport& run) {
  UsageReport usage;
  usage.elapsed_s = seconds(run.process.elapsed);
  usage.user_s = seconds(run.process.user);
  usage.system_s = seconds(run.process.system);
  usage.peak_memory_bytes = run.peak_memory_bytes;
  usage.stdout_bytes = run.process.stdout_bytes;
  usage.stderr_bytes = run.process.stderr_bytes;
  if (const auto* exited = std::get_if<Exited>(&run.process.end)) {
    // bubblewrap passes the end of its child on as shells do: above 128 it is a signal.
    if (exited->code > 128 && exited->code <= 128 + 64) {
      usage.signal = exited->code - 128;
    } else {
      usage.exit_code = exited->code;
    }
  }
  if (const auto* signalled = std::get_if<Signalled>(&run.process.end))
    usage.signal = signalled->number;
  usage.limit = run.limit;
  usage.out_of_memory_kill = run.memory_limit_hit;
  usage.voluntary_switches = run.process.voluntary_switches;
  usage.involuntary_switches = run.process.involuntary_switches;
  return usage;
}

/// The run's use, and its output; with those that the report has already.
void add_use(CaseReport& report, const SandboxReport& run) {
  const UsageReport before = std::exchange(report.usage, usage_of(run));
  report.usage.elapsed_s += before.elapsed_s;
  report.usage.user_s += before.user_s;
  report.usage.system_s += before.system_s;
  report.usage.stdout_bytes += before.stdout_bytes;
  report.usage.stderr_bytes += before.stderr_bytes;
  report.usage.voluntary_switches += before.voluntary_switches;
  report.usage.involuntary_switches += before.involuntary_switches;
  std::string printed = run.process.standard_output;
  if (!run.process.standard_error.empty())
    printed += (printed.empty() ? "" : "\n") + run.process.standard_error;
  report.student_output += printable(printed);
}

std::string wrong_text(const CallReport& call) {
  if (call.check.first < 0) return fmt::format("{}: {}", call.layer, call.check.hint);
  return fmt::format("{}: {} of {} elements are wrong", call.layer, call.check.mismatches,
                     call.check.checked);
}

/// The first finding of the first of `weights` that there is, or null.
const Finding* first_of(const std::vector<Finding>& findings,
                        std::initializer_list<FindingWeight> weights) {
  for (const auto weight : weights) {
    const auto found = std::ranges::find(
        findings, weight, [](const Finding& finding) { return weight_of(finding.kind); });
    if (found != findings.end()) return &*found;
  }
  return nullptr;
}

/// The hint for a crash with almost all memory used. Without control groups an allocation above the
/// limit fails, and the program continues with a null pointer. Else empty.
std::string hint_on_memory(const UsageReport& usage, std::int64_t limit) {
  if (usage.signal == 0 || usage.peak_memory_bytes < limit / 8 * 7) return {};
  return fmt::format(
      "It held {} of the {} that it may have. Check that all is freed that a call allocates.",
      report::show_bytes(usage.peak_memory_bytes), report::show_bytes(limit));
}

}  // namespace

void conclude(CaseReport& report, Session& session, const CaseContext& context) {
  bool muted = false;
  if (context.device == Device::emulated) {
    const ToldFindings told = session.findings();
    report.findings = parse_findings(told.packets);
    muted = !told.complete && !session.over();
  }
  const SandboxReport run = session.finish();
  interrupt::check();
  add_use(report, run);

  const auto failure = session.failure(run);
  const bool right =
      !failure && !muted &&
      std::ranges::all_of(report.calls, [](const CallReport& call) { return call.check.passed(); });
  // Its word is enough for this: it earns nothing, and a GPU decides. After a stopped kernel no
  // session ends well, so right outputs did not need what is missing.
  if (const Finding* const missing = first_of(report.findings, {FindingWeight::undecided});
      missing != nullptr && !right) {
    report.outcome = Outcome::not_emulated;
    report.reason = text_of(*missing);
    return;
  }
  const Finding* const mistake = worst_mistake(report.findings);
  const Finding* const reason =
      mistake != nullptr ? mistake : first_of(report.findings, {FindingWeight::explains});
  for (const CallReport& call : report.calls) {
    if (call.check.checked == 0 || call.check.passed()) continue;
    report.outcome = Outcome::wrong_output;
    report.reason = wrong_text(call);
    // A line of the source says more than a pattern in the output.
    report.hint = reason != nullptr      ? text_of(*reason)
                  : call.check.first < 0 ? ""
                                         : call.check.hint;
    return;
  }
  if (failure) {
    report.outcome = failure->outcome;
    report.reason = failure->reason;
    if (!report.calls.empty() && report.calls.back().check.checked > 0)
      report.reason += ", after a call whose output was right";
    report.hint = failure->hint;
    if (report.usage.signal == SIGSEGV && context.sanitized_check)
      report.hint +=
          " `opgrade check` runs the random shapes under g++'s address sanitizer as well: that "
          "names "
          "the line.";
    const auto limit = context.config.run_limits.memory_bytes;
    if (const auto hint = hint_on_memory(report.usage, limit); !hint.empty())
      report.hint = hint + (report.hint.empty() ? "" : " ") + report.hint;
    if (reason != nullptr) report.hint = text_of(*reason);
    if (report.outcome == Outcome::out_of_time) add_endless_loop(report, session, context);
    // How the process ended follows from what was found: the submission saw the error and left.
    const bool ended =
        report.outcome == Outcome::crashed || report.outcome == Outcome::exited_early;
    if (mistake != nullptr && ended)
      report.reason = fmt::format("{} Then: {}", text_of(*mistake), report.reason);
    return;
  }
  if (muted) {
    report.outcome = Outcome::exited_early;
    report.reason = "the emulated device's findings did not arrive: their channel was closed";
    report.hint = "Close no descriptors that you did not open, and end no process of the grader's.";
    return;
  }
  report.outcome = Outcome::passed;
  report.reason = kAllRight;
  if (const int left = session.stragglers(); left > 0) {
    report.reason += fmt::format("; it left {} process{} behind", left, left == 1 ? "" : "es");
    report.hint = "They were ended. Wait for what you start: it takes time from other calls.";
  }
  if (mistake != nullptr) judge_mistake(report, *mistake, context.config.findings);
}

const Finding* worst_mistake(const std::vector<Finding>& findings) {
  return first_of(findings, {FindingWeight::decides, FindingWeight::warns});
}

void judge_mistake(CaseReport& report, const Finding& mistake, FindingsRule rule) {
  const std::string place = place_of(mistake);
  report.hint = fmt::format("The outputs are right here. {}", on_a_gpu(mistake.kind));
  if (rule == FindingsRule::warn && warns(mistake)) {
    report.reason = fmt::format("right here; a GPU may hide this: {}",
                                place.empty() ? text_of(mistake) : "fix " + place);
    return;
  }
  report.outcome = Outcome::mistake_found;
  report.reason = text_of(mistake);
  if (warns(mistake))
    report.hint +=
        " A course's grading takes no points for that alone (`findings: warn`); this check does.";
}

bool conclude_and_go_on(CaseReport& report, Session& session) {
  if (session.over() || session.stragglers() > 0) return false;
  const auto used = session.end_case();
  interrupt::check();
  if (!used) return false;
  add_use(report, *used);
  if (session.stragglers() > 0 || used->memory_limit_hit || used->process_limit_hit) return false;
  report.outcome = Outcome::passed;
  report.reason = kAllRight;
  return true;
}

}  // namespace opgrade
