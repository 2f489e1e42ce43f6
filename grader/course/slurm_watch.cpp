#include "grader/course/slurm_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/core/counted.hpp"
#include "grader/core/printable.hpp"
#include "grader/core/whole_number.hpp"
#include "grader/course/new_file.hpp"
#include "grader/course/result_files.hpp"
#include "grader/report/events.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

/// Polls of an ended task before its result counts as missing. A network file system may show a
/// file some seconds late.
constexpr int kLooks = 2;

constexpr const char* kNamePrefix = "opgrade.";

std::string tail_of(const fs::path& log) {
  std::error_code ignored;
  if (!fs::exists(log, ignored)) return "it wrote nothing";
  const std::string text = text_of_file(log);
  return printable_line(text.substr(text.size() - std::min<std::size_t>(text.size(), 300)), 400);
}

}  // namespace

SlurmWatch::SlurmWatch(SlurmRun run, std::map<std::size_t, GradingJob> wanted, const Slurm& slurm,
                       const SlurmOptions& options)
    : run_(std::move(run)),
      open_(std::move(wanted)),
      slurm_(slurm),
      options_(options),
      batches_(run_.batches()) {}

void SlurmWatch::submit_all() {
  std::vector<Batch> batches;
  const auto size = static_cast<std::size_t>(options_.settings.batch);
  for (const auto& [i, job] : open_) {
    if (batches.empty() || batches.back().jobs.size() >= size) batches.emplace_back();
    batches.back().jobs.push_back(i);
  }
  submit(batches);
}

void SlurmWatch::collect(const Executor::Done& done) {
  for (auto open = open_.begin(); open != open_.end();) {
    std::error_code ignored;
    if (!fs::exists(run_.jobs()[open->first].result, ignored)) {
      ++open;
      continue;
    }
    const GradingJob job = open->second;
    write_new_file(job.result, text_of_file(run_.jobs()[open->first].result), job.root);
    open = open_.erase(open);
    done(job);
  }
}

void SlurmWatch::submit_unanswered(const std::vector<SlurmTask>& all) {
  std::erase_if(unanswered_, [&](const Array& array) {
    const bool taken =
        std::ranges::find(all, name_of_array(array.first), &SlurmTask::name) != all.end();
    return taken || submit_array(array) != Submitted::unanswered;
  });
}

void SlurmWatch::settle(const std::vector<SlurmTask>& all) {
  const auto tasks = tasks_of(all);
  std::map<int, std::vector<std::size_t>> open;  // by the last batch that has them
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

std::vector<SlurmTask> SlurmWatch::alive(const std::vector<SlurmTask>& all) const {
  std::vector<SlurmTask> tasks;
  for (const auto& [batch, task] : tasks_of(all))
    if (task_end(task.state) == TaskEnd::alive) tasks.push_back(task);
  return tasks;
}

std::string SlurmWatch::name_of_array(std::size_t first) const {
  return name_prefix() + std::to_string(first);
}

std::string SlurmWatch::name_prefix() const { return kNamePrefix + run_.name() + "."; }

bool SlurmWatch::is_unanswered(int batch) const {
  return std::ranges::any_of(unanswered_, [&](const Array& array) {
    return batch >= static_cast<int>(array.first) &&
           batch < static_cast<int>(array.first + array.count);
  });
}

std::map<int, SlurmTask> SlurmWatch::tasks_of(const std::vector<SlurmTask>& all) const {
  std::map<int, SlurmTask> tasks;
  const std::string prefix = name_prefix();
  for (const SlurmTask& task : all) {
    if (!task.name.starts_with(prefix)) continue;
    if (const auto first = whole_number<int>(std::string_view(task.name).substr(prefix.size())))
      tasks.insert_or_assign(*first + task.index, task);
  }
  return tasks;
}

int SlurmWatch::last_batch(std::size_t job) const {
  for (std::size_t b = batches_.size(); b-- > 0;)
    if (std::ranges::find(batches_[b].jobs, job) != batches_[b].jobs.end())
      return static_cast<int>(b);
  return -1;
}

void SlurmWatch::submit(const std::vector<Batch>& batches) {
  const auto first = static_cast<std::size_t>(run_.add(batches));
  batches_.insert(batches_.end(), batches.begin(), batches.end());
  for (std::size_t done = 0; done < batches.size(); done += kMaxArray) {
    const Array array{first + done, std::min(kMaxArray, batches.size() - done)};
    if (submit_array(array) == Submitted::unanswered) unanswered_.push_back(array);
  }
}

SlurmWatch::Submitted SlurmWatch::submit_array(const Array& array) {
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

void SlurmWatch::settle_batch(int batch, const std::vector<std::size_t>& jobs,
                              const SlurmTask* task, TaskEnd end, std::vector<Batch>& again) {
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
    // A result that came meanwhile stays.
    write_new_file(run_.jobs()[job].result,
                   report_json(fault_of(run_.jobs()[job], what + ": " + log)));
  }
  if (!others.empty()) again.push_back({others, retries});
}

void SlurmWatch::give_up(const std::vector<std::size_t>& jobs, const std::string& why) {
  for (const std::size_t i : jobs) undone_.push_back({open_.extract(i).mapped(), why});
}

}  // namespace opgrade::course
