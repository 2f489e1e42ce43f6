/// The result of grading one submission. Stages fill it in, reports read it.
///
/// grader/report makes sentences of it. Fields named `*_output` hold bytes of the submission that
/// already went through printable().
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/base/core/coordinates.hpp"
#include "grader/base/core/device.hpp"
#include "grader/base/core/gpu_id.hpp"
#include "grader/base/core/limit.hpp"
#include "grader/base/core/measurement.hpp"
#include "grader/base/core/note.hpp"
#include "grader/base/core/outcome.hpp"
#include "grader/base/core/profile.hpp"
#include "grader/base/core/reason.hpp"
#include "grader/base/core/statistics.hpp"
#include "grader/base/core/visibility.hpp"

namespace opgrade {

/// One sentence on the likely mistake behind a wrong output.
struct Hint {
  enum class Kind {
    fact,       ///< what the output shows
    guess,      ///< what was likely computed instead, judging by this one output: others may differ
    unwritten,  ///< NaN in the output is the poison that the grader wrote
  };
  std::string text;  ///< may be empty
  Kind kind = Kind::fact;
};

inline constexpr std::array<std::string_view, 3> kHintKindNames{"fact", "guess", "unwritten"};
constexpr EnumNames enum_names(Hint::Kind) { return {"a kind of hint", kHintKindNames}; }

/// Shows where one part of an output is wrong.
struct WrongMap {
  int part = 0;                ///< the image
  int planes = 0;              ///< its feature maps
  std::vector<double> shares;  ///< of wrong elements, 0 to 1: plane by plane, row by row
};

/// An output that is a picture, and the expected picture: BMP files in base64.
struct PicturePair {
  std::string got, want;
  std::string difference;  ///< white where both are equal, the redder the more they differ
};

/// The divisor of an element's error, before it is compared with the tolerance.
enum class ErrorScale {
  unknown,   ///< in a report of an earlier version
  image,     ///< the largest expected value of the element's image
  output,    ///< the largest expected value
  terms,     ///< the scale that the task's reference gives for the element
  none,      ///< 1: the error is a difference
  expected,  ///< the element's expected value
  mixed,     ///< 1 + the element's expected value
  norm,      ///< the norm of the output, which divides the norm of all errors
};

inline constexpr std::array<std::string_view, 8> kErrorScaleNames{
    "unknown", "image", "output", "terms", "none", "expected", "mixed", "norm"};
constexpr EnumNames enum_names(ErrorScale) { return {"a scale of errors", kErrorScaleNames}; }

/// Comparison of one output with the double-precision reference.
struct CheckReport {
  std::int64_t checked = 0;     ///< elements compared
  std::int64_t mismatches = 0;  ///< elements beyond the tolerance, NaN and infinity included
  double worst_error = 0;       ///< largest |got - want| / error_scale; NaN if any got is
  ErrorScale error_scale = ErrorScale::unknown;
  double tolerance = 0;     ///< the limit for worst_error
  std::int64_t first = -1;  ///< index in the output of the first mismatch, or -1
  Coordinates place;  ///< the first mismatch in the task's coordinates; zeros if `first` is -1
  double got = 0, want = 0;  ///< values there
  std::string hint;          ///< what the pattern of mismatches suggests, or empty
  Hint::Kind hint_kind = Hint::Kind::fact;
  std::optional<PicturePair> picture;  ///< if the output is a picture, and wrong
  std::optional<WrongMap> map;  ///< of the part with the first mismatch; some devices give none

