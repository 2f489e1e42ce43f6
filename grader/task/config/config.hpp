/// The rules of one grading: everything that a course decides, as plain data. configs/README.md
/// gives the YAML form of every key.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/case_name.hpp"
#include "grader/base/core/coordinates.hpp"
#include "grader/base/core/device.hpp"
#include "grader/base/core/statistics.hpp"
#include "grader/base/core/together.hpp"
#include "grader/base/core/visibility.hpp"

namespace opgrade {

class FolderTask;

/// A trained network: layer list and weights. A plain name is looked up among opgrade's own files;
/// a value with a '/' is a path relative to the config file.
struct ModelConfig {
  std::string network;
  std::string weights;
};

/// Bounds of one sandboxed process.
struct LimitConfig {
  std::chrono::milliseconds wall;
  std::chrono::milliseconds cpu;
  std::int64_t memory_bytes;
  std::int64_t output_bytes;
  std::int64_t file_bytes;
  int processes;
};

/// GPU work launched outside the timed call: before it, after it, or meanwhile by other threads. It
/// is counted into Op Time, is a reason to refuse the submission, or is allowed.
enum class OutsideWork { count, reject, allow };

struct TimingConfig {
  std::optional<int> repetitions;  ///< timed calls; absent: case_rules.hpp chooses (timing_of)
  bool warm_up = true;             ///< one untimed call on a few images first
  OutsideWork outside_work = OutsideWork::count;
  int warm_ups = 0;  ///< untimed calls on all images after the warm-up
  std::chrono::milliseconds abort_above{
      0};  ///< no timed calls if the first of `warm_ups` takes longer; 0: no limit
};

/// What findings of the emulated device that a GPU may hide cost if the outputs are right: the
/// points, or nothing.
enum class FindingsRule { decide, warn };

/// A bound of an Op Time: a time, or a rate at which a case must be computed.
struct TimeBound {
  enum class Unit {
    ms,
    reference,  ///< multiples of the reference solution's time in the same run
    serial,     ///< multiples of the time of staff's serial solution in the same run
    gbyte_s,    ///< 10^9 bytes a second: the case's inputs read once, its output written once
    gflop_s,    ///< 10^9 floating-point operations a second, by the task's count
    roofline,   ///< share of the best that arithmetic and memory of the GPU allow:
                ///< core/gpu_rates.hpp
  };
  double value = 0;
  Unit unit = Unit::ms;

  /// True if a greater value is faster.
  bool is_rate() const {
    return unit == Unit::gbyte_s || unit == Unit::gflop_s || unit == Unit::roofline;
  }
  bool operator==(const TimeBound&) const = default;
};

/// A bound that no time reaches: a rule whose `zero` is kNever has points for every right case.
inline constexpr TimeBound kNever{std::numeric_limits<double>::infinity()};

/// Points for speed: all up to `full`, none from `zero` on. The time is the sum of the Op Times of
/// all layers of the case.
struct OpTimeRule {
  /// The quantity in which the points between both bounds are linear. By speed (1 / time), a rule
  /// whose `zero` is kNever gives the share `full / time`.
  enum class Between { time, speed };
  /// Points for the slope of a straight line through log time over log size, instead of for times.
  struct Slope {
    std::string over;  ///< name of the size; empty if the rule has no slope
    double full = 1, zero = 2;
    TimeBound below;  ///< of each case: else slowing the small ones would pay
  };
  std::string model;  ///< as CaseConfig::model; empty if several cases count
  int batch = 0;
  double points = 0;
  TimeBound full;
  TimeBound zero;
  Statistic take = Statistic::median;  ///< of the repetitions of each layer
  double step = kTimeShare;            ///< share of the time: smaller differences change no points
  Between between = Between::time;
  std::vector<std::string> cases{};  ///< names of several cases with sizes, instead of `model`
  Together together = Together::geometric_mean;
  Slope slope{};
  /// What replaces the rule's members of the same names if a submission is late.
  struct Late {
    double points = 0;
    TimeBound full, zero;
    Between between = Between::time;
  };
  std::optional<Late> late{};

