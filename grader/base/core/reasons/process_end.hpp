/// How the submission's process ended, if the grader did not end it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "grader/base/core/fields.hpp"
#include "grader/base/core/finding.hpp"
#include "grader/base/core/limit.hpp"
#include "grader/base/core/reasons/alternative.hpp"

namespace opgrade::why {

/// What the process was doing.
enum class Step { loading, start, prolog, call, epilog, end };

struct Ending {
  Step step = Step::loading;
  bool spoiled = false;              ///< the submission wrote into the grader's channel
  std::string operation{};           ///< what a call computes: "convolution"
  std::string words{};               ///< last words of the library, the driver or the submission
  bool no_memory = false;            ///< `words` report a failed allocation
  bool after_right_call = false;     ///< an earlier call of that layer or shape was right
  std::optional<Finding> finding{};  ///< of the emulated device, before the end: the likely cause
  bool sanitizer_helps = false;      ///< a sanitizer of `opgrade check` can explain this crash
  std::int64_t held_bytes = 0;       ///< set if the process crashed with almost all memory used
  std::int64_t allowed_bytes = 0;    ///< its limit of memory; set with held_bytes
  bool operator==(const Ending&) const = default;
};

struct StoppedAtLimit {
  Ending ending;
  std::optional<Limit> limit{};
  double computed_s = 0;  ///< CPU time until the limit, on all cores
  double elapsed_s = 0;   ///< wall time until the limit
  OPGRADE_REASON(StoppedAtLimit, stopped_at_limit);
};
struct ThreadsRefused {
  Ending ending;
  std::optional<Limit> limit{};
  OPGRADE_REASON(ThreadsRefused, threads_refused);
};
struct DoesNotLoad {
  Ending ending;
  OPGRADE_REASON(DoesNotLoad, does_not_load);
};
struct Threw {
  Ending ending;
  OPGRADE_REASON(Threw, threw);
};
struct DeviceError {
  Ending ending;
  bool emulated = false;  ///< on the emulated device
  OPGRADE_REASON(DeviceError, device_error);
};
struct BrokeOff {
  Ending ending;
  OPGRADE_REASON(BrokeOff, broke_off);
};
struct ClosedChannel {
  Ending ending;
  OPGRADE_REASON(ClosedChannel, closed_channel);
};
struct Crashed {
  Ending ending;
  int signal = 0;
  std::string
      buffers{};  ///< of the task, if an invalid address is likely in one of them: "x, k or y"
  OPGRADE_REASON(Crashed, crashed);
};
struct Exited {
  Ending ending;
  int exit_code = 0;
  bool printed = false;  ///< it printed something before it exited
  OPGRADE_REASON(Exited, exited);
};
/// The channel of the emulated device's findings was closed.
struct FindingsMissing {
  OPGRADE_REASON(FindingsMissing, findings_missing);
};

inline constexpr std::array<std::string_view, 6> kStepNames{"loading", "start",  "prolog",
                                                            "call",    "epilog", "end"};
constexpr EnumNames enum_names(Step) { return {"a step", kStepNames}; }

}  // namespace opgrade::why
