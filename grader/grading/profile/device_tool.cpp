#include "grader/grading/profile/device_tool.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "grader/base/core/printable.hpp"
#include "grader/grading/profile/line_shares.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> with_target(std::vector<std::string> command, const ToolCall& call) {
  command.insert(command.end(), call.target.begin(), call.target.end());
  return command;
}

/// The clocks stay as they are, because setting them needs root. Only the target is watched, so a
/// process that it forks does not hold the tool. Two launches are watched, because the second may
/// differ from the first, and more of them take too long.
std::vector<std::string> ncu_command(const ToolCall& call) {
  return with_target(
      {call.program, "--force-overwrite", "--export", call.output, "--clock-control", "none",
       "--target-processes", "application-only", "--set", "full", "--import-source", "yes",
       "--kernel-name-base", "function", "--kernel-name", call.kernel, "--launch-count", "2"},
      call);
}

/// Samples of the CPU need perf_event_open(2), which the sandbox does not allow.
std::vector<std::string> nsys_command(const ToolCall& call) {
  return with_target(
      {call.program, "profile", "--force-overwrite=true", "--output=" + call.output,
       "--trace=cuda,nvtx", "--sample=none", "--cpuctxsw=none", "--wait=primary", "--stats=false"},
      call);
}

constexpr std::array kTools{
    DeviceTool{.name = "profile", .title = "the profiler", .option = "--profile"},
    DeviceTool{.name = "sanitizer",
               .title = "compute-sanitizer",
               .option = "--sanitize",
               .needs_gpu = true},
    DeviceTool{.name = "ncu",
               .title = "Nsight Compute",
               .option = "--ncu",
               .takes_kernel = true,
               .needs_gpu = true,
               .reads_counters = true,
               .ending = ".ncu-rep",
               .variable = "OPGRADE_NCU",
               .command = ncu_command},
    DeviceTool{.name = "nsys",
               .title = "Nsight Systems",
               .option = "--nsys",
               .needs_gpu = true,
               .ending = ".nsys-rep",
               .variable = "OPGRADE_NSYS",
               .command = nsys_command},
};

constexpr std::string_view kToolFileStem = "profile";

bool is_program(const fs::path& path) {
  std::error_code closed;
  return fs::is_regular_file(path, closed) && ::access(path.c_str(), X_OK) == 0;
}

/// The folders of an installation that may have the program: nsight-compute-2025.3.0 and its like,
/// the newest first.
std::vector<fs::path> versions_in(const fs::path& parent, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(parent, missing))
    if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
  std::ranges::sort(found, [](const fs::path& a, const fs::path& b) {
    return ::strverscmp(a.c_str(), b.c_str()) > 0;
  });
  return found;
}

/// In an installation the program lies at its top (ncu) or below a folder (bin/nsys).
std::optional<FoundTool> in_installation(const fs::path& folder, const DeviceTool& tool) {
  for (const fs::path& program :
       {folder / tool.name, folder / "bin" / tool.name, folder / "target-linux-x64" / tool.name}) {
    std::error_code broken;
    const fs::path real = fs::canonical(program, broken);
    if (!broken && is_program(real)) return FoundTool{real, fs::canonical(folder, broken)};
  }
  return std::nullopt;
}

std::string last_line(std::string_view output) {
  std::istringstream lines{std::string(output)};
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_not_of(" \t\r") != line.npos) last = line;
  return printable_line(last, 200);
}

bool stands_in_file_name(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || character == '-' || character == '_' ||
         character == '.';
}

}  // namespace

std::span<const DeviceTool> device_tools() { return kTools; }

const DeviceTool* device_tool(std::string_view name) {
  const auto found = std::ranges::find(kTools, name, &DeviceTool::name);
  return found == kTools.end() ? nullptr : &*found;
}

std::vector<std::string_view> device_tool_names() {
  std::vector<std::string_view> names;
  for (const DeviceTool& tool : kTools) names.push_back(tool.name);
  return names;
}

std::string ToolWish::text() const {
  if (tool == nullptr) return "";
  return kernel.empty() ? std::string(tool->name) : fmt::format("{}:{}", tool->name, kernel);
}

std::string ToolWish::title() const {
  if (tool == nullptr) return "";
  return kernel.empty() ? std::string(tool->title) : fmt::format("{}, {}", tool->title, kernel);
}

bool is_kernel_name(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && text.size() <= kLongest &&
         std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, fits);
}

std::optional<ToolWish> read_tool_wish(std::string_view text) {
  if (text.empty()) return ToolWish{};
  const auto colon = text.find(':');
  const DeviceTool* const tool = device_tool(text.substr(0, colon));
  if (tool == nullptr || tool->takes_kernel != (colon != text.npos)) return std::nullopt;
  ToolWish wish{tool, colon == text.npos ? "" : std::string(text.substr(colon + 1))};
  if (tool->takes_kernel && !is_kernel_name(wish.kernel)) return std::nullopt;
  return wish;
}

