#include "grader/course/slurm/slurm_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <thread>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/report/words/events.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

/// Polls after a task has ended before its result counts as missing. A network file system may show
/// a file some seconds late.
constexpr int kLooks = 2;

std::string tail_of(const fs::path& log) {
  std::error_code ignored;
  if (!fs::exists(log, ignored)) return "it wrote nothing";
  const std::string text = text_of_file(log);
  return printable_line(text.substr(text.size() - std::min<std::size_t>(text.size(), 300)), 400);
}

/// One run on the cluster: its job arrays are submitted, watched and, after a fault of a machine,
/// submitted again.
class SlurmWatch {
 public:
  SlurmWatch(SlurmRun run, std::map<std::size_t, GradingJob> wanted, const Slurm& slurm,
             const SlurmOptions& options)
      : run_(std::move(run)),
        open_(std::move(wanted)),
        slurm_(slurm),
        options_(options),
        batches_(run_.batches()) {}

  const SlurmRun& run() const { return run_; }
  bool is_done() const { return open_.empty(); }
  bool has_undone() const { return !undone_.empty(); }
  std::vector<Undone> take_undone() { return std::move(undone_); }

  /// Submits all jobs, in batches.
  void submit_all() {
    std::vector<Batch> batches;
    const auto size = static_cast<std::size_t>(options_.settings.batch);
    for (const auto& [i, job] : open_) {
      if (batches.empty() || batches.back().jobs.size() >= size) batches.emplace_back();
      batches.back().jobs.push_back(i);
    }
    submit(batches);
  }

  void collect(const Executor::Done& done) {
    for (auto open = open_.begin(); open != open_.end();) {
      std::error_code ignored;
      if (!fs::exists(run_.jobs()[open->first].result, ignored)) {
        ++open;
        continue;
      }
      const GradingJob job = open->second;
      take_files(run_.jobs()[open->first]);
      write_new_file(job.result, text_of_file(run_.jobs()[open->first].result), job.root);
      open = open_.erase(open);
      done(job);
    }
  }

  /// Submits arrays again for which sbatch gave no answer, unless Slurm has them.
  void submit_unanswered(const std::vector<SlurmTask>& all) {
    std::erase_if(unanswered_, [&](const Array& array) {
      const bool taken =
          std::ranges::find(all, name_of_array(array.first), &SlurmTask::name) != all.end();
      return taken || submit_array(array) != Submitted::unanswered;
    });
  }

  /// Finds tasks that ended without a result, and submits or gives up their jobs.
  void settle(const std::vector<SlurmTask>& all) {
    const auto tasks = tasks_of(all);
    std::map<int, std::vector<std::size_t>> open;  // by the last batch that contains them
    for (const auto& [job, ignored] : open_) open[last_batch(job)].push_back(job);
    std::vector<Batch> again;
    for (const auto& [batch, jobs] : open) {
      if (is_unanswered(batch)) continue;
      const auto found = tasks.find(batch);
      const SlurmTask* const task = found == tasks.end() ? nullptr : &found->second;
      const TaskEnd end = task == nullptr ? TaskEnd::machine : task_end(task->state);
      if (end == TaskEnd::alive) {
        looks_.erase(batch);
      } else if (++looks_[batch] >= kLooks) {
        settle_batch(batch, jobs, task, end, again);
      }
    }
    if (!again.empty()) submit(again);
  }

  std::vector<SlurmTask> alive(const std::vector<SlurmTask>& all) const {
    std::vector<SlurmTask> tasks;
    for (const auto& [batch, task] : tasks_of(all))
      if (task_end(task.state) == TaskEnd::alive) tasks.push_back(task);
    return tasks;
  }

