#include "grader/course/slurm_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <thread>

#include "grader/core/error.hpp"
#include "grader/course/slurm_watch.hpp"
#include "grader/process/interrupt.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

std::string key_of(const GradingJob& job) {
  return fmt::format("{}/{}/{}/{}/{}", job.submission, job.sha256, job.config_sha256, job.version,
                     job.number);
}

/// Tells once when Slurm's controller falls silent, and once when it answers again.
class Controller {
 public:
  Controller(const Slurm& slurm, const SlurmOptions& options) : slurm_(slurm), options_(options) {}

  /// Nothing while the controller is silent.
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

/// The runs of earlier calls for this purpose that still have wanted jobs, which leave `jobs`.
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
    // Where scancel does not answer, the next call tries again.
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
    for (const GradingJob& job : jobs) {  // in their order
      if (!left.contains(key_of(job))) continue;
      wanted.emplace(fresh.size(), job);
      fresh.push_back(job);
    }
    watches.emplace_back(SlurmRun::create(options_.settings.shared, options_.facts, purpose, fresh),
                         std::move(wanted), slurm_, options_);
  }
  /// Nothing where the controller is silent.
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
      watch.collect([](const GradingJob&) {});  // the next call records them
      watch.run().end();
    }
  };
  try {
    if (!watches.empty() && !left.empty() && !options_.resume_only) watches.back().submit_all();
    while (!watches.empty()) {
      interrupt::check();
      // Asked before the look for results: a task that ended by now has written its own.
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

void cancel_runs(const fs::path& shared, const std::string& course, const std::string& purpose,
                 const std::function<Slurm()>& slurm) {
  std::vector<SlurmRun> runs = SlurmRun::unfinished(shared);
  std::erase_if(runs, [&](const SlurmRun& run) {
    return run.course() != course || run.purpose() != purpose;
  });
  if (runs.empty()) return;
  const Slurm commands = slurm();
  // Before squeue is asked: an array that is being submitted must be in its answer.
  std::vector<std::optional<SubmitLock>> locks;
  for (const SlurmRun& run : runs) locks.push_back(run.lock_submissions());
  const auto all = commands.tasks();
  const SlurmOptions options;
  for (SlurmRun& run : runs) {
    const SlurmWatch watch(std::move(run), {}, commands, options);
    if (!all || !cancel_arrays(commands, watch.alive(*all)))
      throw Error(fmt::format("Slurm's controller does not answer, so the tasks of {} go on",
                              watch.run().name()),
                  "repeat the command when squeue answers");
    watch.run().end();
  }
}

}  // namespace opgrade::course
