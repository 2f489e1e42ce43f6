#include "grader/course/slurm_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <list>
#include <map>
#include <set>
#include <thread>

#include "grader/core/error.hpp"
#include "grader/core/printable.hpp"
#include "grader/course/new_file.hpp"
#include "grader/course/result_files.hpp"
#include "grader/process/interrupt.hpp"
#include "grader/report/json.hpp"
#include "grader/results/result_names.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

/// Polls of an ended task before its result counts as missing. A network file system may show a
/// file some seconds late.
constexpr int kLooks = 2;

constexpr const char* kNamePrefix = "opgrade.";

std::string key_of(const GradingJob& job) {
  return fmt::format("{}/{}/{}/{}/{}", job.submission, job.sha256, job.config_sha256, job.version,
                     job.number);
}

std::string tail_of(const fs::path& log) {
  std::error_code ignored;
  if (!fs::exists(log, ignored)) return "it wrote nothing";
  const std::string text = text_of_file(log);
  return printable_line(text.substr(text.size() - std::min<std::size_t>(text.size(), 300)), 400);
}

Grade fault_of(const GradingJob& job, const std::string& why) {
  Grade grade;
  grade.submission = result_name(job.owner);
  grade.submission_path = job.file.string();
  grade.config_sha256 = job.config_sha256;
  grade.machine.opgrade_version = job.version;
  grade.outcome = Outcome::grader_fault;
  grade.reason = why;
  return grade;
}

