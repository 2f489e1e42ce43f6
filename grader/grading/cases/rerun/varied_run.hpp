/// Further runs of a case with findings that warn: its outputs must stay right if a GPU differs
/// from the emulated device.
#pragma once

#include <functional>
#include <string>

#include "grader/grading/cases/verdict/judged_case.hpp"

namespace opgrade {

/// How a case of the emulated device is rerun.
struct DeviceVariation {
  bool watched = false;     ///< by the build that checks every access; else by the plain one
  std::string environment;  ///< of the emulated device; empty: as usual
};
using Rerun = std::function<JudgedCase(const DeviceVariation&)>;

/// For a watched run with findings that warn. The checks leave room between allocations, so they
/// may have made the run crash, exit or compute wrong values, and what comes after was not watched.
/// The rerun is watched, too, with allocations next to each other. Replaces `c` if the rerun
/// passes, has a deciding finding or needs a GPU; returns false if it fails.
bool rerun_watched_packed(JudgedCase& c, const Rerun& rerun);

/// For a watched run that failed, maybe because of its checks: the plain build decides, and what
/// was found stays. Returns false if the plain build fails as well.
bool decide_without_checks(JudgedCase& c, const Rerun& rerun);

/// Reruns a case whose only mistakes are findings that warn; does nothing under `findings: decide`.
/// `watched`: the run of `c` was watched. If then rerun_watched_packed() fails, or the run ended at
/// its limit of time after a right call, decide_without_checks() decides. A run without a right
/// call is likely to hang, so it costs one limit only. The plain build packs allocations as a GPU
/// does. The case then runs with other bytes in memory that nothing wrote and, if one of the
/// findings is a race, with blocks and threads in reverse order. One wrong output costs the points,
/// and the hint names the run.
void rerun_varied(JudgedCase& c, bool watched, const Rerun& rerun);

/// Reruns a right case of a submission that exchanges words, with blocks that run at the same time,
/// because in block order an exchange overwrites no other block's update. A finding of the rerun
/// counts only if an output is wrong there.
void interleave(JudgedCase& c, const Rerun& rerun);

/// Reruns a right case of a submission that gives the device work without waiting for it, with that
/// work done as late as CUDA allows. A finding of the rerun counts only if an output is wrong
/// there.
void delay_work(JudgedCase& c, const Rerun& rerun);

}  // namespace opgrade
