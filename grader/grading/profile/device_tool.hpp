/// The tools under which a student may run a submission, as one table: course.yaml, command lines,
/// the service, the doctor and the runs all read its rows.
///
/// A tool that runs around the submission's process is a program of the machine. It starts the
/// harness in the sandbox, watches it and writes one file. Only device_tool.cpp has the names,
/// command lines and complaints of these programs.
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
  /// The following are set for a tool that runs around the process and writes a file; empty for
  /// others.
  std::string_view ending{};    ///< ".ncu-rep"
  std::string_view variable{};  ///< the environment variable that names the program: "OPGRADE_NCU"
  std::vector<std::string> (*command)(const ToolCall&) = nullptr;

  bool runs_around() const { return command != nullptr; }
  /// False for the profiler, which watches the cases themselves.
  bool comes_after_cases() const { return name != "profile"; }
};

std::span<const DeviceTool> device_tools();
/// Null if no tool has this name.
const DeviceTool* device_tool(std::string_view name);
std::vector<std::string_view> device_tool_names();

/// The time of a tool's own run, unless the course sets another one, because an interrupted run
/// cannot be continued.
inline constexpr std::chrono::seconds kToolTime{60};

/// A tool, and the kernel that it watches. As text "profile" or "ncu:conv_forward_kernel".
struct ToolWish {
  const DeviceTool* tool = nullptr;  ///< null: no tool
  std::string kernel;

  std::string text() const;
  /// For people: "Nsight Compute, conv_forward_kernel"; empty for no tool.
  std::string title() const;
};

/// An empty text means no tool. Returns nullopt for a text that no `ToolWish` has: another tool, a
/// kernel that is no C++ name, a kernel for a tool that takes none.
std::optional<ToolWish> read_tool_wish(std::string_view text);

/// True for the name of a kernel as a source has it, because the name goes into a command line.
bool is_kernel_name(std::string_view text);

/// The program of a tool on this machine.
struct FoundTool {
  std::filesystem::path program;
  std::filesystem::path folder;  ///< with all that the program needs
  bool named = false;            ///< named by the tool's variable, so on any device
};

/// Looks for the tool by its variable, else in the toolkit, in the vendor's folders, on PATH; the
/// newest first. `root` is the machine's, for tests.
std::optional<FoundTool> find_tool(const DeviceTool& tool,
                                   const std::optional<std::filesystem::path>& cuda_root,
                                   const std::filesystem::path& root = "/");

/// Why a submission's process may not read the GPU's counters, with the remedy; empty if it may.
std::string counters_restricted(const std::filesystem::path& root = "/");

/// Why this machine cannot run a tool on this device; nullopt if it can.
std::optional<Note> why_unusable(const DeviceTool& tool, const std::optional<FoundTool>& found,
                                 Device device, const std::filesystem::path& root = "/");

/// Why a tool wrote no file, by its own words: counters that it may not read, a kernel that did not
/// run; else its last line. The words come from the submission's process and are for reading alone.
Note tool_complaint(const ToolWish& wish, std::string_view output);

/// A file that a tool wrote.
struct ToolFile {
  std::string name;  ///< "profile.ncu-rep"; of several stages "profile-gpu.ncu-rep"
  std::string bytes;
};

/// The largest file that is kept, unless the course sets another size.
inline constexpr std::int64_t kToolFileBytes = std::int64_t{32} << 20;
/// The largest size that a course may set: no answer of the service is larger.
inline constexpr std::int64_t kLargestToolFile = std::int64_t{256} << 20;

/// ToolFile::name for each of the stages that run under the tool, in their order. If there are
/// several, each name has its stage's, with "_" for characters that an address or a header cannot
/// have.
std::vector<std::string> tool_file_names(const DeviceTool& tool,
                                         const std::vector<std::string>& stages);
/// True for the name of a tool's file, of whatever stage.
bool is_tool_file_name(std::string_view name);

}  // namespace opgrade