/// A run's tasks and what became of its jobs.
class Watch {
 public:
  Watch(SlurmRun run, std::map<std::size_t, GradingJob> wanted, const Slurm& slurm,
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

  /// All jobs, in batches.
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
      write_new_file(job.result, text_of_file(run_.jobs()[open->first].result));
      open = open_.erase(open);
      done(job);
    }
  }

  /// Looks for tasks that ended without a result.
  void settle(const std::vector<SlurmTask>& all) {
    const auto tasks = tasks_of(all);
    std::map<int, std::vector<std::size_t>> open;  // by the last batch that has them
    for (const auto& [job, ignored] : open_) open[last_batch(job)].push_back(job);
    std::vector<Batch> again;
    for (const auto& [batch, jobs] : open) {
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
  std::string name_prefix() const { return kNamePrefix + run_.name() + "."; }

  /// By batch: the name tells the first batch of an array.
  std::map<int, SlurmTask> tasks_of(const std::vector<SlurmTask>& all) const {
    std::map<int, SlurmTask> tasks;
    const std::string prefix = name_prefix();
    for (const SlurmTask& task : all) {
      if (!task.name.starts_with(prefix)) continue;
      int first = 0;
      const char* const end = task.name.data() + task.name.size();
      if (std::from_chars(task.name.data() + prefix.size(), end, first).ptr == end)
        tasks.insert_or_assign(first + task.index, task);
    }
    return tasks;
  }

  /// -1 where none has it, after a kill before its batch was written.
  int last_batch(std::size_t job) const {
    for (std::size_t b = batches_.size(); b-- > 0;)
      if (std::ranges::find(batches_[b].jobs, job) != batches_[b].jobs.end())
        return static_cast<int>(b);
    return -1;
  }

  void submit(const std::vector<Batch>& batches) {
    const int first = run_.add(batches);
    batches_.insert(batches_.end(), batches.begin(), batches.end());
    const auto& settings = options_.settings;
    for (std::size_t done = 0; done < batches.size(); done += kMaxArray) {
      const std::size_t count = std::min(kMaxArray, batches.size() - done);
      std::vector<std::string> arguments = sbatch_options(settings);
      arguments.insert(
          arguments.end(),
          {"--export=NONE", "--no-requeue",
           fmt::format("--array=0-{}{}", count - 1,
                       settings.at_once > 0 ? fmt::format("%{}", settings.at_once) : ""),
           fmt::format("--job-name={}{}", name_prefix(), static_cast<std::size_t>(first) + done),
           "--output=" + run_.log_of("%A", 0).parent_path().string() + "/%A_%a.txt",
           "--chdir=" + run_.folder().string(), run_.script().string(),
           std::to_string(static_cast<std::size_t>(first) + done)});
      const std::string id = slurm_.submit(arguments);
      options_.log(fmt::format("Slurm array {}: {} tasks", id, count));
    }
  }

  void settle_batch(int batch, const std::vector<std::size_t>& jobs, const SlurmTask* task,
                    TaskEnd end, std::vector<Batch>& again) {
    const int retries = batch < 0 ? -1 : batches_[static_cast<std::size_t>(batch)].retries;
    const std::string what =
        task == nullptr ? "a Slurm task is lost"
                        : fmt::format("Slurm task {}_{} on {}: {}", task->array, task->index,
                                      task->node.empty() ? "no node" : task->node, task->state);
    if (end == TaskEnd::machine) {
      if (retries < options_.settings.retries) {
        options_.log(what + "; its submissions are submitted again");
        again.push_back({jobs, retries + 1});
      } else {
        give_up(jobs, fmt::format("{}, after {} tries; repeat the command", what, retries + 1));
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
      // A result that came meanwhile stays.
      write_new_file(run_.jobs()[job].result,
                     report::json_report(fault_of(run_.jobs()[job], what + ": " + log),
                                         report::Audience::staff));
    }
    if (!others.empty()) again.push_back({others, retries});
  }

  void give_up(const std::vector<std::size_t>& jobs, const std::string& why) {
    for (const std::size_t i : jobs) undone_.push_back({open_.extract(i).mapped(), why});
  }

  SlurmRun run_;
  std::map<std::size_t, GradingJob> open_;  ///< the run's index, the course's job
  const Slurm& slurm_;
  const SlurmOptions& options_;
  std::vector<Batch> batches_;
  std::map<int, int> looks_;
  std::vector<Undone> undone_;
};

/// The runs of earlier calls for this assignment that still have wanted jobs, which leave `jobs`.
std::list<Watch> found_runs(std::map<std::string, GradingJob>& jobs, const Slurm& slurm,
                            const SlurmOptions& options) {
  std::list<Watch> watches;
  for (SlurmRun& run : SlurmRun::unfinished(options.settings.shared)) {
    if (run.course() != options.facts.course || run.assignment() != options.facts.assignment)
      continue;
    std::map<std::size_t, GradingJob> wanted;
    for (std::size_t i = 0; i < run.jobs().size(); ++i)
      if (auto job = jobs.extract(key_of(run.jobs()[i]))) wanted.emplace(i, job.mapped());
    const std::size_t count = wanted.size();
    Watch watch(std::move(run), std::move(wanted), slurm, options);
    if (count > 0) {
      options.log(fmt::format("an earlier call submitted {} of these: waiting for them", count));
      watches.push_back(std::move(watch));
      continue;
    }
    std::set<std::string> arrays;
    for (const auto& task : watch.alive(slurm.tasks().value_or(std::vector<SlurmTask>{})))
      arrays.insert(task.array);
    slurm.cancel({arrays.begin(), arrays.end()});
    watch.run().end();
  }
  return watches;
}

}  // namespace

std::vector<Undone> SlurmExecutor::run(const std::vector<GradingJob>& jobs, const Done& done) {
  std::map<std::string, GradingJob> left;
  for (const GradingJob& job : jobs) left.emplace(key_of(job), job);
  std::list<Watch> watches = found_runs(left, slurm_, options_);
  std::vector<Undone> undone;
  if (!left.empty() && options_.resume_only) {
    for (const auto& [key, job] : left)
      undone.push_back({job, "no earlier call submitted it; repeat the command without --resume"});
  } else if (!left.empty()) {
    std::vector<GradingJob> fresh;
    std::map<std::size_t, GradingJob> wanted;
    for (const GradingJob& job : jobs) {  // in their order
      if (!left.contains(key_of(job))) continue;
      wanted.emplace(fresh.size(), job);
      fresh.push_back(job);
    }
    watches.emplace_back(SlurmRun::create(options_.settings.shared, options_.facts, fresh),
                         std::move(wanted), slurm_, options_);
  }
  const auto alive = [&] {
    std::vector<SlurmTask> tasks;
    if (const auto all = slurm_.tasks())
      for (const Watch& watch : watches)
        std::ranges::copy(watch.alive(*all), std::back_inserter(tasks));
    return tasks;
  };
  const auto cancel = [&](const std::vector<SlurmTask>& tasks) {
    std::set<std::string> arrays;
    for (const auto& task : tasks) arrays.insert(task.array);
    slurm_.cancel({arrays.begin(), arrays.end()});
    for (Watch& watch : watches) {
      watch.collect([](const GradingJob&) {});  // the next call records them
      watch.run().end();
    }
  };
  try {
    if (!watches.empty() && !left.empty() && !options_.resume_only) watches.back().submit_all();
    bool answers = true;
    while (!watches.empty()) {
      interrupt::check();
      // Asked before the look for results: a task that ended by now has written its own.
      const auto tasks = slurm_.tasks();
      if (!tasks && answers) options_.log("squeue does not answer; waiting for Slurm's controller");
      answers = tasks.has_value();
      for (Watch& watch : watches) {
        watch.collect(done);
        if (tasks) watch.settle(*tasks);
        if (!watch.is_done()) continue;
        const bool complete = !watch.has_undone();
        std::ranges::move(watch.take_undone(), std::back_inserter(undone));
        complete ? watch.run().remove() : watch.run().end();
      }
      watches.remove_if([](const Watch& watch) { return watch.is_done(); });
      if (!watches.empty()) std::this_thread::sleep_for(options_.settings.poll);
    }
  } catch (const interrupt::Interrupted&) {
    const auto tasks = alive();
    if (!tasks.empty() && options_.cancel_tasks(tasks.size())) cancel(tasks);
    throw;
  } catch (const Error&) {
    cancel(alive());
    throw;
  }
  return undone;
}

}  // namespace opgrade::course