  /// The rule for late submissions. `late` must have a value.
  OpTimeRule for_late() const {
    OpTimeRule rule = *this;
    rule.late.reset();
    rule.points = late->points;
    rule.full = late->full;
    rule.zero = late->zero;
    rule.between = late->between;
    return rule;
  }
  bool names(const std::string& named_model, int named_batch) const {
    if (cases.empty()) return model == named_model && batch == named_batch;
    return named_batch == 0 && std::ranges::find(cases, named_model) != cases.end();
  }
  /// This rule for each of its cases separately.
  std::vector<OpTimeRule> by_case() const {
    if (cases.empty()) return {*this};
    std::vector<OpTimeRule> rules(cases.size(), *this);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      rules[i].model = cases[i];
      rules[i].cases.clear();
    }
    return rules;
  }
  /// The bounds of times; both are `below` if the rule has a slope.
  std::array<TimeBound, 2> bounds() const {
    return slope.over.empty() ? std::array{full, zero} : std::array{slope.below, slope.below};
  }
  bool needs_work() const { return std::ranges::any_of(bounds(), &TimeBound::is_rate); }
  bool needs(TimeBound::Unit unit) const {
    return std::ranges::any_of(bounds(),
                               [&](const TimeBound& bound) { return bound.unit == unit; });
  }
};

/// Cases that are counted together, or only if an earlier group is right.
struct CaseGroupConfig {
  /// What a group's cases earn: `each` its own points; `all` the group's points if all cases are
  /// right; `fraction` the group's points times the share of cases that are right.
  enum class Score { each, all, fraction };
  std::string name;
  Score score = Score::each;
  double points = 0;  ///< of the group; 0 if its cases have points of their own
  std::string needs;  ///< an earlier group: no points unless all its cases are right; may be empty
};

/// Tokens that the sources of a stage must have, or must not have.
struct ConstructConfig {
  std::string required, forbidden;  ///< exactly one is set: `__shared__`, `cub::`
  double points = 0;                ///< for keeping the rule
  std::string case_name;  ///< this case earns nothing if the rule is broken. A rule without points
                          ///< and case refuses the stage
};

/// An upper or a lower bound of something that the kernels of a case do.
struct CountRule {
  std::string model;  ///< as CaseConfig::model
  int batch = 0;
  std::string count;              ///< a name of core/counts.hpp
  std::string at_most, at_least;  ///< exactly one is set: config/count_bound.hpp
  double points = 0;  ///< for keeping the rule; 0: a case that breaks the rule earns nothing
};

/// When a case runs.
enum class RunWhen {
  always,
  at_deadline,  ///< not when a submission is handed in, but by `opgrade course final`
};

/// One run of a model at a batch size, or of the task at sizes of its own.
struct CaseConfig {
  std::string model;               ///< or the case's name, if it has sizes
  int batch = 0;                   ///< 0 if the case has sizes
  Coordinates sizes;               ///< of the task; empty for a model
  std::optional<double> accuracy;  ///< required; the number of right images must match exactly
  double points = 0;
  bool hidden = false;
  Visibility visibility = Visibility::open;  ///< refines `hidden`
  std::string group;                         ///< may be empty
  bool advice = false;                       ///< shown to the student, without any effect on points
  RunWhen run = RunWhen::always;
  int threads = 0;  ///< threads, each with a core of its own while timed; 0: unspecified
  std::optional<TimingConfig> timing;  ///< instead of the config's
};

/// The settings of a check other than its calls; CaseConfig has the same ones.
struct CheckConfig {
  double points = 0;
  bool hidden = false;
  Visibility visibility = Visibility::open;
  std::string group;
  bool advice = false;  ///< as CaseConfig::advice
  RunWhen run = RunWhen::always;
};

/// Fresh random shapes and values, which the task chooses.
struct RandomShapesConfig : CheckConfig {
  int count = 0;
};

/// The convolutions of a model's network with fresh random values, at batches of 1, of primes and
/// of a large number of images.
struct RandomBatchesConfig : CheckConfig {
  std::string model;
  int count = 0;
};

/// Shapes that the course published, with random values, in addition to the random shapes or
/// instead of them.
struct FixedShapesConfig : CheckConfig {
  std::vector<Coordinates> shapes;
};

/// Points that staff give: for a report, a quiz, an optimisation.
struct OpenItemConfig {
  std::string name;
  double points = 0;
};

