#include "grader/authoring/task_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include "grader/authoring/mutants.hpp"
#include "grader/authoring/sample_advice.hpp"
#include "grader/authoring/sample_edits.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/finding_kind.hpp"
#include "grader/base/core/parallel.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/base/files/checksum.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/grading/device/gpu.hpp"
#include "grader/grading/pipeline/findings_run.hpp"
#include "grader/grading/pipeline/grader.hpp"
#include "grader/grading/pipeline/program_version.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/folder/folder_problem.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// The most informative case of a grade: the first case with the worst outcome.
const CaseReport* worst_case(const Grade& grade) {
  for (const auto& stage : grade.stages)
    for (const auto& c : stage.cases)
      if (c.outcome == grade.outcome) return &c;
  return nullptr;
}

std::string seen_in(const Grade& grade) {
  std::string text(words(grade.outcome).text);
  if (const auto* const c = worst_case(grade); c != nullptr && grade.outcome != Outcome::passed)
    text += fmt::format(" in {}: {}{}", c->id, report::sentence_of(c->reason),
                        c->outcome == Outcome::wrong_output && !c->calls.empty()
                            ? "; shape: " + text_of(c->calls.back().shape)
                            : "");
  return text;
}

/// For a right submission, says if its largest rounding error is close to the allowed error,
/// because other inputs would then cost a right submission its points. Whole numbers are left out,
/// because they are meant to be exact.
std::string narrow_tolerance_in(const Grade& grade) {
  constexpr double kNear = 0.5;
  const CaseReport* nearest = nullptr;
  double most = kNear;
  for (const auto& stage : grade.stages)
    for (const auto& c : stage.cases)
      for (const auto& call : c.calls) {
        const double error = call.check.worst_error, allowed = call.check.tolerance;
        if (allowed <= 0 || error == std::floor(error) || error / allowed <= most) continue;
        most = error / allowed;
        nearest = &c;
      }
  if (nearest == nullptr) return {};
  return fmt::format(
      "; its largest error is {:.0f} % of what {} allows, so right submissions may fail with other "
      "inputs: widen `tolerance`",
      100 * most, nearest->id);
}

/// All names and bytes of a folder, as one text.
std::string text_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  std::string text;
  for (const auto& file : files)
    text += fmt::format("{}\n{}\n", file.lexically_relative(folder).string(), text_of_file(file));
  return text;
}

bool is_edits(const fs::path& file) { return file.extension() == ".yaml"; }

/// Samples in a folder: subfolders, and files of edits.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing))
    if (entry.is_directory() || is_edits(entry.path())) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

/// Most bytes of inputs and outputs in a trial of the reference.
constexpr double kMostBytes = 1 << 20;

/// Devices of stages: cuda stands for stages on a GPU, emulated if there is none, and cpu for all
/// others.
constexpr std::array kDevices{Device::cpu, Device::cuda};

struct Sample {
  std::string what;                          ///< "submissions/wrong_output/one_block"
  std::map<std::string, std::string> files;  ///< files that differ from the solution's
  Outcome expected;
  bool fewer_points;  ///< the sample is right, but does not have all points

  bool is_right() const { return expected == Outcome::passed && !fewer_points; }
  std::string folder() const {
    return std::string(fewer_points ? kFewerPoints : words(expected).id);
  }
};

/// Names and texts of the files in which a sample differs from the solution.
std::map<std::string, std::string> files_of(const fs::path& sample, const fs::path& solution) {
  if (is_edits(sample)) return edited_files(sample, solution);
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(sample))
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(sample)] = text_of_file(entry.path());
  return files;
}

std::optional<Outcome> outcome_named(const std::string& id) {
  const auto found = std::ranges::find(kOutcomes, id, &OutcomeWords::id);
  return found != kOutcomes.end() ? std::optional(found->outcome) : std::nullopt;
}

