/// Which builds of a submission the cases of a stage run, in which order, and why.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/base/core/device.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/config/stage_case.hpp"

namespace opgrade {

/// How the emulated device checks every access of a case.
enum class Watch {
  none,
  whole,          ///< its calls run in the build that watches
  small_batches,  ///< likewise, except its large batches, which run in the plain build
  layers,         ///< after the case, its network's layers run in that build on a few images
};

/// Why the build that counts accesses runs a case that passed.
enum class Counts { none, advice, points };

/// The runs of a case. The plain build runs it once, unless `watch` says otherwise.
struct CasePlan {
  Case what;
  double work = 0;  ///< floating-point operations of a timed case; 0 of another
  bool profile = false;
  Counts counts = Counts::none;
  Watch watch = Watch::none;
  std::string network;      ///< with Watch::layers: only the network's first case that runs is
                            ///< watched
  bool vary = false;        ///< reruns on the emulated device if findings warn, see rerun_varied()
  bool interleave = false;  ///< with concurrent blocks, see interleave()
  bool delay = false;  ///< with late work, see delay_work(): small cases, and the first network's
  bool races = false;  ///< with the build that finds data races of OpenMP's threads
  bool sanitizers = false;     ///< for a student's self-check, under the CPU's sanitizers
  bool needs_smaller = false;  ///< skipped if a case with no more work has failed
  bool needs_time = false;     ///< skipped after a case that ran out of time

  /// True if the case's own calls run in the build that watches.
  bool is_watched() const { return watch == Watch::whole || watch == Watch::small_batches; }
};

/// What a plan depends on.
struct PlanFacts {
  const Config& config;
  const StageConfig& stage;
  Device device;
  std::vector<Case> cases;            ///< those that run
  std::string represents;             ///< the id of the case that a profile shows; or empty
  bool profiles = false;              ///< profiles are asked for
  bool advises = false;               ///< advice from counts is asked for
  bool checks_itself = false;         ///< a student's own run
  bool watches = true;                ///< the machine's compiler builds what watches accesses
  bool exchanges_words = false;       ///< see exchanges_words()
  bool works_asynchronously = false;  ///< see works_asynchronously()
  bool batches_run = false;           ///< random batches run, also if an earlier grading ran them
  std::function<double(const Case&)> work;
  std::function<bool(const Case&)> is_small;  ///< can be watched in seconds
};

/// Orders the cases: cheap ones that decide come first. Starts no process and reads no file.
std::vector<CasePlan> plan_cases(const PlanFacts& facts);

}  // namespace opgrade
