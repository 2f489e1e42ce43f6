#include "grader/grading/cases/rerun/case_profile.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "grader/grading/cases/layer/stage_process.hpp"
#include "grader/grading/cases/rerun/count_run.hpp"
#include "grader/grading/cases/rerun/profile_run.hpp"
#include "grader/grading/cases/verdict/untimed_kernels.hpp"
#include "grader/platform/gpu/roofline.hpp"

namespace opgrade {
namespace {

/// The case's session, or a new one if that session ended in another case's call.
class ProfiledSession {
 public:
  ProfiledSession(Session& first, const StartSession& start) : first_(first), start_(start) {}

  Session& now() { return own_ ? *own_ : first_; }
  Session& next() { return *(own_ = start_()); }

 private:
  Session& first_;
  const StartSession& start_;
  std::unique_ptr<Session> own_;
};

/// Returns nullopt if a launch outside the timed call was seen, because its time counts at full
/// size.
std::optional<ProfileReport> quiet_at_the_smallest_batch(const CaseContext& context,
                                                         ProfiledSession& session,
                                                         const CaseCalls& calls) {
  auto problems = calls.with_parts(kSmallestBatch);
  const std::size_t own = problems.size();
  if (context.on.process != nullptr)
    problems = context.on.process->outside_launches().with_expected(std::move(problems));
  ProfileReport seen = profile_problems(session.now(), problems, context.stage.device);
  // The process may have failed in another case's call. It may still live and hold device memory.
  if (session.now().over() && problems.size() > own) {
    problems.resize(own);
    seen = profile_problems(session.next(), problems, context.stage.device);
  }
  if (context.on.process != nullptr) context.on.process->outside_launches().learn(problems, seen);
  seen.layers.resize(std::min(seen.layers.size(), own));
  if (seen.problem.empty() && untimed_launches(seen) > 0) return std::nullopt;
  return seen;
}

}  // namespace

bool copies_in_op_time(const CaseDevice& on) { return on.gpu != nullptr && on.referee == nullptr; }

std::optional<ProfileReport> profile_case(const CaseContext& context, const CaseReport& c,
                                          Session& session, CaseCalls& calls,
                                          const StartSession& start) {
  const bool needed = context.wants.profile || copies_in_op_time(context.on);
  const OutsideWork policy = context.stage.config.timing.outside_work;
  if (!needed && (context.stage.device != Device::cuda || has_outside_work_in_op_times(c, policy)))
    return std::nullopt;
  ProfiledSession recorded(session, start);
  if (!needed && policy != OutsideWork::reject) {
    if (context.on.process != nullptr &&
        context.on.process->outside_launches().are_quiet(calls.with_parts(kSmallestBatch)))
      return std::nullopt;
    if (auto seen = quiet_at_the_smallest_batch(context, recorded, calls)) return seen;
  }
  auto profile = profile_problems(recorded.now(), calls.with_parts(std::numeric_limits<int>::max()),
                                  context.stage.device, &calls.tensors());
  if (context.wants.profile && context.stage.device == Device::cuda)
    profile.ceilings = device_ceilings();
  return profile;
}

void add_counts(const CaseContext& context, const CaseCalls& calls, CaseReport& report) {
  const Counting& counting = context.wants.counting;
  if (counting.stage == nullptr || counting.submission.empty()) return;
  ProfileReport counted = count_accesses(context, calls);
  if (!report.profile) {
    report.profile = std::move(counted);
    return;
  }
  ProfileReport& profile = *report.profile;
  if (!counted.problem.empty()) profile.problem = counted.problem;
  profile.advice = std::move(counted.advice);
  profile.roofline = std::move(counted.roofline);
  profile.counts = std::move(counted.counts);
  profile.counted_layers = std::move(counted.counted_layers);
  profile.miscounted = std::move(counted.miscounted);
}

}  // namespace opgrade
