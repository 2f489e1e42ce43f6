#include "grader/grading/cases/rerun/tool_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fd.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/build/compile_command.hpp"
#include "grader/grading/build/compiler_view.hpp"
#include "grader/grading/build/limits.hpp"
#include "grader/grading/run/runtime_view.hpp"
#include "grader/platform/harness/protocol.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInsideHarness = "/opgrade/opgrade-harness";
constexpr const char* kInsideSubmission = "/opgrade/submission.so";
/// Lies on the sandbox's own file system, which ends with the sandbox.
constexpr const char* kToolOutput = "/tmp/opgrade-tool";
constexpr int kFileFd = 10;
/// The tool saves device memory on the host before it reruns a kernel, and has a part of its own in
/// the process.
constexpr std::int64_t kToolMemory = std::int64_t{4} << 30;
constexpr int kToolProcesses = 256;
/// Nsight Systems writes its trace before it makes the file of it.
constexpr std::int64_t kRoomForTrace = std::int64_t{16} << 20;
constexpr const char* kInsideReport = "/opgrade/report.ncu-rep";
constexpr std::chrono::seconds kLongestReading{20};
/// A page has some hundred bytes for each instruction.
constexpr std::int64_t kLongestPage = std::int64_t{8} << 20;

Fd empty_file() {
  Fd file(::memfd_create("opgrade-tool-file", MFD_CLOEXEC));
  if (!file) throw Error(fmt::format("memfd_create: {}", std::strerror(errno)));
  return file;
}

