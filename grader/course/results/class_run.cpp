#include "grader/course/results/class_run.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/parallel.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/results/class_order.hpp"
#include "grader/course/results/class_results.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/course/results/result_names.hpp"
#include "grader/course/results/results_lock.hpp"
#include "grader/course/results/same_files.hpp"
#include "grader/grading/pipeline/submission_path.hpp"
#include "grader/grading/pipeline/submission_source.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

ResultOwners owners_of(const ClassResults& results) {
  ResultOwners owners;
  for (const auto& [name, grade] : results.grades) owners.emplace(name, grade.submission_path);
  return owners;
}

ClassResults write_table(const fs::path& results) {
  ClassResults all = read_results(results);
  write_file(results / "grades.csv", class_table(all));
  return all;
}

}  // namespace

int default_jobs(int gpus, bool cpu_times_count, int cores) {
  if (gpus == 0 && !cpu_times_count) return std::max({1, std::min(cores, 2), cores / 2});
  return std::clamp(4 * gpus, 1, std::max(cores / 4, 1));
}

ClassRun grade_class(const ClassGrading& grading, const std::vector<fs::path>& submissions,
                     const ClassOptions& options) {
  const ResultsLock lock(options.results);
  ClassResults all = read_results(options.results);
  const std::vector<std::string> names = result_names(submissions, owners_of(all));
  std::vector<std::optional<Grade>> grades(submissions.size());
  const auto each = [&](const std::vector<std::size_t>& chosen, const auto& work) {
    parallel_for(static_cast<int>(chosen.size()), options.jobs, [&](int i) {
      interrupt::check();
      work(chosen[static_cast<std::size_t>(i)]);
    });
  };
  try {
    std::vector<std::size_t> open(submissions.size());
    std::iota(open.begin(), open.end(), 0);
    // Done first, so that the number of gradings is known.
    std::vector<std::string> files(submissions.size());
    std::vector<std::optional<double>> seconds(submissions.size());  // from an earlier grading
    each(open, [&](std::size_t i) {
      files[i] = grading.files(submissions[i]);
      const auto found = all.grades.find(names[i]);
      if (found != all.grades.end()) seconds[i] = work_seconds(found->second);
      if (!options.again && found != all.grades.end() &&
          found->second.submission_path == owner_of(submissions[i]) &&
          grading.is_current(found->second, submissions[i]))
        grades[i] = std::move(found->second);
    });
    all = {};
    Tally tally(submissions.size(), options.keep_going, options.progress);
    std::map<std::string, std::size_t> firsts;  // by files
    for (std::size_t i = 0; i < grades.size(); ++i)
      if (grades[i]) {
        tally.reused(*grades[i]);
        if (!files[i].empty()) firsts.try_emplace(files[i], i);
      }
    std::erase_if(open, [&](std::size_t i) { return grades[i].has_value(); });
    std::vector<std::size_t> copies;
    std::erase_if(open, [&](std::size_t i) {
      const bool is_copy = !files[i].empty() && !firsts.try_emplace(files[i], i).second;
      if (is_copy) copies.push_back(i);
      return is_copy;
    });
    open = longest_first(std::move(open), seconds);
    for (const auto* some : {&open, &copies})
      each(*some, [&](std::size_t i) {
        tally.begin(names[i]);
        if (some == &copies)
          grades[i] = grade_of_copy(*grades[firsts.at(files[i])], names[i], submissions[i]);
        if (!grades[i]) grades[i] = grading.grade(submissions[i], names[i]);
        write_result(options.results / names[i], *grades[i],
                     grading.config ? source_of(submissions[i], grading.config) : nullptr);
        tally.end(names[i], *grades[i]);
      });
    all = write_table(options.results);
  } catch (...) {
    const auto why = std::current_exception();
    try {
      write_table(options.results);
    } catch (const Error&) {
      // A second failure is ignored, because the first one is reported: the disk may be full.
    }
    std::rethrow_exception(why);
  }

  ClassRun run{
      .grades = {}, .in_table = all.grades.size(), .unreadable = std::move(all.unreadable)};
  for (auto& grade : grades) run.grades.push_back(std::move(*grade));
  return run;
}

}  // namespace opgrade
