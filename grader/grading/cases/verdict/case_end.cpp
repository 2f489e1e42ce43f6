#include "grader/grading/cases/verdict/case_end.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include "grader/base/core/printable.hpp"
#include "grader/grading/cases/verdict/explain_case.hpp"
#include "grader/grading/run/received_reply.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade {
namespace {

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
  usage.signal = run.signal();
  if (const auto* exited = std::get_if<Exited>(&run.process.end); exited && usage.signal == 0)
    usage.exit_code = exited->code;
  usage.limit = run.limit;
  usage.out_of_memory_kill = run.memory_limit_hit;
  usage.voluntary_switches = run.process.voluntary_switches;
  usage.involuntary_switches = run.process.involuntary_switches;
  return usage;
}

/// Adds the run's use and output to those that the report has already.
void add_run(CaseReport& report, const SandboxReport& run) {
  const UsageReport before = std::exchange(report.usage, usage_of(run));
  add_use(report.usage, before);
  std::string printed = run.process.standard_output;
  if (!run.process.standard_error.empty())
    printed +=
        (printed.empty() || printed.ends_with('\n') ? "" : "\n") + run.process.standard_error;
  report.student_output += printable(printed);
}

/// Of several runs, the first failed call counts.
void add_failed_call(JudgedCase& c, Session& session) {
  std::string failed = session.take_failed_call();
  if (c.evidence.failed_call.empty()) c.evidence.failed_call = std::move(failed);
}

}  // namespace

void add_use(UsageReport& use, const UsageReport& before) {
  use.elapsed_s += before.elapsed_s;
  use.user_s += before.user_s;
  use.system_s += before.system_s;
  use.stdout_bytes += before.stdout_bytes;
  use.stderr_bytes += before.stderr_bytes;
  use.voluntary_switches += before.voluntary_switches;
  use.involuntary_switches += before.involuntary_switches;
}

JudgedCase new_case(const StageContext& stage) {
  JudgedCase c;
  c.evidence.findings = stage.config.findings;
  c.evidence.tolerance = stage.tolerance;
  c.evidence.memory_limit = stage.config.run_limits.memory_bytes;
  c.evidence.sanitized_check = stage.sanitized_check;
  c.evidence.emulated = stage.device == Device::emulated;
  return c;
}

void end_session(JudgedCase& c, Session& session, const CaseContext& context) {
  if (context.stage.device == Device::emulated) {
    const ToldFindings told = session.findings();
    c.findings = parse_findings(told.packets);
    c.evidence.findings_missing = !told.complete && !session.over();
  }
  const SandboxReport run = session.finish();
  interrupt::check();
  add_run(c, run);
  c.evidence.failure = session.failure(run);
  add_failed_call(c, session);
  c.evidence.stragglers = session.stragglers();
  judge(c);
  if (c.outcome != Outcome::out_of_time) return;
  if (const auto loop = endless_loop(session, context)) c.findings.push_back(*loop);
  judge(c);
}

bool end_case(JudgedCase& c, Session& session) {
  if (session.over() || session.stragglers() > 0) return false;
  const auto used = session.end_case();
  interrupt::check();
  if (!used) return false;
  add_run(c, *used);
  add_failed_call(c, session);
  if (session.stragglers() > 0 || used->memory_limit_hit || used->process_limit_hit) return false;
  judge(c);
  return true;
}

}  // namespace opgrade