 private:
  /// Reports the files of a job. They are complete, because the job's result exists.
  void take_files(const GradingJob& in_run) const {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(run_.files_of(in_run.file), none))
      if (!entry.is_symlink(none) && entry.is_regular_file(none)) options_.take_file(entry.path());
  }

  /// The batches from `first` on, which are one job array.
  struct Array {
    std::size_t first = 0, count = 0;
  };

  std::string name_of_array(std::size_t first) const {
    return name_prefix() + std::to_string(first);
  }

  std::string name_prefix() const { return "opgrade." + run_.name() + "."; }

  bool is_unanswered(int batch) const {
    return std::ranges::any_of(unanswered_, [&](const Array& array) {
      return batch >= static_cast<int>(array.first) &&
             batch < static_cast<int>(array.first + array.count);
    });
  }

  /// The tasks by batch. A task's name has the first batch of its array.
  std::map<int, SlurmTask> tasks_of(const std::vector<SlurmTask>& all) const {
    std::map<int, SlurmTask> tasks;
    const std::string prefix = name_prefix();
    for (const SlurmTask& task : all) {
      if (!task.name.starts_with(prefix)) continue;
      if (const auto first = whole_number<int>(std::string_view(task.name).substr(prefix.size())))
        tasks.insert_or_assign(*first + task.index, task);
    }
    return tasks;
  }

  /// The last batch that contains a job; -1 if a kill came before its batch was written.
  int last_batch(std::size_t job) const {
    for (std::size_t b = batches_.size(); b-- > 0;)
      if (std::ranges::find(batches_[b].jobs, job) != batches_[b].jobs.end())
        return static_cast<int>(b);
    return -1;
  }

  void submit(const std::vector<Batch>& batches) {
    const auto first = static_cast<std::size_t>(run_.add(batches));
    batches_.insert(batches_.end(), batches.begin(), batches.end());
    for (std::size_t done = 0; done < batches.size(); done += kMaxArray) {
      const Array array{first + done, std::min(kMaxArray, batches.size() - done)};
      if (submit_array(array) == Submitted::unanswered) unanswered_.push_back(array);
    }
  }

  enum class Submitted { taken, unanswered, cancelled };
  Submitted submit_array(const Array& array) {
    const auto lock = run_.lock_submissions();
    if (!lock || run_.has_ended()) {
      for (std::size_t b = array.first; b < array.first + array.count; ++b) {
        std::vector<std::size_t> open = batches_[b].jobs;
        std::erase_if(open, [&](std::size_t job) { return !open_.contains(job); });
        give_up(open, "cancelled before it was submitted; repeat the command");
      }
      return Submitted::cancelled;
    }
    const auto& settings = options_.settings;
    std::vector<std::string> arguments = sbatch_options(settings);
    arguments.insert(
        arguments.end(),
        {"--export=NONE", "--no-requeue",
         fmt::format("--array=0-{}{}", array.count - 1,
                     settings.at_once > 0 ? fmt::format("%{}", settings.at_once) : ""),
         "--job-name=" + name_of_array(array.first),
         "--output=" + run_.log_of("%A", 0).parent_path().string() + "/%A_%a.txt",
         "--chdir=" + run_.folder().string(), run_.script().string(), std::to_string(array.first)});
    const auto id = slurm_.submit(arguments);
    if (id) options_.listen(events::ArraySubmitted{*id, static_cast<int>(array.count)});
    return id ? Submitted::taken : Submitted::unanswered;
  }

  void settle_batch(int batch, const std::vector<std::size_t>& jobs, const SlurmTask* task,
                    TaskEnd end, std::vector<Batch>& again) {
    const int retries = batch < 0 ? -1 : batches_[static_cast<std::size_t>(batch)].retries;
    events::TaskFailed failed;
    if (task != nullptr) failed = {task->array, task->index, task->node, task->state};
    const std::string what = report::event_text(failed, report::Audience::staff);
    if (end == TaskEnd::machine) {
      if (retries < options_.settings.retries) {
        failed.again = true;
        options_.listen(failed);
        again.push_back({jobs, retries + 1});
      } else {
        give_up(jobs, fmt::format("{}, after {}; repeat the command", what,
                                  counted(retries + 1, "try", "tries")));
      }
      return;
    }
    if (end == TaskEnd::cancelled) {
      give_up(jobs, what + "; repeat the command to grade it");
      return;
    }
    std::vector<std::size_t> begun, others;
    for (const std::size_t job : jobs) (run_.has_begun(batch, job) ? begun : others).push_back(job);
    const std::string log = tail_of(run_.log_of(task->array, task->index));
    if (begun.empty()) {
      give_up(jobs, fmt::format("{}, before it graded anything: {}", what, log));
      return;
    }
    for (const std::size_t job : begun) {
      // A result that was written meanwhile stays.
      write_new_file(run_.jobs()[job].result,
                     report_json(fault_of(run_.jobs()[job], what + ": " + log)));
    }
    if (!others.empty()) again.push_back({others, retries});
  }

  void give_up(const std::vector<std::size_t>& jobs, const std::string& why) {
    for (const std::size_t i : jobs) undone_.push_back({open_.extract(i).mapped(), why});
  }

  SlurmRun run_;
  std::map<std::size_t, GradingJob> open_;  ///< by index in the run: the course's job
  const Slurm& slurm_;
  const SlurmOptions& options_;
  std::vector<Batch> batches_;
  std::map<int, int> looks_;
  std::vector<Array> unanswered_;
  std::vector<Undone> undone_;
};

