/// Grades a whole class. Each submission gets a result folder, a table has all results, and a run
/// can be resumed after a kill.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "grader/course/results/tally.hpp"
#include "grader/grading/pipeline/grader.hpp"

namespace opgrade {

struct ClassOptions {
  std::filesystem::path results;
  int jobs = 1;             ///< parallel submissions; timed runs take turns on each device
  bool again = false;       ///< also grades submissions that have a current result
  bool keep_going = false;  ///< goes on even if the grader fails on each of the first submissions
  ProgressListener progress = [](const GradingProgress&) {};
};

/// Everything that grading a class needs.
struct ClassGrading {
  std::function<Grade(const std::filesystem::path& submission, const std::string& name)> grade;
  /// True if a result of this submission is current.
  std::function<bool(const Grade&, const std::filesystem::path& submission)> is_current;
  /// Returns equal texts for submissions with the same files; empty if the files cannot be read.
  std::function<std::string(const std::filesystem::path& submission)> files = [](const auto&) {
    return std::string();
  };
  /// Names the sources whose lines reports show; nullptr: none.
  std::shared_ptr<const Config> config{};
};

struct ClassRun {
  std::vector<Grade> grades;                      ///< one for each submission, in their order
  std::size_t in_table = 0;                       ///< rows of grades.csv
  std::vector<std::filesystem::path> unreadable;  ///< folders that have no row
};

/// Each of `submissions`, which are different paths, gets the folder `<results>/<name>/`;
/// result_names() gives the names. It holds report.json, report.txt, report.html and junit.xml,
/// written under another name first and renamed when complete. A result is current if its config,
/// cases, devices, random numbers, files and opgrade (program_version.hpp) are unchanged. If
/// submissions have the same files, one is graded, and the others get its grade.
/// `<results>/grades.csv` has a row for each result in the folder, however this call ends.
///
/// Throws Error if results cannot be written, if another process grades into the folder, or if the
/// first kFaultsToStop graded submissions all end in a grader fault. Throws Interrupted on Ctrl-C.
/// Finished results stay.
ClassRun grade_class(const ClassGrading& grading,
                     const std::vector<std::filesystem::path>& submissions,
                     const ClassOptions& options);

/// The default number of parallel submissions. With GPUs it is four for each GPU, because a build
/// takes longer than a run, so several are built while one runs; but at most a quarter of `cores`,
/// because a build uses about two and should not slow down a run. Without a GPU it is half of the
/// cores, but 2 on two or three cores. It is 1 if CPU times count, because builds would disturb
/// them.
int default_jobs(int gpus, bool cpu_times_count,
                 int cores = static_cast<int>(std::thread::hardware_concurrency()));

}  // namespace opgrade
