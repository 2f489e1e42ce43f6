#include "grader/grading/cases/rerun/profile_run.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <span>

#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/grading/cases/layer/layer_run.hpp"
#include "grader/grading/profile/tables.hpp"
#include "grader/task/interface/random_values.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInsideCollector = "/opgrade/libopgrade_profiler.so";
constexpr const char* kInsideCupti = "/opgrade/lib/libcupti.so";

/// Fills `bytes` with floats of the usual size. The same few thousand repeat, because making fresh
/// ones for a full batch takes longer than the profile.
void fill(std::span<std::byte> bytes) {
  std::array<float, 1 << 12> pattern;
  std::mt19937_64 random(1);
  fill_random(pattern, random);
  const auto all = std::as_bytes(std::span(pattern));
  for (std::size_t at = 0; at < bytes.size(); at += all.size())
    std::ranges::copy(all.first(std::min(all.size(), bytes.size() - at)),
                      bytes.subspan(at).begin());
}

/// Makes one call. The emulated device gets the problem's own values, which may be array indices.
bool call_once(Session& session, const NamedProblem& one, Device device, const ProfiledCalls& how) {
  Problem& problem = *one.problem;
  CallTensors tensors = tensors_of(problem);
  if (device == Device::emulated) {
    std::mt19937_64 random(how.seed);
    problem.fill(tensors.values(), random);
    if (how.use_output) problem.begin(tensors.values());
    tensors.output().poison(1);
    problem.set_output(tensors.values(), false, 1);
  } else {
    for (std::size_t i = 1; i < tensors.buffers.size(); ++i) fill(tensors.buffers[i].bytes());
  }
  if (!session.map(tensors) || !session.call()) return false;
  if (how.use_output) how.use_output(one, tensors.values());
  return true;
}

}  // namespace

ProfilerFiles find_profiler(const fs::path& cuda_root, const fs::path& folder) {
  ProfilerFiles files;
  try {
    const auto collector = resources::helper_program("libopgrade_profiler.so");
    files.collector = folder / collector.filename();
    fs::copy_file(collector, files.collector);
  } catch (const Error&) {
    return {};  // built without CUPTI's headers
  }
  for (const char* place : {"lib64", "extras/CUPTI/lib64", "targets/x86_64-linux/lib"}) {
    const fs::path candidate = cuda_root / place / "libcupti.so";
    if (fs::exists(candidate)) {
      files.cupti = fs::canonical(candidate);
      break;
    }
  }
  return files;
}

void add_profiler(SandboxPolicy& policy, const ProfilerFiles& files) {
  if (files.collector.empty() || files.cupti.empty()) return;
  policy.mounts.push_back({files.collector, kInsideCollector});
  policy.mounts.push_back({files.cupti, kInsideCupti});
  policy.environment.push_back(std::string("OPGRADE_PROFILER=") + kInsideCollector);
}

bool call_problems(Session& session, const std::vector<NamedProblem>& problems, Device device,
                   const ProfiledCalls& how) {
  return std::ranges::all_of(
      problems, [&](const NamedProblem& one) { return call_once(session, one, device, how); });
}

ProfileReport profile_problems(Session& session, const std::vector<NamedProblem>& problems,
                               Device device, const CallTensors* last, const ProfiledCalls& how) {
  ProfileReport report;
  session.verdict_is_in();
  if (report.problem = session.profile_begin(); !report.problem.empty()) return report;
  std::vector<ProfiledLayer> layers;
  bool ended_early = false;
  for (const NamedProblem& one : problems) {
    const bool is_there = last != nullptr && &one == &problems.back();
    ended_early =
        is_there ? !(session.map(*last) && session.call()) : !call_once(session, one, device, how);
    if (ended_early) break;
    layers.push_back({one.name, one.problem->sizes(), one.problem->flops(), one.problem->bytes()});
  }
  std::string why;
  const auto record = session.profile_end(why);
  if (!record) {
    report.problem = why;
    return report;
  }
  report = tables_of(read_events(*record), layers);
  report.source = device == Device::emulated ? "the emulated device" : "CUPTI";
  if (ended_early && report.problem.empty())
    report.problem = "the submission's process ended while it was profiled";
  return report;
}

}  // namespace opgrade