/// At most `most` mutants, evenly spread.
std::vector<WrongSource> spread(std::vector<WrongSource> all, int most) {
  const auto count = static_cast<std::size_t>(most);
  if (all.size() <= count) return all;
  std::vector<WrongSource> some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(std::move(all[i * all.size() / count]));
  return some;
}

class TaskCheck {
 public:
  using StillRuns = std::function<void(const std::string&, double)>;

  TaskCheck(const Config& config, const TaskCheckOptions& options,
            const std::function<void(const TaskFinding&)>& tell, const StillRuns& still_runs)
      : config_(config),
        options_(options),
        tell_(tell),
        still_runs_(still_runs),
        task_(*config.task),
        folder_(task_.folder()),
        gpu_stages_(options.grading.gpu_device ? *options.grading.gpu_device
                    : find_gpus().empty()      ? Device::emulated
                                               : Device::cuda),
        whole_(config, options.grading) {}

  TaskCheckResult run() {
    if (!fs::is_directory(folder_ / "solution"))
      throw UsageError(fmt::format("{} has no solution/", folder_.string()),
                       "a task that was published cannot be checked: check the lecturer's folder");
    // Comes first, because all other checks rely on the reference.
    begin_step("reference.cpp", {Device::cpu});
    if (!check_reference()) return result_;
    if (is_wanted("solution")) check_solution();
    if (is_wanted("serial")) check_serial();
    check_samples();
    if (!task_.description().given.empty() && is_wanted("template")) check_given();
    for (const Device device : kDevices) {
      const auto only = stages_for(device);
      if (only.empty()) continue;
      check_guesses(only, device);
      if (options_.only.empty()) check_mutants(device);
    }
    if (options_.only.empty())
      forget_unused();
    else if (result_.tried == 1)  // only the reference was tried
      throw UsageError(fmt::format("there is nothing named {} to try", options_.only),
                       "name a sample, such as wrong_output/one_block, or another line of a check "
                       "without --only, such as solution");
    return result_;
  }

 private:
  std::shared_ptr<ReferenceCode> reference() const {
    return whole_.references().find(task_.id())->second;
  }

  /// Reports a run that takes long.
  class Watched {
   public:
    Watched(TaskCheck& check, const std::string& what)
        : watcher_([this, &check, what](const std::stop_token& over) {
            constexpr std::chrono::seconds kEach{30};
            std::mutex none;
            std::unique_lock lock(none);
            std::condition_variable_any ends;
            while (check.still_runs_ && !ends.wait_for(lock, over, kEach, [] { return false; }) &&
                   !over.stop_requested()) {
              const std::scoped_lock telling(check.guard_);
              check.still_runs_(what, seconds());
            }
          }) {}
    double seconds() const {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }

   private:
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::jthread watcher_;
  };

  void begin_step(const char* kind, std::vector<Device> devices, int index = 1, std::size_t of = 1,
                  const std::string& what = "") const {
    for (Device& device : devices)
      if (device != Device::cpu) device = gpu_stages_;
    options_.grading.listen(
        events::CheckStepStarted{kind, index, static_cast<int>(of), devices, what});
  }

  /// The devices of all stages.
  std::vector<Device> devices() const {
    std::vector<Device> used;
    std::ranges::copy_if(kDevices, std::back_inserter(used),
                         [this](Device device) { return !stages_for(device).empty(); });
    return used;
  }

  void add(const TaskFinding& finding) {
    const bool decided = !finding.mutant || !finding.undecided;
    if (decided) ++(finding.mutant ? result_.mutants : result_.tried);
    if (decided && !finding.good) ++(finding.mutant ? result_.survivors : result_.bad);
    tell_(finding);
  }

  std::set<std::string> stages_for(Device device) const {
    std::set<std::string> names;
    for (const auto& stage : config_.stages)
      if ((stage.device == Device::cpu) == (device == Device::cpu)) names.insert(stage.name);
    return names;
  }

