/// Grades a whole class: a result folder per submission, a table over all, resumable after a kill.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "grader/app/grader.hpp"

namespace opgrade {

struct ClassOptions {
  std::filesystem::path results;
  int jobs = 1;        ///< submissions in work at once; timed runs take turns on each device
  bool again = false;  ///< grade also what has a current result
  /// Called, from the thread that graded, after each submission; `reused` when its result stood.
  std::function<void(const Grade&, std::size_t done, std::size_t all, bool reused)> progress =
      [](const Grade&, std::size_t, std::size_t, bool) {};
};

/// Each of `submissions` gets the folder `<results>/<name>/` with report.json, report.txt,
/// report.html, junit.xml and transcript.txt, written under another name first and renamed when
/// complete. A result is current when its config, cases and devices, its files and this opgrade
/// are the same. Ends with `<results>/grades.csv`. Throws Error when results cannot be written,
/// Interrupted on Ctrl-C; finished results stay.
std::vector<Grade> grade_class(Grader& grader,
                               const std::vector<std::filesystem::path>& submissions,
                               const ClassOptions& options);

/// How many submissions to have in work at once: two for each GPU, so that one is built while
/// another runs, but not more than there are fours of `cores`, because a build takes about two and
/// a run should not wait for them. One without a GPU: what is timed is then the CPU itself.
int default_jobs(int gpus, int cores = static_cast<int>(std::thread::hardware_concurrency()));

/// What the results call a submission of this name: characters that are unsafe in a file name or a
/// table become '_'.
std::string result_name(const std::string& submission);

/// Folder names for the submissions: the last part of each path, without the ending of an archive,
/// made safe; equal ones get -2, -3.
std::vector<std::string> result_names(const std::vector<std::filesystem::path>& submissions);

}  // namespace opgrade
