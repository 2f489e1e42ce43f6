/// Grades a whole class: a result folder per submission, a table over all, resumable after a kill.
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
  bool again = false;       ///< grade also what has a current result
  bool keep_going = false;  ///< also when the grader fails on each of the first submissions
  ProgressListener progress = [](const GradingProgress&) {};
};

/// Everything that grading a class needs.
struct ClassGrading {
  std::function<Grade(const std::filesystem::path& submission, const std::string& name)> grade;
  /// True if a result of this submission is current.
  std::function<bool(const Grade&, const std::filesystem::path& submission)> is_current;
  /// The same text for submissions whose files are the same; empty where they cannot be read.
  std::function<std::string(const std::filesystem::path& submission)> files = [](const auto&) {
    return std::string();
  };
  std::shared_ptr<const Config> config{};  ///< the sources that reports show; none: no lines
};

struct ClassRun {
  std::vector<Grade> grades;                      ///< of the submissions, in their order
  std::size_t in_table = 0;                       ///< rows of grades.csv
  std::vector<std::filesystem::path> unreadable;  ///< folders that are in no row
};

/// Each of `submissions`, which are different paths, gets the folder `<results>/<name>/`;
/// result_names() gives the names. It holds report.json, report.txt, report.html and
/// junit.xml, written under another name first and renamed when complete. A result is current
/// when its config, cases, devices, random numbers, files and opgrade (program_version.hpp) are the
/// same. Of submissions with the same files one is graded, and the others have its grade.
/// `<results>/grades.csv` has a row for each result in the folder, however this ends.
///
/// Throws Error when results cannot be written, or when another process grades into that folder. So
/// it does when the first kFaultsToStop graded submissions all end in a grader fault. Throws
/// Interrupted on Ctrl-C. Finished results stay.
ClassRun grade_class(const ClassGrading& grading,
                     const std::vector<std::filesystem::path>& submissions,
                     const ClassOptions& options);

/// The number of parallel submissions. With GPUs it is four for each: a build takes longer than a
/// run, so several are built while one runs. It is at most a quarter of `cores`: a build takes
/// about two, and a run should not wait for them. Without a GPU it is half of the cores, and both
/// of two. It is one where the CPU's times count, which builds would disturb.
int default_jobs(int gpus, bool cpu_times_count,
                 int cores = static_cast<int>(std::thread::hardware_concurrency()));

}  // namespace opgrade