std::string key_of(const GradingJob& job) {
  return fmt::format("{}/{}/{}/{}/{}", job.submission, job.sha256, job.config_sha256, job.version,
                     job.number);
}

/// Polls Slurm's controller. Reports once that it stopped answering, and once that it answers
/// again.
class Controller {
 public:
  Controller(const Slurm& slurm, const SlurmOptions& options) : slurm_(slurm), options_(options) {}

  /// nullopt while the controller does not answer.
  std::optional<std::vector<SlurmTask>> tasks() {
    auto tasks = slurm_.tasks();
    if (tasks.has_value() != answers_)
      options_.listen(events::ControllerChanged{tasks.has_value()});
    answers_ = tasks.has_value();
    return tasks;
  }

  /// Waits for an answer. Throws Interrupted.
  std::vector<SlurmTask> await_tasks() {
    for (;;) {
      interrupt::check();
      if (auto answer = tasks()) return *std::move(answer);
      std::this_thread::sleep_for(options_.settings.poll);
    }
  }

 private:
  const Slurm& slurm_;
  const SlurmOptions& options_;
  bool answers_ = true;
};

bool cancel_arrays(const Slurm& slurm, const std::vector<SlurmTask>& tasks) {
  std::set<std::string> arrays;
  for (const auto& task : tasks) arrays.insert(task.array);
  return slurm.cancel({arrays.begin(), arrays.end()});
}

/// The runs of earlier calls for this purpose that still have wanted jobs. These jobs are removed
/// from `jobs`.
std::list<SlurmWatch> found_runs(const std::string& purpose,
                                 std::map<std::string, GradingJob>& jobs, const Slurm& slurm,
                                 const SlurmOptions& options, Controller& controller) {
  std::list<SlurmWatch> watches;
  for (SlurmRun& run : SlurmRun::unfinished(options.settings.shared)) {
    if (run.course() != options.facts.course || run.purpose() != purpose) continue;
    std::map<std::size_t, GradingJob> wanted;
    for (std::size_t i = 0; i < run.jobs().size(); ++i)
      if (auto job = jobs.extract(key_of(run.jobs()[i]))) wanted.emplace(i, job.mapped());
    const std::size_t count = wanted.size();
    SlurmWatch watch(std::move(run), std::move(wanted), slurm, options);
    if (count > 0) {
      options.listen(events::ArraysFound{static_cast<int>(count)});
      watches.push_back(std::move(watch));
      continue;
    }
    // If scancel does not answer, the next call tries again.
    if (cancel_arrays(slurm, watch.alive(controller.await_tasks()))) watch.run().end();
  }
  return watches;
}

}  // namespace