  GraderOptions of_stages(std::set<std::string> only) const {
    GraderOptions options = options_.grading;
    options.only = std::move(only);
    return options;
  }

  /// The grader for the device's stages only.
  Grader& grader_of(Device device) {
    const std::scoped_lock lock(guard_);
    auto& grader = by_device_[device];
    if (!grader)
      grader =
          std::make_unique<Grader>(config_, of_stages(stages_for(device)), whole_.references());
    return *grader;
  }

  /// The grader for the stages that a change of these files can affect.
  Grader& grader_of(const std::map<std::string, std::string>& files) {
    for (const Device device : kDevices)
      if (files.size() == 1 && files.contains(source(device)) && !stages_for(device).empty())
        return grader_of(device);
    return whole_;
  }

  std::string source(Device device) const {
    return std::string(task_.interfaces().front().source(device));
  }

  bool check_reference() {
    std::string seen, advice, remarks;
    const auto tried = sizes_to_try();
    if (tried.empty()) {
      seen = "no sizes were found that satisfy the constraints";
      advice = "is there a contradiction in `constraints`, or is `random` of a size too small?";
    }
    try {
      const auto poisoned = tried.empty() ? nullptr : whole_.reference_with_poison(task_);
      for (const Coordinates& sizes : tried) {
        const ReferenceTrial trial =
            FolderProblem(task_.description(), sizes, reference()).try_reference(poisoned.get());
        if (!trial.note.empty()) remarks += fmt::format("; {} at {}", trial.note, text_of(sizes));
        if (trial.wrong.empty()) continue;
        seen = fmt::format("{} at {}", trial.wrong, text_of(sizes));
        advice = trial.advice;
        break;
      }
    } catch (const Error& e) {
      seen = e.what();
      advice = e.hint;
    }
    std::string all;
    for (const Coordinates& sizes : tried) all += (all.empty() ? "" : "; ") + text_of(sizes);
    const bool good = seen.empty();
    add({.good = good,
         .what = "reference.cpp",
         .seen = good ? fmt::format("the same outputs each time, all of them written, at {}{}", all,
                                    remarks)
                      : seen,
         .advice = advice});
    return good && has_random_shapes();
  }

  /// Sizes for trials of the reference: uneven sizes, the smallest sizes, and some sizes of random
  /// cases, for each kind of inputs.
  std::vector<Coordinates> sizes_to_try() const {
    constexpr int kRandom = 7;
    std::vector<Coordinates> all;
    const auto add_new = [&](const Coordinates& sizes) {
      if (task_.allows(sizes) && std::ranges::find(all, sizes) == all.end()) all.push_back(sizes);
    };
    add_new(task_.control_sizes());
    std::mt19937_64 random(*options_.grading.seed);
    for (const Coordinates& sizes : task_.random_sizes(kRandom, task_.interfaces().front(), random))
      if (task_.problem(sizes)->bytes() < kMostBytes) add_new(sizes);
    return all;
  }

  /// Constraints may allow fewer shapes than the config asks for.
  bool has_random_shapes() {
    for (const auto& stage : config_.stages) {
      std::mt19937_64 random(*options_.grading.seed);
      const int wanted = stage.random_shapes.count;
      const auto found = std::ssize(task_.random_sizes(wanted, task_.interfaces().front(), random));
      if (found == wanted) continue;
      add({.what = random_id(stage),
           .seen = fmt::format("{} of {} random shapes satisfy the constraints", found, wanted),
           .advice = "widen `random` of the sizes that `constraints` names"});
      return false;
    }
    return true;
  }

  /// Checks the template, which has a planted bug.
  void check_given() {
    begin_step("template", devices());
    const Grade grade = whole_.grade(folder_ / "template", "template");
    const bool wrong = grade.outcome != Outcome::build_failed && !has_all_points(grade);
    add({.good = wrong,
         .what = "template",
         .seen = seen_in(grade),
         .advice = "the given file must build, and its bug must cost points"});
  }

