/// The device's events and CUDA API calls while a submission was called, one by one.
///
/// The harness writes them as text, one event a line (see read_events). The reader must stand any
/// bytes, because a submission's process wrote them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/profile.hpp"

namespace opgrade {

enum class ProfileStep { prolog, call, epilog };

/// A step of a call, by the clock that the other events use.
struct StepEvent {
  ProfileStep step{};
  int layer = 0;  ///< counted from 0
  std::int64_t begin = 0, end = 0;
  std::uint32_t thread = 0;  ///< the harness's own
};

struct KernelEvent : ProfileLaunch {
  std::int64_t start = 0, end = 0;
  std::uint32_t correlation = 0;  ///< equal to that of the API call that launched it
};

struct CallEvent {
  std::int64_t start = 0, end = 0;
  std::uint32_t thread = 0;
  std::uint32_t correlation = 0;
  bool driver = false;  ///< of the driver API; the runtime API makes such calls itself
  std::string name;
};

/// A copy, or a fill if `from` is empty.
struct MemoryEvent {
  std::int64_t start = 0, end = 0;
  std::uint32_t correlation = 0;
  std::int64_t bytes = 0;
  std::string from, to;  ///< kinds of memory: "pageable", "pinned", "device", ...
};

/// Launches that were counted and not timed, on the emulated device.
struct CountEvent : ProfileLaunch {
  std::int64_t count = 0;
  ProfileStep step{};
  int layer = 0;
  bool in_step = false;
  ProfileCountRow did;  ///< without a name, a step and sizes; no threads if nothing was counted
};

/// The device's limits; zeros if they are unknown.
struct DeviceLimits {
  int multiprocessors = 0;
  int warps = 0, blocks = 0;                     ///< at most on one multiprocessor
  std::int64_t shared_bytes = 0, registers = 0;  ///< of one multiprocessor
  int major = 0, minor = 0;                      ///< compute capability
  std::string name;
};

struct ProfileEvents {
  DeviceLimits device;
  std::vector<StepEvent> steps;
  std::vector<KernelEvent> kernels;
  std::vector<CallEvent> calls;
  std::vector<MemoryEvent> memory;
  std::vector<CountEvent> counts;
  std::int64_t lost = 0;  ///< records that the collector had to drop
  std::string problem;    ///< what is wrong with the text; the part before that was read
};

/// Reads the harness's text. Fields are separated by one space, the name comes last:
///
///     opgrade-profile 1
///     device MULTIPROCESSORS WARPS BLOCKS SHARED REGISTERS MAJOR MINOR NAME
///     step prolog|conv|epilog LAYER BEGIN END THREAD
///     kernel START END CORRELATION GX GY GZ BX BY BZ REGISTERS STATIC DYNAMIC LOCAL NAME
///     call START END THREAD CORRELATION runtime|driver NAME
///     copy START END CORRELATION BYTES FROM TO
///     fill START END CORRELATION BYTES
///     count N prolog|conv|epilog|none LAYER GX GY GZ BX BY BZ STATIC DYNAMIC NAME
///     did FADD FMUL FFMA FDIV DADD DMUL DFMA DDIV BARRIERS SHUFFLES VOTES FRAGMENTS THREADS IDLE
///     SAME array BYTES LOADS OF_BLOCKS OF_GRIDS access global|shared|constant load|store|atomic
///     LINE ARRAY REQUESTS LANES BYTES SECTORS
///            LEAST WAVEFRONTS LEAST CROWD EXCHANGED SITE FILE
///     uncounted LINE FILE
///     lost N
///     end
///
/// `did`, `array` and `access` belong to the count before them; an access is one line. Never
/// throws: whatever does not fit becomes `problem`.
ProfileEvents read_events(std::string_view text);

}  // namespace opgrade
