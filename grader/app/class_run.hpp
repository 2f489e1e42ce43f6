/// Grades a whole class: a result folder per submission, a table over all, resumable after a kill.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "grader/app/grader.hpp"

namespace opgrade {

/// After each submission.
struct ClassProgress {
  const Grade& grade;
  std::size_t done, all;
  bool reused;                                 ///< its result stood
  std::optional<std::chrono::seconds> left{};  ///< estimated for the rest; none before the first
};

struct ClassOptions {
  std::filesystem::path results;
  int jobs = 1;             ///< submissions in work at once; timed runs take turns on each device
  bool again = false;       ///< grade also what has a current result
  bool keep_going = false;  ///< also when the grader fails on each of the first submissions
  /// Called by the thread that graded, for one submission at a time.
  std::function<void(const ClassProgress&)> progress = [](const ClassProgress&) {};
};

/// What a class is graded with.
struct ClassGrading {
  std::function<Grade(const std::filesystem::path& submission, const std::string& name)> grade;
  /// Whether a result of this submission need not be made again.
  std::function<bool(const Grade&, const std::filesystem::path& submission)> is_current;
};
ClassGrading grading_by(Grader& grader);

struct ClassRun {
  std::vector<Grade> grades;                      ///< of the submissions, in their order
  std::size_t in_table = 0;                       ///< rows of grades.csv
  std::vector<std::filesystem::path> unreadable;  ///< folders that are in no row
};

/// Each of `submissions`, which are different paths, gets the folder `<results>/<name>/` with
/// report.json, report.txt, report.html, junit.xml and transcript.txt, written under another name
/// first and renamed when complete; result_names() gives the names. A result is current when its
/// config, cases, devices and random numbers, its files and this opgrade (program_version.hpp) are
/// the same. However this ends, `<results>/grades.csv` then has a row for each result in that
/// folder.
///
/// Throws Error when results cannot be written, when another process grades into that folder, and
/// when the first kFaultsToStop graded submissions all end in a grader fault; Interrupted on
/// Ctrl-C. Finished results stay.
ClassRun grade_class(const ClassGrading& grading,
                     const std::vector<std::filesystem::path>& submissions,
                     const ClassOptions& options);

inline constexpr std::size_t kFaultsToStop = 3;

/// How many submissions to have in work at once: two for each GPU, so that one is built while
/// another runs, but not more than there are fours of `cores`, because a build takes about two and
/// a run should not wait for them. One without a GPU: what is timed is then the CPU itself.
int default_jobs(int gpus, int cores = static_cast<int>(std::thread::hardware_concurrency()));

/// The time for `open` submissions at the pace of `graded` ones; none where none has been.
std::optional<std::chrono::seconds> time_left(std::chrono::duration<double> elapsed,
                                              std::size_t graded, std::size_t open);

}  // namespace opgrade