  void check_solution() {
    begin_step("solution", devices());
    add(*reused("solution", text_in(folder_ / "solution"), [&]() -> std::optional<TaskFinding> {
      const Grade grade = grade_solution();
      const bool good = has_all_points(grade);
      std::string seen = fmt::format(
          "{}, {:g} of {:g} points{}{}{}", seen_in(grade), grade.points, grade.max_points,
          grade.open_points > 0 ? fmt::format(", {:g} open without a GPU", grade.open_points) : "",
          lost_points_in(grade), narrow_tolerance_in(grade));
      seen += seed_text(grade, folder_ / "solution", Outcome::passed);
      const double by = narrow_by(grade);
      return TaskFinding{
          .good = good,
          .undecided = is_undecided(grade.outcome),
          .what = "solution",
          .seen = std::move(seen),
          .advice =
              by > 0
                  ? fmt::format("the reference solution must have all points: its largest "
                                "error is {:.2g} times what is allowed, so widen "
                                "`tolerance`, or mend the solution or reference.cpp",
                                by)
                  : "the reference solution must have all points: fix its mistake, the rule that "
                    "costs it points or reference.cpp; a time near a limit loses points now and "
                    "then, so give `full` more room"};
    }));
  }

  /// Checks the serial solution, which a stage needs if its bounds are multiples of the serial
  /// time.
  void check_serial() {
    std::set<std::string> stages;
    Config outputs_alone = config_;
    for (auto& stage : outputs_alone.stages) {
      const auto by_serial = [](const OpTimeRule& rule) {
        constexpr auto kSerial = TimeBound::Unit::serial;
        return rule.needs(kSerial) || (rule.late && rule.for_late().needs(kSerial));
      };
      if (std::ranges::any_of(stage.op_times, by_serial)) stages.insert(stage.name);
      stage.constructs.clear();
      stage.counts.clear();
      stage.op_times.clear();
    }
    if (stages.empty()) return;
    begin_step("serial", devices());
    add(*reused("serial", text_in(folder_ / "serial"), [&]() -> std::optional<TaskFinding> {
      Grader grader(outputs_alone, of_stages(stages), whole_.references());
      const Grade grade = grader.grade(folder_ / "serial", "serial");
      return TaskFinding{.good = grade.outcome == Outcome::passed,
                         .undecided = is_undecided(grade.outcome),
                         .what = "serial",
                         .seen = seen_in(grade),
                         .advice =
                             "the serial solution must be right: a speed-up is over its Op "
                             "Time"};
    }));
  }

  Grade grade_solution() {
    Grade grade = whole_.grade(folder_ / "solution", "solution");
    set_bound(grade);
    return grade;
  }

  /// Sets the limits for planted mistakes, which may loop endlessly: a process may compute for ten
  /// times as long as the solution's. CPU time decides, because other work on the machine does not
  /// change it. The limit of wall time ends processes that wait for ever.
  void set_bound(const Grade& solution) {
    constexpr int kTimes = 10;
    constexpr std::chrono::milliseconds kLeast{5000};
    double computed = 0, longest = 0;
    for (const auto& stage : solution.stages) {
      double all = 0;
      for (const auto& c : stage.cases) {
        const double own = c.usage.user_s + c.usage.system_s;
        all += own;
        computed = std::max(computed, own);
        longest = std::max(longest, c.usage.elapsed_s);
      }
      if (stage.device == Device::cuda) computed = std::max(computed, all);  // one process for all
    }
    const auto times = [&](double seconds) {
      return kLeast + std::chrono::milliseconds(static_cast<std::int64_t>(1000 * kTimes * seconds));
    };
    LimitConfig limits = config_.run_limits;
    limits.cpu = std::min(limits.cpu, times(computed));
    limits.wall = std::max(3 * limits.cpu, times(longest));
    const std::scoped_lock lock(bound_guard_);
    bound_ = limits;
  }

