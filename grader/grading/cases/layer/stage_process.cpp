#include "grader/grading/cases/layer/stage_process.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/phases.hpp"
#include "grader/grading/cases/layer/case_session.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade {

void StageProcess::launch(const CaseContext& context) {
  if (session_) return;
  try {
    auto session = start_session(context, Session::Load::later);
    if (!session->await_harness()) return;
    session->await_case();
    session_ = std::move(session);
    device_ = context.on.gpu->uuid();
    served_ = 0;
    has_device_ = false;
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const std::exception&) {
    // A case without a process starts its own, and that failure is judged.
  }
}

void StageProcess::start_device(const CaseContext& context) {
  launch(context);
  if (!session_ || has_device_) return;
  has_device_ = session_->start_device();
  if (has_device_) {
    session_->await_case();
  } else {
    session_.reset();
  }
  phase_over("process started ahead");
}

std::unique_ptr<Session> StageProcess::take(const CaseContext& context) {
  auto session = std::move(session_);
  const bool usable = session && context.on.gpu != nullptr && device_ == context.on.gpu->uuid() &&
                      (served_ > 0 ? !session->over() : session->is_waiting());
  device_ = context.on.gpu != nullptr ? context.on.gpu->uuid() : "";
  if (!usable) {
    served_ = 0;
    return start_session(context);
  }
  if (served_ > 0) {
    session->begin_case();
  } else {
    session->load();
  }
  return session;
}

void StageProcess::keep(std::unique_ptr<Session> session) {
  session_ = std::move(session);
  session_->await_case();
  ++served_;
}

bool StageProcess::end() {
  const auto session = std::move(session_);
  bool ended_well = true;
  if (session) {
    session->begin_case();  // its end has the limits of a case
    ended_well = !session->failure(session->finish()) || served_ == 0;
  }
  for (const auto& calls : std::exchange(calls_, {})) calls->release(store_);
  return ended_well;
}

namespace {

/// Returns a report that counts, or sets `failure`. An error of the grader's may be due to memory
/// that earlier cases hold. A timeout in a process that served no case is not retried.
std::optional<JudgedCase> first_try(const std::function<JudgedCase(bool)>& run, bool served,
                                    std::optional<Reason>& failure) {
  try {
    JudgedCase report = run(false);
    if (report.outcome == Outcome::passed || (!served && report.outcome == Outcome::out_of_time))
      return report;
    failure = report.reason;
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const Error& e) {
    failure = text_reason(e.what());
  }
  return std::nullopt;
}

}  // namespace

JudgedCase in_stage_process(const CaseDevice& on, const std::function<JudgedCase(bool last)>& run) {
  StageProcess* const process = on.process;
  if (process == nullptr) return run(true);
  std::optional<Reason> failure;
  if (process->is_used()) {
    if (auto report = first_try(run, process->has_served(), failure)) return *std::move(report);
    process->end();
    if (on.gpu != nullptr) on.gpu->prove_usable();  // waits for its memory
    phase_over("process of other cases given up");
  }
  JudgedCase report = run(true);
  if (report.outcome != Outcome::passed) process->end();
  report.evidence.earlier_failure = failure;
  judge(report);
  return report;
}

}  // namespace opgrade
