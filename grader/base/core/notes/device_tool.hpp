/// What happened to a tool that runs around the submission's process, such as Nsight Compute.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "grader/base/core/limit.hpp"
#include "grader/base/core/line_share.hpp"
#include "grader/base/core/notes/alternative.hpp"

namespace opgrade::notes {

// `stage` is empty if no other stage runs under the tool. `tool` is the tool's title.

struct ToolMissing {
  std::string stage{};
  std::string tool;
  std::string variable{};  ///< environment variable, if it names a program that does not exist
  std::string program{};   ///< the program that the variable names
  OPGRADE_NOTE(ToolMissing, tool_missing);
};
struct ToolNeedsGpu {
  std::string stage{};
  std::string tool;
  OPGRADE_NOTE(ToolNeedsGpu, tool_needs_gpu);
};
struct ToolNeedsNamespaces {
  std::string stage{};
  std::string tool;
  std::string tier;  ///< tier of the sandbox here
  OPGRADE_NOTE(ToolNeedsNamespaces, tool_needs_namespaces);
};
/// The driver does not let the submission's process read the GPU's counters.
struct CountersKept {
  std::string stage{};
  std::string tool;
  std::string words;   ///< why, and how to change that
  bool tried = false;  ///< the tool ran and was refused
  OPGRADE_NOTE(CountersKept, counters_kept);
};
/// The tool saw no launch of the kernel.
struct KernelNotLaunched {
  std::string stage{};
  std::string tool;
  std::string kernel;
  OPGRADE_NOTE(KernelNotLaunched, kernel_not_launched);
};
struct ToolWroteNothing {
  std::string stage{};
  std::string tool;
  std::string words;  ///< the last line that it printed, or empty
  OPGRADE_NOTE(ToolWroteNothing, tool_wrote_nothing);
};
/// The tool was stopped at the course's tool_time.
struct ToolTimedOut {
  std::string stage{};
  std::string tool;
  std::int64_t seconds = 0;
  OPGRADE_NOTE(ToolTimedOut, tool_timed_out);
};
struct ToolStopped {
  std::string stage{};
  std::string tool;
  std::optional<Limit> limit;
  OPGRADE_NOTE(ToolStopped, tool_stopped);
};
/// The tool's file is larger than the course's tool_file.
struct ToolFileTooLarge {
  std::string stage{};
  std::string tool;
  std::int64_t mib = 0;  ///< the largest size allowed
  OPGRADE_NOTE(ToolFileTooLarge, tool_file_too_large);
};
struct ToolFileNotKept {
  std::string stage{};
  std::string tool;
  std::string words;  ///< text of the grader's error
  OPGRADE_NOTE(ToolFileNotKept, tool_file_not_kept);
};
struct ToolFailed {
  std::string stage{};
  std::string tool;
  std::string words;  ///< text of the grader's error
  OPGRADE_NOTE(ToolFailed, tool_failed);
};
struct ToolWatched {
  std::string stage{};
  std::string tool;
  std::string call;       ///< sizes of the watched call
  std::string file;       ///< file that the tool wrote
  std::string watched{};  ///< the case whose layer was called; empty for the task's small sizes
  OPGRADE_NOTE(ToolWatched, tool_watched);
};
/// The source lines in which the tool's samples of a kernel lie.
struct ToolSamples {
  std::string stage{};
  std::string tool;
  std::string kernel;
  std::vector<LineShare> lines;
  std::string watched{};  ///< as in ToolWatched
  OPGRADE_NOTE(ToolSamples, tool_samples);
};

}  // namespace opgrade::notes
