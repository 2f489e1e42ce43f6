#include "grader/app/task_check.hpp"

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
#include <set>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include "grader/app/findings_run.hpp"
#include "grader/app/grader.hpp"
#include "grader/app/program_version.hpp"
#include "grader/config/sample_edits.hpp"
#include "grader/core/error.hpp"
#include "grader/core/finding_kind.hpp"
#include "grader/core/parallel.hpp"
#include "grader/core/temp_dir.hpp"
#include "grader/device/gpu.hpp"
#include "grader/files/checksum.hpp"
#include "grader/files/text_file.hpp"
#include "grader/report/reason_words.hpp"
#include "grader/tasks/folder/folder_task.hpp"
#include "grader/tasks/folder/mutants.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// The case that says most about a grade: the first with its worst outcome.
const CaseReport* worst_case(const Grade& grade) {
  for (const auto& stage : grade.stages)
    for (const auto& c : stage.cases)
      if (c.outcome == grade.outcome) return &c;
  return nullptr;
}

bool is_whole(const Grade& grade) {
  return grade.outcome == Outcome::passed && grade.points + grade.open_points >= grade.max_points;
}

/// A GPU hides a mistake, or computes wrong values. If findings decide, they are looked for there,
/// too.
bool fits(const Grade& grade, Outcome expected, const Config& config) {
  using enum Outcome;
  if (grade.outcome == expected) return true;
  const bool hides = std::ranges::any_of(grade.stages, [&](const StageReport& stage) {
    return stage.device == Device::cuda &&
           findings_on_gpu(stage.device, config) != FindingsRole::mistakes;
  });
  if (expected == mistake_found) return hides || grade.outcome == wrong_output;
  return expected == wrong_output && grade.outcome == mistake_found && !hides;
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

std::string warning_in(const Grade& grade) {
  for (const auto& stage : grade.stages)
    for (const auto& c : stage.cases)
      for (const auto& finding : c.findings)
        if (warns(finding))
          return fmt::format(
              " but for a warning ({} in line {}): `findings: decide` in task.yaml makes it cost "
              "the case's points",
              finding.kind, finding.line);
  return {};
}

/// Of a right submission: how near its largest rounding error is to what is allowed. Near it, other
/// inputs would cost a right submission its points. Whole numbers are meant to be met exactly.
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

/// All names and bytes of a folder.
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

/// Folders, and files of edits.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing))
    if (entry.is_directory() || is_edits(entry.path())) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

/// Of stages on a GPU, which is emulated where there is none, and of all others.
constexpr std::array kDevices{Device::cpu, Device::cuda};

struct Sample {
  std::string what;                          ///< "submissions/wrong_output/one_block"
  std::map<std::string, std::string> files;  ///< in which it differs from the solution
  Outcome expected;
  bool fewer_points;  ///< right, and yet without all points

  bool is_right() const { return expected == Outcome::passed && !fewer_points; }
};

/// The names of the files in which a sample differs from the solution, and their texts.
std::map<std::string, std::string> files_of(const fs::path& sample, const fs::path& solution) {
  if (is_edits(sample)) return edited_files(sample, solution);
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(sample))
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(sample)] = text_of_file(entry.path());
  return files;
}

/// The folder of right submissions that a rule on constructs or counts costs points.
constexpr std::string_view kFewerPoints = "fewer_points";

std::optional<Outcome> outcome_named(const std::string& id) {
  const auto found = std::ranges::find(kOutcomes, id, &OutcomeWords::id);
  return found != kOutcomes.end() ? std::optional(found->outcome) : std::nullopt;
}

