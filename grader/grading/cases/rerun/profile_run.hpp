/// Calls a submission once more for the profile, with the device watched from inside its process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "grader/base/core/device.hpp"
#include "grader/base/core/profile.hpp"
#include "grader/grading/run/session.hpp"
#include "grader/platform/sandbox/policy.hpp"
#include "grader/task/interface/problem.hpp"

namespace opgrade {

/// The collector and CUPTI, which the sandbox's user may read; empty paths if there is none.
struct ProfilerFiles {
  std::filesystem::path collector;
  std::filesystem::path cupti;
};

/// Finds libcupti in the toolkit and copies the collector into `folder`.
ProfilerFiles find_profiler(const std::filesystem::path& cuda_root,
                            const std::filesystem::path& folder);

/// Lets a sandbox with a GPU use `files`.
void add_profiler(SandboxPolicy& policy, const ProfilerFiles& files);

/// How calls are made. On the emulated device the inputs are the problem's own kind of values.
struct ProfiledCalls {
  std::uint64_t seed = 1;  ///< of these inputs
  /// Gets each call's buffers, if it is set.
  std::function<void(const NamedProblem&, const Values&)> use_output;
};

/// Makes one whole call for each of `problems`. Returns false if the session ended on the way.
bool call_problems(Session& session, const std::vector<NamedProblem>& problems, Device device,
                   const ProfiledCalls& how);

/// Makes one whole recorded call for each of `problems`, on a GPU with meaningless values. The
/// session must have made its calls for the verdict, and may be over afterwards. `last` has buffers
/// of the last problem, if there are any, because making them takes longer than the call. If
/// nothing can be recorded, the report's `problem` says why.
ProfileReport profile_problems(Session& session, const std::vector<NamedProblem>& problems,
                               Device device, const CallTensors* last = nullptr,
                               const ProfiledCalls& how = {});

}  // namespace opgrade
