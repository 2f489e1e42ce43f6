/// The result of grading one submission: filled by the stages, read by the reports.
///
/// Sentences are made of it in grader/report. Fields named `*_output` hold bytes of the submission
/// that already went through printable().
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
    fact,   ///< what the output shows
    guess,  ///< what was computed instead, by matching this one output: another shape may differ
    unwritten,  ///< NaN in the output is what the grader filled the memory with
  };
  std::string text;  ///< or empty
  Kind kind = Kind::fact;
};

inline constexpr std::array<std::string_view, 3> kHintKindNames{"fact", "guess", "unwritten"};
constexpr EnumNames enum_names(Hint::Kind) { return {"a kind of hint", kHintKindNames}; }

/// Where one part of an output is wrong.
struct WrongMap {
  int part = 0;                ///< the image
  int planes = 0;              ///< its feature maps
  std::vector<double> shares;  ///< of wrong elements, 0 to 1: plane by plane, row by row
};

/// An output that is a picture, beside the expected one: BMP files in base64.
struct PicturePair {
  std::string got, want;
  std::string difference;  ///< white where both are equal, the redder the more they differ
};

/// What an error of an element is divided by before it is compared with the tolerance.
enum class ErrorScale {
  unknown,   ///< of an older report
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
  double tolerance = 0;      ///< what worst_error was held against
  std::int64_t first = -1;   ///< index in the output of the first mismatch, or -1
  Coordinates place;         ///< the same place in the task's coordinates; zeros where first is -1
  double got = 0, want = 0;  ///< values there
  std::string hint;          ///< what the pattern of mismatches suggests, or empty
  Hint::Kind hint_kind = Hint::Kind::fact;
  std::optional<PicturePair> picture;  ///< of an output that is one, and wrong
  std::optional<WrongMap> map;  ///< of the part with the first mismatch; not from every device

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
  int throttled_calls = 0;                    ///< timed while hot or short of power, and dropped
  std::vector<std::string> throttle_reasons;  ///< of those calls, each once
};

/// One computation of a case, such as a layer of a network. grader/grading/measure/times.hpp fills
/// times and counts from `measurement`.
struct CallReport {
  std::string layer;  ///< "conv1", or "random shape"
  Coordinates shape;  ///< its sizes, as the task names them
  CheckReport check;
  TimeSummary op_time;     ///< the call alone
  TimeSummary layer_time;  ///< with what surrounds it (course: prolog to epilog)
  /// The same calls as the submission's process tells them, by device events where there are
  /// any: a witness for staff, in no score.
  TimeSummary process_time;
  bool timed = false;
  bool too_slow = false;  ///< its first warm-up took longer than the config allows: not timed
  std::optional<DeviceState> device_state;  ///< absent without a GPU
  /// Some kernel of one more call ran, where op_time includes the copies (an interface without
  /// device tensors, on a GPU). Told from inside the submission's process: for reading alone.
  std::optional<double> kernel_time_ms;
  int disagreeing_calls = 0;  ///< its process told a time that the grader's clock contradicts
  int late_calls = 0;  ///< its output still changed when the process had said that it is done
  int busy_calls = 0;  ///< something else ran on the device between the fresh input and the call
  Measurement measurement;  ///< the raw times that all of these come from
};

/// Resources that a sandboxed process used, and how it ended.
struct UsageReport {
  double elapsed_s = 0;
  double user_s = 0;
  double system_s = 0;
  std::int64_t peak_memory_bytes = 0;
  std::int64_t stdout_bytes = 0;
  std::int64_t stderr_bytes = 0;
  int exit_code = -1;  ///< -1 when ended by a signal
  int signal = 0;
  std::optional<Limit> limit;             ///< that ended the run
  std::int64_t voluntary_switches = 0;    ///< context switches: it waited for something
  std::int64_t involuntary_switches = 0;  ///< its turn was over
  bool out_of_memory_kill = false;        ///< the kernel killed a process of it for memory
  double cpu_share() const { return elapsed_s > 0 ? (user_s + system_s) / elapsed_s : 0; }
};

/// Points for one thing, always with the reason.
struct PointItem {
  std::string name;
  double points = 0;
  double max_points = 0;
  Reason reason;
  bool open = false;    ///< could not be decided here; not lost, not earned. The reason says why
  std::string case_id;  ///< of the one case that a rule of the stage judges; empty for others
  std::optional<double> late_points{};  ///< of a late submission, if those are others
};

/// `opgrade check` with these runs a case again: report/words/repeat.hpp.
struct Repeat {
  std::string path, config;           ///< of the submission; as they were named on the command line
  std::optional<Device> device;       ///< where GPU stages were told to run
  std::optional<std::uint64_t> seed;  ///< where the case ran with random numbers
  bool operator==(const Repeat&) const = default;
};

struct CaseReport {
  std::string id;       ///< "cpu/high/1000" or "cpu/random": stable within a config
  std::string model;    ///< or the name of a case with sizes; empty for random shapes
  int batch = 0;        ///< 0 where the case has sizes of its own
  bool hidden = false;  ///< details are for staff, not for the student
  Visibility visibility = Visibility::open;  ///< beside `hidden`, where more is to be said
  bool advice = false;  ///< not asked by the course: no points, and the verdict ignores it
  Outcome outcome = Outcome::not_run;
  Reason reason;
  std::vector<CallReport> calls;
  Statistic take = Statistic::median;  ///< of each time's samples: what points and tables count
  std::optional<double> accuracy;
  std::optional<double> required_accuracy;
  std::optional<GpuId> gpu;       ///< that it ran on; absent on other devices
  std::optional<Reason> untimed;  ///< why this machine takes no time of it, where others do
  UsageReport usage;
  std::vector<Finding> findings;
  std::optional<ProfileReport> profile;
  std::string student_output;  ///< what it printed, printable and capped
  std::optional<Repeat> repeat;
  std::vector<PointItem> points;
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
  std::string folder;              ///< of `files` in the submission, "." for its own
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
  std::string gpu;      ///< empty without one
  std::string sandbox;  ///< the tier in words
  std::string compiler;
  std::string started;  ///< UTC, ISO 8601
};

struct Grade {
  std::string submission;         ///< its name, printable
  std::string submission_path;    ///< where its files lay; for staff
  std::string submission_sha256;  ///< over the files taken, in name order
  std::string config_name;
  std::string config_title;
  std::string config_sha256;  ///< over the effective config
  MachineReport machine;
  Outcome outcome = Outcome::not_run;  ///< the worst that happened
  Reason reason;
  std::vector<StageReport> stages;
  std::optional<std::uint64_t> seed;  ///< of the random cases; absent where there are none
  /// Graded by the submission's author, whose seed and paths they are. The seed of a class tells
  /// the inputs of the next attempt.
  bool by_author = false;
  double points = 0;
  double max_points = 0;
  double open_points = 0;               ///< points that need a device this machine lacks
  std::optional<double> late_points{};  ///< as PointItem::late_points, of all
  double pass_mark = 0;
  bool passed = false;
  double elapsed_s = 0;
  /// What a reader should know besides: device fallback, missing control group, how a case ran.
  std::vector<Note> notes;
};

}  // namespace opgrade
