#include "grader/app/class_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "grader/app/pace.hpp"
#include "grader/core/counted.hpp"
#include "grader/core/error.hpp"
#include "grader/core/parallel.hpp"
#include "grader/process/interrupt.hpp"
#include "grader/results/class_results.hpp"
#include "grader/results/result_folder.hpp"
#include "grader/results/result_names.hpp"
#include "grader/results/results_lock.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

ResultOwners owners_of(const ClassResults& results) {
  ResultOwners owners;
  for (const auto& [name, grade] : results.grades) owners.emplace(name, grade.submission_path);
  return owners;
}

/// Files of changed submissions, from the look at their hash to their grading: each is opened once.
/// Files beyond 64 MiB in all are opened again.
class ChangedFiles {
 public:
  void keep(const fs::path& submission, StageFiles files) {
    const std::size_t bytes = bytes_in(files);
    const std::scoped_lock lock(guard_);
    if (bytes_ + bytes > kMostBytes) return;
    bytes_ += bytes;
    kept_.insert_or_assign(submission, std::move(files));
  }
  std::optional<StageFiles> take(const fs::path& submission) {
    const std::scoped_lock lock(guard_);
    auto found = kept_.extract(submission);
    if (!found) return std::nullopt;
    bytes_ -= bytes_in(found.mapped());
    return std::move(found.mapped());
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  static std::size_t bytes_in(const StageFiles& files) {
    std::size_t bytes = 0;
    for (const auto& stage : files.stages)
      if (stage)
        for (const auto& file : stage->files) bytes += file.bytes.size();
    return bytes;
  }

  std::mutex guard_;
  std::map<fs::path, StageFiles> kept_;
  std::size_t bytes_ = 0;
};

/// One line per finished submission, the pace, and the faults of the first ones.
class Progress {
 public:
  Progress(const ClassOptions& options, std::size_t all, std::size_t to_grade)
      : options_(options), all_(all), to_grade_(to_grade) {}

  void reused(const Grade& grade) {
    const std::scoped_lock lock(guard_);
    options_.progress({grade, ++done_, all_, true});
  }

  void begun(const std::string& name) {
    const std::scoped_lock lock(guard_);
    pace_.begin(name);
  }

  /// Throws Error where the grader fails on every submission.
  void graded(const std::string& name, const Grade& grade) {
    const std::scoped_lock lock(guard_);
    pace_.end(name);
    ++graded_;
    if (grade.outcome == Outcome::grader_fault) ++faults_;
    const std::size_t open = to_grade_ - graded_;
    options_.progress({grade, ++done_, all_, false, pace_.left(open)});
    if (faults_ == kFaultsToStop && graded_ == faults_ && open > 0 && !options_.keep_going)
      stop_for_faults(grade, counted(open, "more is", "more are") + " not graded");
  }

 private:
  const ClassOptions& options_;
  const std::size_t all_, to_grade_;
  std::mutex guard_;
  Pace pace_;
  std::size_t done_ = 0, graded_ = 0, faults_ = 0;
};

ClassResults write_table(const fs::path& results) {
  ClassResults all = read_results(results);
  write_file(results / "grades.csv", class_table(all));
  return all;
}

}  // namespace

void stop_for_faults(const Grade& fault, const std::string& open) {
  std::string hint = "run `opgrade doctor`";
  for (const auto& stage : fault.stages)
    for (const auto& c : stage.cases)
      if (c.outcome == Outcome::grader_fault && !c.hint.empty()) hint = c.hint;
  throw Error(fmt::format("the grader failed on each of the first {} submissions; {}: {}",
                          kFaultsToStop, open, fault.reason),
              hint + "; then repeat the command. --keep-going still grades the others");
}

ClassGrading grading_by(Grader& grader) {
  const auto changed = std::make_shared<ChangedFiles>();
  return {
      [&grader, changed](const fs::path& submission, const std::string& name) {
        return grader.grade(submission, name, changed->take(submission));
      },
      [&grader, changed](const Grade& grade, const fs::path& submission) {
        if (!grader.matches(grade) || grade.outcome == Outcome::grader_fault) return false;
        StageFiles files = grader.files_of(submission);
        if (grade.submission_sha256 == files.sha256) return true;
        changed->keep(submission, std::move(files));
        return false;
      },
  };
}

bool cpu_times_count(const Config& config) {
  return std::ranges::any_of(config.stages, [&](const StageConfig& stage) {
    const bool ranks = config.ranking && config.ranking->stage == stage.name;
    return stage.device == Device::cpu && (ranks || !stage.op_times.empty());
  });
}

int default_jobs(int gpus, bool cpu_times_count, int cores) {
  if (gpus == 0 && !cpu_times_count) return std::max({1, std::min(cores, 2), cores / 2});
  return std::clamp(4 * gpus, 1, std::max(cores / 4, 1));
}

ClassRun grade_class(const ClassGrading& grading, const std::vector<fs::path>& submissions,
                     const ClassOptions& options) {
  const ResultsLock lock(options.results);
  std::vector<std::optional<Grade>> grades(submissions.size());
  std::vector<std::string> names;
  {
    ClassResults before = read_results(options.results);
    names = result_names(submissions, owners_of(before));
    if (!options.again) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        const auto found = before.grades.find(names[i]);
        if (found != before.grades.end() &&
            found->second.submission_path == owner_of(submissions[i]))
          grades[i] = std::move(found->second);
      }
    }
  }
  const auto each = [&](std::size_t count, const auto& work) {
    parallel_for(static_cast<int>(count), options.jobs, [&](int i) {
      interrupt::check();
      work(static_cast<std::size_t>(i));
    });
  };
  ClassResults all;
  try {
    // First of all, so that what is left to do is known.
    each(submissions.size(), [&](std::size_t i) {
      if (grades[i] && !grading.is_current(*grades[i], submissions[i])) grades[i].reset();
    });
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < grades.size(); ++i)
      if (!grades[i]) open.push_back(i);
    Progress progress(options, submissions.size(), open.size());
    for (const auto& grade : grades)
      if (grade) progress.reused(*grade);
    each(open.size(), [&](std::size_t n) {
      const std::size_t i = open[n];
      progress.begun(names[i]);
      grades[i] = grading.grade(submissions[i], names[i]);
      write_result(options.results / names[i], *grades[i]);
      progress.graded(names[i], *grades[i]);
    });
    all = write_table(options.results);
  } catch (...) {
    const auto why = std::current_exception();
    try {
      write_table(options.results);
    } catch (const Error&) {
      // The first failure is the one to report: the disk may be full.
    }
    std::rethrow_exception(why);
  }

  ClassRun run{
      .grades = {}, .in_table = all.grades.size(), .unreadable = std::move(all.unreadable)};
  for (auto& grade : grades) run.grades.push_back(std::move(*grade));
  return run;
}

}  // namespace opgrade
