/// How the times of a case were measured, if not in the usual way.
#pragma once

#include <array>
#include <cstdint>

#include "grader/base/core/fields.hpp"
#include "grader/base/core/notes/alternative.hpp"

namespace opgrade::notes {

/// Timed calls whose process reported a time that contradicts the grader's clock.
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
/// Calls whose output still changed after the process had reported their end.
struct LateCalls {
  std::string layer;
  int count = 0, of = 0;
  std::string case_id{};
  OPGRADE_NOTE(LateCalls, late_calls);
};

/// Why the grader cannot time calls with inputs on the device.
enum class NotOnDevice {
  accompanied,            ///< another process of the submission exists during its calls
  output_not_opened,      ///< neither the output nor the input could be opened
  buffers_not_opened,     ///< of a task whose inputs the host makes
  no_referee_code,        ///< the referee has no code for the task's computation
  prolog_writes_output,   ///< the prolog writes to the output before the timed call
  prolog_computes,        ///< the prolog computes the whole output
  prolog_works_on_input,  ///< fresh inputs do not reach the timed call
};
/// Calls of the case are timed with inputs in the host's memory.
struct TimedOnHost {
  NotOnDevice cause = NotOnDevice::accompanied;
  std::string operation{};  ///< "convolution"
  bool allowed = false;     ///< the config allows it: prolog and epilog do not count into Op Time
  std::string case_id{};
  OPGRADE_NOTE(TimedOnHost, timed_on_host);
};

/// Kernels ran outside the timed call of a right case.
struct LaunchesOutside {
  std::int64_t launches = 0;
  double ms = 0;  ///< of all launches
  std::string operation;
  bool counted = false;  ///< true: counted into Op Time; false: the config allows them
  std::string case_id{};
  OPGRADE_NOTE(LaunchesOutside, launches_outside);
};
struct LaunchesUnknown {
  std::string operation;
  std::string words;  ///< why they could not be recorded
  std::string case_id{};
  OPGRADE_NOTE(LaunchesUnknown, launches_unknown);
};

/// Each call had a process of its own, because calls leak memory.
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