std::vector<Undone> SlurmExecutor::run(const std::string& purpose,
                                       const std::vector<GradingJob>& jobs, const Begun&,
                                       const Done& done) {
  std::map<std::string, GradingJob> left;
  for (const GradingJob& job : jobs) left.emplace(key_of(job), job);
  Controller controller(slurm_, options_);
  std::list<SlurmWatch> watches = found_runs(purpose, left, slurm_, options_, controller);
  std::vector<Undone> undone;
  if (!left.empty() && options_.resume_only) {
    for (const auto& [key, job] : left)
      undone.push_back({job, "no earlier call submitted it; repeat the command without --resume"});
  } else if (!left.empty()) {
    std::vector<GradingJob> fresh;
    std::map<std::size_t, GradingJob> wanted;
    for (const GradingJob& job : jobs) {  // in the order of `jobs`
      if (!left.contains(key_of(job))) continue;
      wanted.emplace(fresh.size(), job);
      fresh.push_back(job);
    }
    watches.emplace_back(SlurmRun::create(options_.settings.shared, options_.facts, purpose, fresh),
                         std::move(wanted), slurm_, options_);
  }
  /// nullopt if the controller does not answer.
  const auto alive = [&]() -> std::optional<std::vector<SlurmTask>> {
    const auto all = slurm_.tasks();
    if (!all) {
      options_.listen(events::TasksLeft{"squeue"});
      return std::nullopt;
    }
    std::vector<SlurmTask> tasks;
    for (const SlurmWatch& watch : watches)
      std::ranges::copy(watch.alive(*all), std::back_inserter(tasks));
    return tasks;
  };
  const auto cancel = [&](const std::vector<SlurmTask>& tasks) {
    if (!cancel_arrays(slurm_, tasks)) {
      options_.listen(events::TasksLeft{"scancel"});
      return;
    }
    for (SlurmWatch& watch : watches) {
      watch.collect([](const GradingJob&) {});  // the next call records the results
      watch.run().end();
    }
  };
  try {
    if (!watches.empty() && !left.empty() && !options_.resume_only) watches.back().submit_all();
    while (!watches.empty()) {
      interrupt::check();
      // Slurm is asked before results are read, because a task that has ended by then has written
      // its result.
      const auto tasks = controller.tasks();
      for (SlurmWatch& watch : watches) {
        watch.collect(done);
        if (tasks) {
          watch.submit_unanswered(*tasks);
          watch.settle(*tasks);
        }
        if (!watch.is_done()) continue;
        const bool complete = !watch.has_undone();
        std::ranges::move(watch.take_undone(), std::back_inserter(undone));
        complete ? watch.run().remove() : watch.run().end();
      }
      watches.remove_if([](const SlurmWatch& watch) { return watch.is_done(); });
      if (!watches.empty()) std::this_thread::sleep_for(options_.settings.poll);
    }
  } catch (const interrupt::Interrupted&) {
    const auto tasks = alive();
    if (tasks && !tasks->empty() && options_.cancel_tasks(tasks->size())) cancel(*tasks);
    throw;
  } catch (const Error&) {
    if (const auto tasks = alive()) cancel(*tasks);
    throw;
  }
  return undone;
}

std::string course_name(const fs::path& folder) { return fs::canonical(folder).string(); }

namespace {

/// Cancels the tasks of each run of `course` for a purpose for which `ends` is true, then calls
/// `after` with the run and the number of its tasks. If a run has ended, its tasks are not
/// cancelled: they begin no further job.
void cancel_tasks_of(std::vector<SlurmRun> runs, const std::string& course,
                     const std::function<bool(const std::string& purpose)>& ends,
                     const std::function<Slurm()>& slurm,
                     const std::function<void(const SlurmRun&, std::size_t tasks)>& after) {
  std::erase_if(
      runs, [&](const SlurmRun& run) { return run.course() != course || !ends(run.purpose()); });
  if (runs.empty()) return;
  const Slurm commands = slurm();
  // The locks are taken before squeue runs, because an array that is being submitted must be in its
  // answer.
  std::vector<std::optional<SubmitLock>> locks;
  for (const SlurmRun& run : runs) locks.push_back(run.lock_submissions());
  const auto all = commands.tasks();
  const SlurmOptions options;
  for (SlurmRun& run : runs) {
    const SlurmWatch watch(std::move(run), {}, commands, options);
    const auto alive = all ? watch.alive(*all) : std::vector<SlurmTask>{};
    if (!all || (!watch.run().has_ended() && !cancel_arrays(commands, alive)))
      throw Error(fmt::format("Slurm's controller does not answer, so the tasks of {} go on",
                              watch.run().name()),
                  "repeat the command when squeue answers");
    after(watch.run(), alive.size());
  }
}

}  // namespace

void cancel_runs(const fs::path& shared, const std::string& course,
                 const std::function<bool(const std::string& purpose)>& ends,
                 const std::function<Slurm()>& slurm) {
  cancel_tasks_of(SlurmRun::unfinished(shared), course, ends, slurm,
                  [](const SlurmRun& run, std::size_t) { run.end(); });
}

void remove_runs(const fs::path& shared, const std::string& course,
                 const std::function<bool(const std::string& purpose)>& ends,
                 const std::function<Slurm()>& slurm) {
  cancel_tasks_of(
      SlurmRun::all(shared), course, ends, slurm,
      [](const SlurmRun& run, std::size_t tasks) { tasks == 0 ? run.remove() : run.end(); });
}

}  // namespace opgrade::course
