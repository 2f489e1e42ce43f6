/// Further runs of a case with findings that warn: its outputs must stay right where a GPU may
/// differ from the emulated device.
#pragma once

#include <functional>
#include <string>

#include "grader/cases/judged_case.hpp"

namespace opgrade {

/// How a case of the emulated device runs once more.
struct DeviceVariation {
  bool watched = false;     ///< by the build that checks every access; else by the plain one
  std::string environment;  ///< of the emulated device; empty: as usual
};
using Rerun = std::function<JudgedCase(const DeviceVariation&)>;

/// For a watched run that ended at its limit of time behind a right call: checks make it slow, many
/// times so where a kernel reads much. The plain build decides, and what was found stays. A run
/// without a right call is likely to hang: it costs one limit.
void decide_without_checks(JudgedCase& c, const Rerun& rerun);

/// For a watched run with findings that warn. Its checks may have made it crash, leave or compute
/// wrong values, as they leave room between allocations. Then what comes behind was not watched. So
/// it runs watched with allocations next to each other. That run takes the place of `c` if it
/// passes, finds what decides, or needs a GPU.
void watch_on(JudgedCase& c, const Rerun& rerun);

/// Reruns a case whose only mistakes are findings that warn; nothing under `findings: decide`.
/// `watched`: so was the run of `c`, which decide_without_checks() and watch_on() continue. The
/// plain build packs allocations as a GPU does. It then runs with other bytes in memory that
/// nothing wrote, then with blocks and threads in reverse order. One wrong output costs the points,
/// and the hint names the run.
void vary(JudgedCase& c, bool watched, const Rerun& rerun);

}  // namespace opgrade
