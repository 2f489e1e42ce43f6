/// Calls a submission once more for the profile, with the device watched from inside its process.
#pragma once

#include <filesystem>
#include <vector>

#include "grader/core/device.hpp"
#include "grader/core/profile.hpp"
#include "grader/run/session.hpp"
#include "grader/sandbox/policy.hpp"
#include "grader/task/problem.hpp"

namespace opgrade {

/// The collector and CUPTI, where the sandbox's user may read them; empty paths where there is
/// none.
struct ProfilerFiles {
  std::filesystem::path collector;
  std::filesystem::path cupti;
};

/// Finds libcupti in the toolkit and copies the collector into `folder`.
ProfilerFiles find_profiler(const std::filesystem::path& cuda_root,
                            const std::filesystem::path& folder);

/// Lets a sandbox with a GPU use them.
void add_profiler(SandboxPolicy& policy, const ProfilerFiles& files);

/// One whole recorded call for each of `problems`, on a GPU with meaningless values. The session
/// must have made its calls for the verdict, and may be over afterwards. `last`: buffers of the
/// last problem, where there are any: making them takes longer than the call. Where nothing can be
/// recorded the report's `problem` says why.
ProfileReport profile_problems(Session& session, const std::vector<NamedProblem>& problems,
                               Device device, const CallTensors* last = nullptr);

}  // namespace opgrade