std::optional<FoundTool> find_tool(const DeviceTool& tool, const std::optional<fs::path>& cuda_root,
                                   const fs::path& root) {
  if (!tool.runs_around()) return std::nullopt;
  if (const char* const named = std::getenv(std::string(tool.variable).c_str());
      named != nullptr && *named != '\0') {
    std::error_code broken;
    const fs::path real = fs::canonical(named, broken);
    if (broken || !is_program(real)) return std::nullopt;
    return FoundTool{real, real.parent_path(), true};
  }
  const std::string folder = tool.name == "ncu" ? "nsight-compute" : "nsight-systems";
  std::vector<fs::path> installations;
  const auto add = [&](std::vector<fs::path> more) {
    installations.insert(installations.end(), more.begin(), more.end());
  };
  if (cuda_root) add(versions_in(*cuda_root, folder));
  add(versions_in(root / "opt/nvidia" / folder, "2"));
  add({root / "usr/lib" / folder});
  for (const fs::path& toolkit : versions_in(root / "usr/local", "cuda-"))
    add(versions_in(toolkit, folder));
  for (const fs::path& one : installations)
    if (auto found = in_installation(one, tool)) return found;
  return std::nullopt;
}

std::string counters_restricted(const fs::path& root) {
  std::ifstream parameters(root / "proc/driver/nvidia/params");
  for (std::string line; std::getline(parameters, line);)
    if (line.starts_with("RmProfilingAdminOnly:") && line.ends_with(" 1"))
      return "the NVIDIA driver lets only administrators (CAP_SYS_ADMIN) read the GPU's counters, "
             "and a submission is none. Write 'options nvidia "
             "NVreg_RestrictProfilingToAdminUsers=0' into /etc/modprobe.d/nvidia-profiling.conf, "
             "run update-initramfs -u, and restart the machine";
  return "";
}

std::optional<Note> why_unusable(const DeviceTool& tool, const std::optional<FoundTool>& found,
                                 Device device, const fs::path& root) {
  const std::string title(tool.title);
  const char* const named = std::getenv(std::string(tool.variable).c_str());
  if (!found && named != nullptr && *named != '\0')
    return notes::ToolMissing{.tool = title,
                              .variable = std::string(tool.variable),
                              .program = printable_line(named, 200)};
  if (device == Device::emulated && !(found && found->named))
    return notes::ToolNeedsGpu{.tool = title};
  if (!found) return notes::ToolMissing{.tool = title};
  if (device == Device::cuda && tool.reads_counters)
    if (const std::string why = counters_restricted(root); !why.empty())
      return notes::CountersKept{.tool = title, .words = why};
  return std::nullopt;
}

Note tool_complaint(const ToolWish& wish, std::string_view output) {
  const std::string title(wish.tool->title);
  if (output.find("ERR_NVGPUCTRPERM") != output.npos) {
    std::string why = counters_restricted();
    if (why.empty())
      why =
          "the NVIDIA driver keeps the GPU's counters from this process; staff set "
          "NVreg_RestrictProfilingToAdminUsers=0, see opgrade doctor";
    return notes::CountersKept{.tool = title, .words = why, .tried = true};
  }
  if (output.find("No kernels were profiled") != output.npos)
    return notes::KernelNotLaunched{.tool = title, .kernel = wish.kernel};
  return notes::ToolWroteNothing{.tool = title, .words = last_line(output)};
}

std::vector<std::string> source_page_command(const DeviceTool& tool, const std::string& program,
                                             const std::string& report) {
  if (tool.command != ncu_command) return {};
  return {program, "--import", report, "--page", "source", "--print-source", "cuda,sass", "--csv"};
}

std::vector<std::string> tool_file_names(const DeviceTool& tool,
                                         const std::vector<std::string>& stages) {
  std::vector<std::string> names;
  for (const std::string& stage : stages) {
    std::string part = stages.size() > 1 ? "-" + stage : "";
    for (char& character : part)
      if (!stands_in_file_name(character)) character = '_';
    const auto named = [&] { return fmt::format("{}{}{}", kToolFileStem, part, tool.ending); };
    while (std::ranges::find(names, named()) != names.end()) part += '_';
    names.push_back(named());
  }
  return names;
}

bool is_tool_file_name(std::string_view name) {
  if (!name.starts_with(kToolFileStem)) return false;
  name.remove_prefix(kToolFileStem.size());
  return std::ranges::any_of(kTools, [&](const DeviceTool& tool) {
    if (!tool.runs_around() || !name.ends_with(tool.ending)) return false;
    const std::string_view stage = name.substr(0, name.size() - tool.ending.size());
    return stage.empty() ||
           (stage.starts_with('-') && std::ranges::all_of(stage, stands_in_file_name));
  });
}

}  // namespace opgrade