/// Points for the rank in the class. `opgrade rank` gives them when all submissions are graded. The
/// ranked value is the sum of one case's Op Times.
struct RankingConfig {
  enum class Rule {
    deviations,  ///< standard deviations from the class median, linear between the two ends
    ranks,       ///< competition ranks
    best,        ///< time as a multiple of the fastest time of the class
  };
  struct Step {
    int up_to = 0;      ///< ranks: the last rank with these points; the first is 1
    double within = 0;  ///< best: largest multiple of the fastest time
    double points = 0;
  };
  std::string stage;
  std::string model;
  int batch = 0;
  Rule rule = Rule::deviations;
  double points = 0;      ///< deviations: for a student who is `deviations` faster than the median
  double deviations = 2;  ///< a student who is as much slower than the median has 0 points
  double full = 1;        ///< best: all points up to this multiple of the fastest time,
  double zero = std::numeric_limits<double>::infinity();  ///< and none from this multiple on
  std::vector<Step> steps;  ///< ranks, best: the first step that applies gives its points
  Statistic take = Statistic::median;  ///< of the repetitions of each layer
  double step = kTimeShare;            ///< share of the time: smaller differences are ties
  double bonus_points = 0;
  double bonus_below_ms = 0;  ///< a time below this one also earns the bonus
};

struct StageConfig {
  std::string name;
  std::string title;
  std::string interface;                   ///< instead of the config's; empty: the config's
  std::shared_ptr<const FolderTask> task;  ///< if `interface` is that of a lecturer's folder
  std::string folder;  ///< folder of a submission that has the stage's files; empty: its top
  Device device = Device::cpu;  ///< a cuda stage may run on the emulated device if there is no GPU
  int gpus = 1;                 ///< number that the submission sees, as devices 0, 1, ...
  std::vector<std::string> sources;  ///< the files to compile; empty: the interface's own
  std::vector<std::string> flags{"-O3"};
  std::vector<std::string> libraries;  ///< allowed in addition to the C++ runtime, such as cublas
  std::optional<double> tolerance;     ///< instead of the config's, for reduced precision
  std::vector<CaseConfig> cases;
  RandomShapesConfig random_shapes;
  RandomBatchesConfig random_batches;
  FixedShapesConfig fixed_shapes;
  std::vector<CaseGroupConfig> groups;
  std::vector<ConstructConfig> constructs;
  std::vector<CountRule> counts;
  std::vector<OpTimeRule> op_times;
  std::vector<OpenItemConfig> open_items;
};

/// The text of a source file.
struct SourceText {
  std::string bytes;
};

/// A file that the course hands out, such as a header with its prototypes.
struct HandedOutFile {
  /// What is built if a submission has another text under this name.
  enum class Changed { use, replace, refuse };
  std::string name;
  SourceText text;
  Changed changed = Changed::use;
};

struct FilesConfig {
  std::vector<std::string> folders{"."};  ///< where in a submission to look; the first hit wins
  std::vector<std::string> take{"*.h",   "*.hh",  "*.hpp", "*.hxx", "*.cuh", "*.inl", "*.inc",
                                "*.tpp", "*.ipp", "*.tcc", "*.cu",  "*.cc",  "*.cpp", "*.cxx"};
  std::int64_t max_file_bytes = 1 << 20;
  int max_files = 200;
  std::vector<HandedOutFile> handed_out;

  const HandedOutFile* find_handed_out(const std::string& name) const {
    const auto found = std::ranges::find(handed_out, name, &HandedOutFile::name);
    return found == handed_out.end() ? nullptr : &*found;
  }
};

struct Config {
  std::string name;
  std::string title;
  std::string interface = "minidnn-3";
  std::shared_ptr<const FolderTask> task;  ///< if `interface` is that of a folder's task, else null
  double pass_mark = 0;
  double tolerance = 1e-6;  ///< times sqrt(C K K): largest error over the image's largest |y|
  bool run_after_timeout = false;  ///< after a timeout, run cases with at least as much work
  bool run_after_failure = false;  ///< after a crash or a wrong output, run cases without points
  bool accept_emulated = true;     ///< correctness points can be earned on the emulated device
  FindingsRule findings = FindingsRule::warn;
  std::string require_sandbox = "no user namespaces";  ///< the weakest sandbox tier that may grade
  std::map<std::string, ModelConfig> models;
  FilesConfig files;
  LimitConfig build_limits{std::chrono::minutes(2), std::chrono::minutes(2),
                           std::int64_t{4} << 30,   1 << 20,
                           std::int64_t{256} << 20, 64};
  LimitConfig run_limits{std::chrono::minutes(5), std::chrono::minutes(10),
                         std::int64_t{4} << 30,   1 << 20,
                         std::int64_t{64} << 20,  512};
  TimingConfig timing;
  std::string roofline = "H200";  ///< a GPU of core/gpu_rates.hpp, whose rates advice uses
  std::vector<StageConfig> stages;
  std::optional<RankingConfig> ranking;  ///< its points are not in max_points()

  std::filesystem::path folder;  ///< the config file's folder, where relative paths begin

  double max_points() const;
};

}  // namespace opgrade