/// The first `most` bytes, as a copy that the submission can no longer change.
std::string written_bytes(const Fd& file, std::int64_t most) {
  std::string bytes;
  std::string piece(1 << 16, '\0');
  while (static_cast<std::int64_t>(bytes.size()) < most) {
    const ssize_t got =
        ::pread(file.get(), piece.data(), piece.size(), static_cast<off_t>(bytes.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    bytes.append(piece, 0, static_cast<std::size_t>(got));
  }
  return bytes;
}

/// Adds from the view of a submission's process what the system's view does not show. The system's
/// view has the dynamic loader, and bubblewrap can mount nothing in place of the link to it.
void add_unseen(SandboxPolicy& policy, Device device, const std::vector<std::string>& uuids) {
  SandboxPolicy runtime;
  add_runtime_view(runtime, device, uuids);
  const auto shows = [](const Mount& mount, const fs::path& path) {
    return std::ranges::mismatch(mount.inside, path).in1 == mount.inside.end();
  };
  const std::vector<Mount> system = policy.mounts;
  for (Mount& mount : runtime.mounts)
    if (std::ranges::none_of(system, [&](const Mount& one) { return shows(one, mount.inside); }))
      policy.mounts.push_back(std::move(mount));
  policy.environment = std::move(runtime.environment);
  policy.environment.emplace_back("PATH=/usr/bin:/bin");
}

}  // namespace

SandboxPolicy policy_under_tool(const CaseContext& context, const fs::path& folder) {
  SandboxPolicy policy;
  // The tool is a program of the machine and wants the system's libraries, as a compiler does.
  add_system_view(policy);
  add_unseen(policy, context.stage.device, context.on.uuids());
  for (const auto& library : context.stage.libraries) add_library(policy, library);
  policy.mounts.push_back({folder, kInsideTool});
  policy.mounts.push_back({context.stage.harness, kInsideHarness});
  policy.mounts.push_back({context.built.submission, kInsideSubmission});
  set_limits(policy, context.stage.config.run_limits);
  policy.kept_output_bytes = policy.output_bytes;
  return policy;
}

std::vector<std::string> lone_call(const Problem& problem) {
  std::vector<std::int64_t> sizes;
  std::vector<std::size_t> bytes;
  for (const auto& size : problem.sizes()) sizes.push_back(size.value);
  for (const auto& buffer : problem.buffers()) bytes.push_back(buffer.size().bytes());
  return {kInsideHarness, kInsideSubmission, fmt::format("{}", fmt::join(sizes, ",")),
          fmt::format("{}", fmt::join(bytes, ","))};
}

namespace {

ToolRun failed(Note problem) { return {std::nullopt, std::move(problem)}; }

std::string program_inside(const FoundTool& found) {
  return (kInsideTool / found.program.lexically_relative(found.folder)).string();
}

/// The policy of a process that the tool's program starts with, whatever it is to do.
SandboxPolicy policy_of(const CaseContext& context, const ToolJob& job) {
  SandboxPolicy policy = policy_under_tool(context, job.found.folder);
  policy.mounts.push_back({job.sources, kSources});
  policy.watcher_bytes = kToolMemory;
  policy.processes = std::max(policy.processes, kToolProcesses);
  policy.loopback = true;  // the tool's parts talk to each other
  return policy;
}

}  // namespace

std::vector<LineShare> lines_in(const CaseContext& context, const ToolJob& job,
                                const std::string& bytes, std::chrono::seconds most) {
  const auto command =
      source_page_command(*job.wish.tool, program_inside(job.found), kInsideReport);
  if (command.empty() || most.count() < 1) return {};
  const TempDir place("opgrade-tool-");
  const fs::path report = place.path() / "report";
  if (!(std::ofstream(report, std::ios::binary) << bytes).flush()) return {};
  fs::permissions(place.path(), fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add);
  SandboxPolicy policy = policy_of(context, job);
  policy.mounts.push_back({report, kInsideReport});
  policy.wall = std::min(most, kLongestReading);
  policy.output_bytes = policy.kept_output_bytes = kLongestPage;
  const SandboxReport run = context.stage.sandbox.run(policy, command);
  if (run.limit) return {};
  return read_line_shares(run.process.standard_output, kSources);
}

ToolRun run_under_tool(const CaseContext& context, const ToolJob& job) {
  const DeviceTool& tool = *job.wish.tool;
  const std::int64_t longest = job.limits.file_bytes;
  const std::string title(tool.title);
  const SandboxSupport& support = context.stage.sandbox.support();
  if (support.tier != SandboxTier::full && support.tier != SandboxTier::no_cgroup)
    return failed(
        notes::ToolNeedsNamespaces{.tool = title, .tier = std::string(name_of(support.tier))});
  SandboxPolicy policy = policy_of(context, job);
  policy.wall = job.limits.time;
  policy.cpu = std::max<std::chrono::seconds>(policy.cpu, job.limits.time);
  policy.file_bytes = 2 * longest + kRoomForTrace;
  std::vector<std::string> command{kInsideHarness, protocol::kUnderTool, fmt::format("{}", kFileFd),
                                   fmt::format("{}", longest),
                                   fmt::format("{}{}", kToolOutput, tool.ending)};
  const auto call = tool.command({.program = program_inside(job.found),
                                  .output = kToolOutput,
                                  .kernel = job.wish.kernel,
                                  .target = lone_call(job.problem)});
  command.insert(command.end(), call.begin(), call.end());
  const Fd file = empty_file();
  const SandboxReport run =
      context.stage.sandbox.start(policy, command, {{file.get(), kFileFd}}).finish();
  if (run.limit && run.limit->kind == Limit::Kind::wall_time)
    return failed(notes::ToolTimedOut{.tool = title, .seconds = job.limits.time.count()});
  if (run.limit) return failed(notes::ToolStopped{.tool = title, .limit = run.limit});
  std::string bytes = written_bytes(file, longest + 1);
  if (static_cast<std::int64_t>(bytes.size()) > longest)
    return failed(notes::ToolFileTooLarge{.tool = title, .mib = longest >> 20});
  if (bytes.empty())
    return failed(
        tool_complaint(job.wish, run.process.standard_output + run.process.standard_error));
  return {ToolFile{job.file_name, std::move(bytes)}};
}

}  // namespace opgrade