/// Evenly spread ones, where there are more.
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
        task_(dynamic_cast<const FolderTask&>(task_of(find_interface(config.interface)))),
        folder_(task_.folder()),
        gpu_stages_(options.grading.gpu_device ? *options.grading.gpu_device
                    : find_gpus().empty()      ? Device::emulated
                                               : Device::cuda),
        whole_(config, options.grading) {}

  TaskCheckResult run() {
    if (!fs::is_directory(folder_ / "solution"))
      throw UsageError(fmt::format("{} has no solution/", folder_.string()),
                       "a task that was published cannot be checked: check the lecturer's folder");
    // All else follows from it.
    begin_step("reference.cpp", {Device::cpu});
    if (!check_reference()) return result_;
    if (is_wanted("solution")) check_solution();
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
    else if (result_.tried == 1)  // the reference
      throw UsageError(fmt::format("there is nothing named {} to try", options_.only),
                       "name a sample, such as wrong_output/one_block, or another line of a check "
                       "without --only, such as solution");
    return result_;
  }

 private:
  /// Tells of a run that takes long.
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

  /// Of all stages.
  std::vector<Device> devices() const {
    std::vector<Device> used;
    std::ranges::copy_if(kDevices, std::back_inserter(used),
                         [this](Device device) { return !stages_for(device).empty(); });
    return used;
  }

  void add(const TaskFinding& finding) {
    ++(finding.mutant ? result_.mutants : result_.tried);
    if (!finding.good) ++(finding.mutant ? result_.survivors : result_.bad);
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

  /// Of the device's stages alone.
  Grader& grader_of(Device device) {
    const std::scoped_lock lock(guard_);
    auto& grader = by_device_[device];
    if (!grader) grader = std::make_unique<Grader>(config_, of_stages(stages_for(device)));
    return *grader;
  }

  /// Of the stages that a change of these files can change.
  Grader& grader_of(const std::map<std::string, std::string>& files) {
    for (const Device device : kDevices)
      if (files.size() == 1 && files.contains(source(device)) && !stages_for(device).empty())
        return grader_of(device);
    return whole_;
  }

  std::string source(Device device) const {
    return std::string(task_.interfaces().front().source(device));
  }

  /// Twice, in the same process and with the same inputs.
  bool check_reference() {
    const Coordinates sizes = task_.control_sizes();
    std::string seen, advice;
    try {
      if (!task_.repeats(sizes)) {
        seen = "two calls with the same inputs give other outputs";
        advice = "its outputs must depend on its arguments alone: is a variable not set?";
      }
    } catch (const Error& e) {
      seen = e.what();
      advice = e.hint;
    }
    add({.good = seen.empty(),
         .what = "reference.cpp",
         .seen = seen.empty() ? fmt::format("the same outputs twice at {}", text_of(sizes)) : seen,
         .advice = advice});
    return seen.empty();
  }

  /// The file with the planted bug.
  void check_given() {
    begin_step("template", devices());
    const Grade grade = whole_.grade(folder_ / "template", "template");
    const bool wrong = grade.outcome != Outcome::build_failed && !is_whole(grade);
    add({.good = wrong,
         .what = "template",
         .seen = seen_in(grade),
         .advice = "the given file must build, and its bug must cost points"});
  }

  void check_solution() {
    begin_step("solution", devices());
    add(*reused("solution", text_in(folder_ / "solution"), [&]() -> std::optional<TaskFinding> {
      const Grade grade = whole_.grade(folder_ / "solution", "solution");
      return TaskFinding{
          .good = is_whole(grade),
          .what = "solution",
          .seen = fmt::format(
              "{}, {:g} of {:g} points{}{}", seen_in(grade), grade.points, grade.max_points,
              grade.open_points > 0 ? fmt::format(", {:g} open without a GPU", grade.open_points)
                                    : "",
              narrow_tolerance_in(grade)),
          .advice =
              "mend the solution or reference.cpp, or widen the tolerance: the reference "
              "solution must have all points"};
    }));
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
             .advice = "name the folder by an outcome: passed, wrong_output, mistake_found, "
                       "crashed, out_of_time, build_failed; or fewer_points"});
        continue;
      }
      for (const auto& entry : entries_of(verdict)) {
        Sample sample{fs::path("submissions") / name / entry.stem(), {}, *expected, fewer};
        if (!is_wanted(sample.what)) continue;
        try {
          sample.files = files_of(entry, folder_ / "solution");
          if (is_for_this_form(sample.files)) samples.push_back(std::move(sample));
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

  /// It has one of the solution's sources, or a file that one of them includes.
  bool is_for_this_form(const std::map<std::string, std::string>& files) const {
    for (const Device device : kDevices) {
      if (stages_for(device).empty()) continue;
      const std::string text = text_of_file(folder_ / "solution" / source(device));
      for (const auto& [name, changed] : files)
        if (name == source(device) || text.find('"' + name + '"') != std::string::npos) return true;
    }
    return false;
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
      const bool fits_points =
          sample.expected != Outcome::passed || is_whole(grade) != sample.fewer_points;
      return TaskFinding{
          .good = fits(grade, sample.expected, config_) && fits_points,
          .what = sample.what,
          .seen = seen_in(grade),
          .advice = sample.fewer_points
                        ? "a rule on constructs or counts must cost it points, but no output be "
                          "wrong"
                    : sample.is_right()
                        ? "a right submission must have all points: is the tolerance too narrow?"
                        : fmt::format("expected '{}': is a case missing that would show it?",
                                      words(sample.expected).text)};
    });
  }

  /// The solution with one source replaced.
  Grade grade_with(Grader& grader, const std::string& file, const std::string& text) {
    const TempDir folder("opgrade-task-");
    fs::copy(folder_ / "solution", folder.path(), fs::copy_options::recursive);
    write_file(folder.path() / file, text);
    return grader.grade(folder.path(), file);
  }

  void check_guesses(const std::set<std::string>& stages, Device device) {
    const auto name_of = [&](const WrongSource& guess) {
      return fmt::format("{}: {}", source(device), guess.what);
    };
    auto guesses = guesses_at(task_.description(), device);
    std::erase_if(guesses, [&](const WrongSource& guess) { return !is_wanted(name_of(guess)); });
    if (guesses.empty()) return;
    Config outputs_alone = config_;
    for (auto& stage : outputs_alone.stages) stage.constructs.clear();
    Grader grader(outputs_alone, of_stages(stages));
    each("guess", {device}, guesses, [&](const WrongSource& guess) -> std::optional<TaskFinding> {
      const std::string what = name_of(guess);
      return reused(what, guess.text, [&]() -> std::optional<TaskFinding> {
        const Grade grade = grade_with(grader, source(device), guess.text);
        const bool built = grade.outcome != Outcome::build_failed;
        return TaskFinding{
            .good = built && grade.points <= 0,
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
    each("planted mistake", {device}, mutants,
         [&](const WrongSource& mutant) -> std::optional<TaskFinding> {
           const std::string what = fmt::format("solution/{}, {}", source(device), mutant.what);
           return reused(what, mutant.text, [&]() -> std::optional<TaskFinding> {
             const Grade grade = grade_with(grader_of(device), source(device), mutant.text);
             // Refused: it changes more than the one function.
             if (grade.outcome == Outcome::build_failed || grade.outcome == Outcome::refused)
               return std::nullopt;
             const bool survives = is_whole(grade),
                        undecided = grade.outcome == Outcome::grader_fault;
             return TaskFinding{
                 .good = !survives && !undecided,
                 .mutant = true,
                 .what = what,
                 .seen = survives ? "not noticed" + warning_in(grade) : seen_in(grade),
                 .advice = undecided
                               ? "undecided: check the task again when the machine is less busy"
                               : "add a case that shows it, unless it computes the same"};
           });
         });
  }

  /// What was as expected for the same task, program, device and text is not run again.
  std::optional<TaskFinding> reused(const std::string& what, const std::string& text,
                                    const std::function<std::optional<TaskFinding>()>& run) {
    const fs::path kept =
        options_.seen_before.empty()
            ? fs::path()
            : options_.seen_before /
                  hash_of({what, text, program_version(), whole_.config_sha256(), device_text()});
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
    if (!kept.empty() && (!finding || finding->good))
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

  /// What no check will ask for again.
  void forget_unused() const {
    std::error_code ignored;
    std::vector<fs::path> old;
    for (const auto& entry : fs::directory_iterator(options_.seen_before, ignored))
      if (!used_.contains(entry.path())) old.push_back(entry.path());
    for (const auto& file : old) fs::remove(file, ignored);
  }

  /// Several at a time; each is told as it ends.
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
  const Device gpu_stages_;  ///< where they run
  Grader whole_;
  std::map<Device, std::unique_ptr<Grader>> by_device_;
  std::mutex guard_;
  TaskCheckResult result_;
  std::set<fs::path> used_;  ///< of seen_before
};

}  // namespace

TaskCheckResult check_task(const Config& config, const TaskCheckOptions& options,
                           const std::function<void(const TaskFinding&)>& tell,
                           const std::function<void(const std::string&, double)>& still_runs) {
  return TaskCheck(config, options, tell, still_runs).run();
}

}  // namespace opgrade