  /// Runs the solution to measure its times if the result of its check was reused.
  LimitConfig bound() {
    {
      const std::scoped_lock lock(bound_guard_);
      if (bound_) return *bound_;
    }
    const std::scoped_lock once(measuring_);
    {
      const std::scoped_lock lock(bound_guard_);
      if (bound_) return *bound_;
    }
    grade_solution();
    const std::scoped_lock lock(bound_guard_);
    return *bound_;
  }

  /// The ids of the cases with random shapes in a grade's stages.
  std::set<std::string> random_cases(const Grade& grade) const {
    std::set<std::string> ids;
    for (const auto& stage : config_.stages)
      for (const auto& report : grade.stages)
        if (report.name == stage.name && stage.random_shapes.count > 0)
          ids.insert(random_id(stage));
    return ids;
  }

  /// The grade of the random shapes only, with another seed; nullopt if another case decides the
  /// outcome.
  std::optional<Grade> with_other_seed(const Grade& grade, const fs::path& submission) {
    const auto ids = random_cases(grade);
    if (ids.empty() || is_undecided(grade.outcome) || grade.outcome == Outcome::build_failed ||
        grade.outcome == Outcome::refused)
      return std::nullopt;
    for (const auto& stage : grade.stages)
      for (const auto& c : stage.cases)
        if (c.outcome != Outcome::passed && !ids.contains(c.id)) return std::nullopt;
    return other_seed_grader(ids).grade(submission, grade.submission);
  }

  Grader& other_seed_grader(const std::set<std::string>& ids) {
    const std::scoped_lock lock(guard_);
    auto& grader = by_cases_[ids];
    if (!grader) {
      GraderOptions options = of_stages(ids);
      options.seed = other_seed();
      Config bounded = config_;
      grader = std::make_unique<Grader>(std::move(bounded), options, whole_.references());
    }
    return *grader;
  }

  std::uint64_t other_seed() const { return *options_.grading.seed + 1; }

  /// "; depends on the seed: with --seed 8 passed" if `shows` is true for only one of two grades:
  /// `grade`, and the grade of other random shapes. The latter has neither times nor the points of
  /// other cases, so `shows` must not depend on points.
  std::string seed_text(const Grade& grade, const fs::path& submission,
                        const std::function<bool(const Grade&)>& shows) {
    const auto other = with_other_seed(grade, submission);
    if (!other || is_undecided(other->outcome) || shows(*other) == shows(grade)) return {};
    return fmt::format(
        "; depends on the seed: with --seed {} {}. Give such sizes to a case or to "
        "`fixed_shapes`",
        other_seed(), seen_in(*other));
  }
  std::string seed_text(const Grade& grade, const fs::path& submission, Outcome expected) {
    return seed_text(grade, submission,
                     [&](const Grade& one) { return ends_as(one, expected, config_); });
  }

  void check_samples() {
    std::vector<Sample> samples;
    for (const auto& verdict : entries_of(folder_ / "submissions")) {
      const std::string name = verdict.filename();
      const bool fewer = name == kFewerPoints;
      const auto expected = fewer ? Outcome::passed : outcome_named(name);
      if (!expected) {
        add({.what = "submissions/" + name,
             .seen = "no outcome has this name",
             .advice = "name the folder after the outcome of its samples: " + sample_folders()});
        continue;
      }
      for (const auto& entry : entries_of(verdict)) {
        Sample sample{fs::path("submissions") / name / entry.stem(), {}, *expected, fewer};
        if (!is_wanted(sample.what)) continue;
        try {
          sample.files = files_of(entry, folder_ / "solution");
          if (is_for_this_form(sample.files)) {
            samples.push_back(std::move(sample));
          } else if (!is_for_any_form(sample.files)) {
            add({.what = sample.what,
                 .seen = "it has no file that the solution has",
                 .advice =
                     fmt::format("a sample has the files of solution/ that differ: rename its "
                                 "file to {}",
                                 names_of_sources())});
          }
        } catch (const UsageError& e) {
          add({.what = sample.what, .seen = e.what(), .advice = e.hint});
        }
      }
    }
    each("sample", devices(), samples, [&](const Sample& sample) { return check_sample(sample); });
    if (!options_.only.empty()) return;
    const auto right = std::ranges::count_if(samples, &Sample::is_right);
    const auto wrong = std::ssize(samples) - right;
    if (right < 1)
      add({.what = "submissions/passed",
           .seen = "there is none",
           .advice = "add a right submission that is written otherwise than the solution"});
    if (wrong < 2)
      add({.what = "submissions",
           .seen = fmt::format("{} wrong", wrong),
           .advice = "add at least two wrong submissions, such as one that students will hand in"});
  }

