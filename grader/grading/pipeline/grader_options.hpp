/// Options of a grader.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "grader/base/core/device.hpp"
#include "grader/base/core/events.hpp"
#include "grader/base/core/grade.hpp"
#include "grader/grading/profile/device_tool.hpp"
#include "grader/task/config/case_rules.hpp"

namespace opgrade {

struct GraderOptions {
  std::optional<Device> gpu_device;   ///< where cuda stages run; absent: the machine finds out
  std::set<std::string> only;         ///< see Selection
  std::optional<std::uint64_t> seed;  ///< of the random cases; absent: drawn
  bool for_class = false;             ///< by staff: no student's report has the seed, or a path of
                                      ///< this machine
  bool unsafe = false;                ///< grade although there is no sandbox
  int parallel_runs = 1;              ///< parallel submissions
  bool whole_class = false;           ///< many submissions: what their builds share is made once
  bool profile = false;               ///< of each stage's largest case on a device; the smallest
                                      ///< where the device is emulated
  bool counts = false;                ///< count accesses in that case of an emulated device
  bool self_check = false;            ///< for the submission's author: lines of mistakes before all
                                      ///< else, and one time limit for an endless loop
  bool sanitize = false;              ///< run cuda stages under compute-sanitizer too
  ToolWish tool = {};                 ///< runs around a GPU stage's process; or none
  std::int64_t tool_file_bytes = kToolFileBytes;  ///< a larger file of the tool is not kept
  /// The limit for all that a tool runs for a stage, after the cases. Absent: kToolTime for a tool
  /// that runs around a process; the limits of a run for each part of compute-sanitizer.
  std::optional<std::chrono::seconds> tool_time{};
  /// The most timed calls of a case, if its config asks for more: for a run that decides nothing.
  /// Absent: no bound.
  std::optional<int> most_timed_calls{};
  /// Gets the file that the tool wrote, before the grade is finished. May be empty.
  std::function<void(const ToolFile&)> keep_tool_file{};
  std::filesystem::path data_folder;
  std::string config_argument;  ///< how the config was named, for the commands in reports
  /// The last time when a submission may have been changed, if several are graded with the same
  /// task, here or by other processes. See SetCache.
  std::optional<std::chrono::system_clock::time_point> handed_in;
  Listener listen = [](const Event&) {};
  /// Gets, after each case, a report of the cases finished so far, from which an interrupted
  /// grading continues. May be empty.
  std::function<void(const Grade&)> keep_finished{};
};

/// When a submission is graded.
enum class GradedAt {
  hand_in,   ///< without the cases that run at the deadline
  deadline,  ///< by staff, or when nothing more can be handed in: with all cases
};

/// True for a case that runs only at the deadline, if the submission is graded before.
inline bool waits_for_deadline(GradedAt at, const Case& c) {
  return at == GradedAt::hand_in && weight_of(c).run == RunWhen::at_deadline;
}

}  // namespace opgrade
