/// How the times of a case were measured, if that is not the usual way.
#pragma once

#include <array>
#include <cstdint>

#include "grader/base/core/fields.hpp"
#include "grader/base/core/notes/alternative.hpp"

namespace opgrade::notes {

/// Timed calls whose process told a time that the grader's clock contradicts.
struct DisagreeingCalls {
  std::string layer;
  int count = 0, of = 0;
  std::string case_id{};
  OPGRADE_NOTE(DisagreeingCalls, disagreeing_calls);
};
/// Timed calls before which something else ran on the device.
struct BusyCalls {
  std::string layer;
  int count = 0, of = 0;
  std::string case_id{};
  OPGRADE_NOTE(BusyCalls, busy_calls);
};
/// Calls whose output still changed when the process had said that they were done.
struct LateCalls {
  std::string layer;
  int count = 0, of = 0;
  std::string case_id{};
  OPGRADE_NOTE(LateCalls, late_calls);
};

/// Why the grader cannot time calls with inputs on the device.
enum class NotOnDevice {
  accompanied,            ///< another process of the submission lives beside its calls
  output_not_opened,      ///< nor the input
  buffers_not_opened,     ///< of a task whose inputs the host makes
  no_referee_code,        ///< for the task's computation
  prolog_writes_output,   ///< before the timed call
  prolog_computes,        ///< all of the output
  prolog_works_on_input,  ///< so that fresh inputs do not reach the timed call
};
/// Calls of the case are timed with inputs in the host's memory.
struct TimedOnHost {
  NotOnDevice cause = NotOnDevice::accompanied;
  std::string operation{};  ///< "convolution"
  bool allowed = false;     ///< by the config: prolog and epilog do not count into Op Time
  std::string case_id{};
  OPGRADE_NOTE(TimedOnHost, timed_on_host);
};

/// Kernels outside the timed call, in a case that is right.
struct LaunchesOutside {
  std::int64_t launches = 0;
  double ms = 0;  ///< of all launches
  std::string operation;
  bool counted = false;  ///< into Op Time; otherwise the config allows them
  std::string case_id{};
  OPGRADE_NOTE(LaunchesOutside, launches_outside);
};
struct LaunchesUnknown {
  std::string operation;
  std::string words;  ///< why they could not be recorded
  std::string case_id{};
  OPGRADE_NOTE(LaunchesUnknown, launches_unknown);
};

/// Each call had a process of its own, because calls leave memory behind.
struct LeakedMemory {
  std::int64_t bytes = 0;  ///< of each call
  bool on_device = false;
  std::string case_id{};
  OPGRADE_NOTE(LeakedMemory, leaked_memory);
};

inline constexpr std::array<std::string_view, 7> kNotOnDeviceNames{
    "accompanied",          "output_not_opened", "buffers_not_opened",   "no_referee_code",
    "prolog_writes_output", "prolog_computes",   "prolog_works_on_input"};
constexpr EnumNames enum_names(NotOnDevice) {
  return {"a cause of times on the host", kNotOnDeviceNames};
}

}  // namespace opgrade::notes