  bool is_wanted(const fs::path& what) const {
    const fs::path only = fs::path(options_.only).lexically_normal();
    return only.empty() || what == only || what == "submissions" / only;
  }

  /// True if the sample has one of the solution's sources, or a file that one of them includes.
  bool is_for_this_form(const std::map<std::string, std::string>& files) const {
    for (const Device device : kDevices) {
      if (stages_for(device).empty()) continue;
      const std::string text = text_of_file(folder_ / "solution" / source(device));
      for (const auto& [name, changed] : files)
        if (name == source(device) || text.find('"' + name + '"') != std::string::npos) return true;
    }
    return false;
  }

  /// True if the sample has a file of solution/, which another form of the exercise may use.
  bool is_for_any_form(const std::map<std::string, std::string>& files) const {
    return std::ranges::any_of(
        files, [&](const auto& file) { return fs::exists(folder_ / "solution" / file.first); });
  }

  /// The names of the sources: "saxpy.cc or saxpy.cu".
  std::string names_of_sources() const {
    std::string names;
    for (const Device device : devices()) names += (names.empty() ? "" : " or ") + source(device);
    return names;
  }

  std::optional<TaskFinding> check_sample(const Sample& sample) {
    const TempDir whole("opgrade-task-");
    fs::copy(folder_ / "solution", whole.path(), fs::copy_options::recursive);
    for (const auto& [file, text] : sample.files) {
      fs::create_directories((whole.path() / file).parent_path());
      write_file(whole.path() / file, text);
    }
    return reused(sample.what, text_in(whole.path()), [&]() -> std::optional<TaskFinding> {
      const Grade grade = grader_of(sample.files).grade(whole.path(), sample.what);
      const bool good = is_as_expected(grade, sample);
      std::string seen = seen_in(grade);
      if (!good) seen += lost_points_in(grade);
      seen += seed_text(grade, whole.path(), sample.expected);
      return TaskFinding{.good = good,
                         .undecided = is_undecided(grade.outcome),
                         .what = sample.what,
                         .seen = std::move(seen),
                         .advice = sample_advice(grade, sample.folder())};
    });
  }

  bool is_as_expected(const Grade& grade, const Sample& sample) const {
    return ends_as(grade, sample.expected, config_) &&
           (sample.expected != Outcome::passed || has_all_points(grade) != sample.fewer_points);
  }

  /// Grades the solution with one source replaced.
  Grade grade_with(Grader& grader, const std::string& file, const std::string& text,
                   const fs::path& folder) const {
    fs::copy(folder_ / "solution", folder, fs::copy_options::recursive);
    write_file(folder / file, text);
    return grader.grade(folder, file);
  }

