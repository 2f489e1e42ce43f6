/// The device's activity in a case, recorded when its calls are over.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "grader/base/core/profile.hpp"
#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/cases/plan/case_calls.hpp"
#include "grader/grading/run/session.hpp"

namespace opgrade {

/// The course's smallest batch: submissions that cut a batch into pieces can cut this one.
inline constexpr int kSmallestBatch = 100;

using StartSession = std::function<std::unique_ptr<Session>()>;

/// True if Op Time includes copies that only a record of the device distinguishes from kernels.
bool copies_in_op_time(const CaseDevice& on);

/// Profiles a case whose calls are in `c`: for the report on request, for the policy on outside
/// work, and for the kernels' own time. Returns nullopt if none of them needs a profile.
///
/// The policies `count` and `allow` first take the smallest batch of a model: useful work outside
/// the timed call depends on the weights alone, so it is equal for each batch. `reject` takes the
/// whole batch, so that a submission cannot pass by its size.
///
/// The small calls of later cases are recorded with the first case's. If the process ends in one of
/// those, the case's own calls are recorded in a process from `start`.
std::optional<ProfileReport> profile_case(const CaseContext& context, const CaseReport& c,
                                          Session& session, CaseCalls& calls,
                                          const StartSession& start);

/// Adds counts and advice, if the context has a build for them, whatever the case ran on.
void add_counts(const CaseContext& context, const CaseCalls& calls, CaseReport& report);

}  // namespace opgrade
