/// The tools under which a student may run a submission, as one table: course.yaml, command lines,
/// the service, the doctor and the runs all read its rows.
///
/// A tool that runs around the submission's process is a program of the machine. It starts the
/// harness in the sandbox, watches it and writes one file. Names, command lines and complaints of
/// these programs stand in device_tool.cpp alone.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/device.hpp"
#include "grader/base/core/note.hpp"

namespace opgrade {

/// One command line of a tool that runs around a process.
struct ToolCall {
  std::string program;              ///< the tool's, as the sandbox shows it
  std::string output;               ///< of its file, without the ending
  std::string kernel;               ///< the only one to look at; empty for a tool that takes none
  std::vector<std::string> target;  ///< what it starts
};

struct DeviceTool {
  std::string_view name;    ///< in course.yaml and in requests: "ncu"
  std::string_view title;   ///< "Nsight Compute"
  std::string_view option;  ///< of submit: "--ncu"
  bool takes_kernel = false;
  bool needs_gpu = false;       ///< otherwise the emulated device has an answer, too
  bool reads_counters = false;  ///< the driver can keep them from users
  /// The following are of a tool that runs around the process and writes a file; empty for others.
  std::string_view ending{};    ///< ".ncu-rep"
  std::string_view variable{};  ///< of the environment, names the program: "OPGRADE_NCU"
  std::vector<std::string> (*command)(const ToolCall&) = nullptr;

  bool runs_around() const { return command != nullptr; }
  /// False for the profiler, which watches the cases themselves.
  bool comes_after_cases() const { return name != "profile"; }
};

std::span<const DeviceTool> device_tools();
/// Null for a name that is no tool's.
const DeviceTool* device_tool(std::string_view name);
std::vector<std::string_view> device_tool_names();

/// The time of a tool's own run, unless the course sets another one: it cannot go on where it was
/// interrupted.
inline constexpr std::chrono::seconds kToolTime{60};

/// A tool, and the kernel that it watches. As text "profile" or "ncu:conv_forward_kernel".
struct ToolWish {
  const DeviceTool* tool = nullptr;  ///< null: no tool
  std::string kernel;

  std::string text() const;
  /// For people: "Nsight Compute, conv_forward_kernel"; empty for no tool.
  std::string title() const;
};

/// Empty text: no tool. Nothing for a text that no `ToolWish` has: another tool, a kernel that is
/// no C++ name, a kernel for a tool that takes none.
std::optional<ToolWish> read_tool_wish(std::string_view text);

/// True for the name of a kernel as a source has it: it goes into a command line.
bool is_kernel_name(std::string_view text);

/// The program of a tool on this machine.
struct FoundTool {
  std::filesystem::path program;
  std::filesystem::path folder;  ///< with all that the program needs
  bool named = false;            ///< by the tool's variable, so on any device
};

/// By the tool's variable, else in the toolkit, in the vendor's folders, on PATH; the newest first.
/// `root` is the machine's, for tests.
std::optional<FoundTool> find_tool(const DeviceTool& tool,
                                   const std::optional<std::filesystem::path>& cuda_root,
                                   const std::filesystem::path& root = "/");

/// Why a submission's process may not read the GPU's counters, with the remedy; empty if it may.
std::string counters_restricted(const std::filesystem::path& root = "/");

/// Why this machine cannot run a tool on this device, if it cannot.
std::optional<Note> why_unusable(const DeviceTool& tool, const std::optional<FoundTool>& found,
                                 Device device, const std::filesystem::path& root = "/");

/// Why a tool wrote no file, by its own words: counters that it may not read, a kernel that did not
/// run. Else its last line. They come from the submission's process and are for reading alone.
Note tool_complaint(const ToolWish& wish, std::string_view output);

/// A file that a tool wrote.
struct ToolFile {
  std::string name;  ///< "profile.ncu-rep"; of several stages "profile-gpu.ncu-rep"
  std::string bytes;
};

/// The largest one, unless the course sets another size.
inline constexpr std::int64_t kToolFileBytes = std::int64_t{32} << 20;
/// The largest size that a course may set: no answer of the service is larger.
inline constexpr std::int64_t kLargestToolFile = std::int64_t{256} << 20;

/// ToolFile::name for each of the stages that run under the tool, in their order. If there are
/// several, a name has its stage's with "_" for what cannot stand in an address and in a header.
std::vector<std::string> tool_file_names(const DeviceTool& tool,
                                         const std::vector<std::string>& stages);
/// True for the name of a tool's file, of whatever stage.
bool is_tool_file_name(std::string_view name);

}  // namespace opgrade