  void check_guesses(const std::set<std::string>& stages, Device device) {
    const auto name_of = [&](const WrongSource& guess) {
      return fmt::format("{}: {}", source(device), guess.what);
    };
    auto guesses = guesses_at(task_.description(), device);
    std::erase_if(guesses, [&](const WrongSource& guess) { return !is_wanted(name_of(guess)); });
    if (guesses.empty()) return;
    Config outputs_alone = config_;
    // Guesses are written for opgrade's own call. What they show about the task's inputs and checks
    // does not depend on staff's caller.
    if (!task_.description().callers.empty()) outputs_alone.task = task_.without_caller();
    for (auto& stage : outputs_alone.stages) stage.constructs.clear();
    Grader grader(outputs_alone, of_stages(stages), whole_.references());
    each("guess", {device}, guesses, [&](const WrongSource& guess) -> std::optional<TaskFinding> {
      const std::string what = name_of(guess);
      return reused(what, guess.text, [&]() -> std::optional<TaskFinding> {
        const TempDir folder("opgrade-task-");
        const Grade grade = grade_with(grader, source(device), guess.text, folder.path());
        const bool built = grade.outcome != Outcome::build_failed;
        return TaskFinding{
            .good = built && grade.points <= 0,
            .undecided = grade.outcome == Outcome::grader_fault,
            .what = what,
            .seen = built ? fmt::format("{:g} of {:g} points", grade.points, grade.max_points)
                          : seen_in(grade),
            .advice = built ? "some case accepts it: choose inputs whose answer is not trivial"
                            : "opgrade wrote it, please report this bug: " +
                                  grade.stages.front().build.compiler_output};
      });
    });
  }

  void check_mutants(Device device) {
    const fs::path file = folder_ / "solution" / source(device);
    const auto mutants = spread(mutants_of(text_of_file(file)), options_.mutants);
    std::vector<WrongSource> undecided;
    const auto what_of = [&](const WrongSource& mutant) {
      return fmt::format("solution/{}, {}", source(device), mutant.what);
    };
    each("planted mistake", {device}, mutants, [&](const WrongSource& mutant) {
      auto finding = check_mutant(device, what_of(mutant), mutant.text);
      if (finding && finding->undecided) {
        const std::scoped_lock lock(guard_);
        undecided.push_back(mutant);
        finding.reset();
      }
      return finding;
    });
    // Undecided mutants are run again one by one, because the machine may have been too busy with
    // several at a time.
    for (const WrongSource& mutant : undecided)
      if (const auto finding = check_mutant(device, what_of(mutant), mutant.text)) add(*finding);
  }

  std::optional<TaskFinding> check_mutant(Device device, const std::string& what,
                                          const std::string& text) {
    return reused(what, text, [&]() -> std::optional<TaskFinding> {
      const TempDir folder("opgrade-task-");
      const Grade grade = grade_with(mutant_grader(device), source(device), text, folder.path());
      // A refused mutant changes more than the one function that students may change.
      if (grade.outcome == Outcome::build_failed || grade.outcome == Outcome::refused)
        return std::nullopt;
      const bool found = is_noticed(grade), undecided = !found && is_undecided(grade.outcome);
      std::string seen = found || undecided ? seen_in(grade) : "not noticed" + warning_in(grade);
      seen += seed_text(grade, folder.path(), fails_in_a_case);
      return TaskFinding{.good = found,
                         .undecided = undecided,
                         .mutant = true,
                         .what = what,
                         .seen = std::move(seen),
                         .advice = undecided ? sample_advice(grade, "")
                                             : "add a case that shows it, unless it computes the "
                                               "same"};
    });
  }

  static bool fails_in_a_case(const Grade& grade) {
    for (const auto& stage : grade.stages)
      for (const auto& c : stage.cases)
        if (c.outcome != Outcome::passed && !is_undecided(c.outcome)) return true;
    return false;
  }

  /// True if a case fails, even if the grader failed in other cases, or if points are lost.
  static bool is_noticed(const Grade& grade) {
    return fails_in_a_case(grade) || (!is_undecided(grade.outcome) && !has_all_points(grade));
  }