  void set(Hint found) {
    hint = std::move(found.text);
    hint_kind = found.kind;
  }
  bool passed() const { return checked > 0 && mismatches == 0; }
};

/// The GPU while a conv layer was timed, from NVIDIA's management library.
struct DeviceState {
  int sm_clock_mhz = 0;  ///< lowest seen
  int temperature_c = 0;
  int throttled_calls = 0;  ///< timed while hot or short of power, and therefore dropped
  std::vector<std::string> throttle_reasons;  ///< of the dropped calls, each reason once
};

/// One computation of a case, such as a layer of a network. grader/grading/measure/times.hpp fills
/// times and counts from `measurement`.
struct CallReport {
  std::string layer;  ///< "conv1", or "random shape"
  Coordinates shape;  ///< its sizes, as the task names them
  CheckReport check;
  TimeSummary op_time;     ///< the call alone
  TimeSummary layer_time;  ///< with the surrounding steps (course: prolog to epilog)
  /// Times of the same calls as reported by the submission's process, from device events if there
  /// are any. Staff can compare them; no score uses them.
  TimeSummary process_time;
  bool timed = false;
  /// Its first warm-up took longer than the config allows, so it is not timed.
  bool too_slow = false;
  std::optional<DeviceState> device_state;  ///< absent without a GPU
  /// Time in which some kernel ran, in one extra call. Only for an interface without device tensors
  /// on a GPU, because its op_time includes the copies. The submission's process reports this time,
  /// so no verdict uses it.
  std::optional<double> kernel_time_ms;
  /// Calls whose process reported a time that contradicts the grader's clock.
  int disagreeing_calls = 0;
  int late_calls = 0;  ///< calls whose output still changed after the process had reported the end
  /// Calls before which something else ran on the device after the input was written.
  int busy_calls = 0;
  Measurement measurement;  ///< the raw times from which all of these are computed
};

/// Resources that a sandboxed process used, and how it ended.
struct UsageReport {
  double elapsed_s = 0;
  double user_s = 0;
  double system_s = 0;
  std::int64_t peak_memory_bytes = 0;
  std::int64_t stdout_bytes = 0;
  std::int64_t stderr_bytes = 0;
  int exit_code = -1;  ///< -1 if a signal ended it
  int signal = 0;
  std::optional<Limit> limit;             ///< the limit that ended the run
  std::int64_t voluntary_switches = 0;    ///< context switches because it waited
  std::int64_t involuntary_switches = 0;  ///< context switches because its time slice ended
  bool out_of_memory_kill = false;        ///< the kernel killed one of its processes for memory
  double cpu_share() const { return elapsed_s > 0 ? (user_s + system_s) / elapsed_s : 0; }
};

/// Points for one thing, always with the reason.
struct PointItem {
  std::string name;
  double points = 0;
  double max_points = 0;
  Reason reason;
  bool open = false;    ///< undecided here: neither lost nor earned. The reason says why
  std::string case_id;  ///< the case that a rule of the stage judges; empty if it judges several
  std::optional<double> late_points{};  ///< points of a late submission, if they differ
};

/// With these options `opgrade check` reruns a case: report/words/repeat.hpp.
struct Repeat {
  std::string path, config;  ///< path of the submission and config, as named on the command line
  std::optional<Device> device;       ///< where GPU stages were told to run
  std::optional<std::uint64_t> seed;  ///< if the case ran with random numbers
  bool operator==(const Repeat&) const = default;
};

/// A rule on a case, without points of its own, that is broken: the case earns no points, its Op
/// Times included, does not count as right in its group, and is not ranked.
struct BrokenRule {
  Reason reason;
  bool open = false;  ///< staff or another machine decide whether it is broken
};

struct CaseReport {
  std::string id;       ///< "cpu/high/1000" or "cpu/random": stable within a config
  std::string model;    ///< or the name of a case with sizes; empty for random shapes
  int batch = 0;        ///< 0 if the case has sizes of its own
  bool hidden = false;  ///< details are for staff, not for the student
  Visibility visibility = Visibility::open;  ///< refines `hidden`
  bool advice = false;  ///< not asked by the course: no points, and the verdict ignores it
  Outcome outcome = Outcome::not_run;
  Reason reason;
  std::vector<CallReport> calls;
  /// Which statistic of each time's samples points and tables use.
  Statistic take = Statistic::median;
  std::optional<double> accuracy;
  std::optional<double> required_accuracy;
  std::optional<GpuId> gpu;       ///< the GPU it ran on; absent on other devices
  std::optional<Reason> untimed;  ///< why this machine cannot time the case, although others can
  UsageReport usage;
  std::vector<Finding> findings;
  std::optional<ProfileReport> profile;
  std::string student_output;  ///< what the submission printed, printable and capped
  std::optional<Repeat> repeat;
  std::vector<PointItem> points;
  std::optional<BrokenRule> broken_rule;  ///< the first one, which decides it if there is one
};

struct BuildReport {
  Outcome outcome = Outcome::not_run;
  Reason reason;
  std::string compiler_output;  ///< with the student's own paths, printable and capped
  double elapsed_s = 0;
};

struct StageReport {
  std::string name;
  std::string title;
  Device device = Device::cpu;
  std::string folder;              ///< where `files` lie in the submission; "." for its top folder
  std::vector<std::string> files;  ///< taken from the submission, by their names in `folder`
  BuildReport build;
  std::vector<CaseReport> cases;
  std::vector<PointItem> points;  ///< points of the stage as a whole, such as Op Time rules
};

/// The machine and program that graded.
struct MachineReport {
  std::string opgrade_version;
  std::string host_cpu;
  int cpus = 0;
  std::string gpu;      ///< empty if there is none
  std::string sandbox;  ///< name of the tier
  std::string compiler;
  std::string started;  ///< UTC, ISO 8601
};

struct Grade {
  std::string submission;         ///< its name, printable
  std::string submission_path;    ///< where its files were; for staff
  std::string submission_sha256;  ///< over the files taken, in name order
  std::string config_name;
  std::string config_title;
  std::string config_sha256;  ///< over the effective config
  MachineReport machine;
  Outcome outcome = Outcome::not_run;  ///< the worst outcome of all stages
  Reason reason;
  std::vector<StageReport> stages;
  std::optional<std::uint64_t> seed;  ///< seed of the random cases; absent if there are none
  /// The submission's author graded it, so its seed and paths are the author's own. Otherwise the
  /// seed is secret, because a class's seed reveals the inputs of the next attempt.
  bool by_author = false;
  double points = 0;
  double max_points = 0;
  double open_points = 0;               ///< points that need a device this machine lacks
  std::optional<double> late_points{};  ///< like PointItem::late_points, summed over all items
  double pass_mark = 0;
  bool passed = false;
  double elapsed_s = 0;
  /// Further remarks for the reader: device fallback, missing control group, how a case ran.
  std::vector<Note> notes;
};

}  // namespace opgrade
