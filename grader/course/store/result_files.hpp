/// Results as files: the truth that the store lists. Each is written once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/base/files/checksum.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/gradings/executor.hpp"
#include "grader/course/store/store.hpp"

namespace opgrade::course {

/// Writes the file whole, with its folder, for its owner alone. False: there is a file of this
/// name, which stays. Throws Error, also where `root` is named and is no folder: a course that was
/// moved away is not made anew at its old place.
bool write_new_file(const std::filesystem::path& file, const std::string& bytes,
                    const std::filesystem::path& root = {});

/// Where the result of an attempt lies, below the course folder.
std::string result_path(const Submission& submission, const std::string& config_sha256,
                        const std::string& version, int number);

std::string report_json(const Grade& grade);  ///< as result files hold it

/// Records the result file of a job that is done, and gives its grade. A row that is there stays.
/// Throws Error for a file that is no report or has another key than the job.
Grade collect(Store& store, const std::filesystem::path& folder, const Submission& submission,
              const GradingJob& job);

/// Removes what a kill left half written below `part`, kResults or kSubmissions. No other process
/// may write there.
void remove_unfinished(const std::filesystem::path& folder, const char* part);

/// Records the result files that have no row, which a kill left between file and row. Returns how
/// many. Throws Error for a file that is no report.
std::size_t record_found_results(Store& store, const std::filesystem::path& folder);

/// The report files below results/, relative to the course folder, sorted.
std::vector<std::string> result_files(const std::filesystem::path& folder);

using opgrade::sha256_of_text;

/// Empty when the file has this hash. Else the end of a sentence that begins with the file's name:
/// the difference, and the next action.
std::string difference(const std::filesystem::path& file, const std::string& sha256);

}  // namespace opgrade::course