  /// The grader with limits that depend on the solution's times.
  Grader& mutant_grader(Device device) {
    const LimitConfig limits = bound();
    const std::scoped_lock lock(guard_);
    auto& grader = for_mutants_[device];
    if (!grader) {
      Config bounded = config_;
      bounded.run_limits = limits;
      grader = std::make_unique<Grader>(std::move(bounded), of_stages(stages_for(device)),
                                        whole_.references());
    }
    return *grader;
  }

  /// Reuses a result that was as expected for the same task, program, device and text.
  std::optional<TaskFinding> reused(const std::string& what, const std::string& text,
                                    const std::function<std::optional<TaskFinding>()>& run) {
    const fs::path kept =
        options_.seen_before.empty()
            ? fs::path()
            : options_.seen_before /
                  hash_of({what, text, program_version(), whole_.config_sha256(), device_text(),
                           std::to_string(*options_.grading.seed)});
    if (!kept.empty()) {
      const std::scoped_lock lock(guard_);
      used_.insert(kept);
    }
    if (!kept.empty() && fs::exists(kept)) {
      const std::string entry = text_of_file(kept);
      if (entry.empty()) return std::nullopt;
      const bool mutant = entry.front() == 'm';
      return TaskFinding{
          .good = true, .mutant = mutant, .what = what, .seen = entry.substr(1), .reused = true};
    }
    const Watched watched(*this, what);
    auto finding = run();
    if (finding) finding->took_s = watched.seconds();
    if (!kept.empty() && (!finding || (finding->good && !finding->undecided)))
      write_file(kept, finding ? (finding->mutant ? "m" : " ") + finding->seen : "");
    return finding;
  }

  std::string device_text() const {
    const auto device = options_.grading.gpu_device;
    return fmt::format("{} {}", device ? static_cast<int>(*device) : -1,
                       fs::exists("/dev/nvidiactl"));
  }

  static std::string hash_of(std::initializer_list<std::string_view> texts) {
    std::string all;
    for (const auto text : texts) all.append(text) += '\n';
    return sha256_of_text(all);
  }

  /// Removes results that no later check will use.
  void forget_unused() const {
    std::error_code ignored;
    std::vector<fs::path> old;
    for (const auto& entry : fs::directory_iterator(options_.seen_before, ignored))
      if (!used_.contains(entry.path()) && entry.path().filename() != kSeedFile)
        old.push_back(entry.path());
    for (const auto& file : old) fs::remove(file, ignored);
  }

  /// Runs several checks in parallel; each is reported when it ends.
  void each(const char* kind, const std::vector<Device>& devices, const auto& items,
            const auto& check) {
    parallel_for(static_cast<int>(items.size()), options_.grading.parallel_runs, [&](int i) {
      const auto& item = items[static_cast<std::size_t>(i)];
      begin_step(kind, devices, i + 1, items.size(), item.what);
      const std::optional<TaskFinding> finding = check(item);
      const std::scoped_lock lock(guard_);
      if (finding) add(*finding);
    });
  }

  const Config& config_;
  const TaskCheckOptions& options_;
  const std::function<void(const TaskFinding&)>& tell_;
  const StillRuns& still_runs_;
  const FolderTask& task_;
  const fs::path folder_;
  const Device gpu_stages_;  ///< where stages on a GPU run
  Grader whole_;
  std::map<Device, std::unique_ptr<Grader>> by_device_, for_mutants_;
  std::map<std::set<std::string>, std::unique_ptr<Grader>> by_cases_;  ///< with the other seed
  std::mutex bound_guard_, measuring_;
  std::optional<LimitConfig> bound_;  ///< limits for planted mistakes
  std::mutex guard_;
  TaskCheckResult result_;
  std::set<fs::path> used_;  ///< files of seen_before that this check used
};

}  // namespace

TaskCheckResult check_task(const Config& config, const TaskCheckOptions& options,
                           const std::function<void(const TaskFinding&)>& tell,
                           const std::function<void(const std::string&, double)>& still_runs) {
  return TaskCheck(config, options, tell, still_runs).run();
}

}  // namespace opgrade
