/// Results as files, which the store lists. Each file is written once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/base/files/checksum.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/store/grading_job.hpp"
#include "grader/course/store/store.hpp"

namespace opgrade::course {

/// Writes a complete file, and its folder, which only the owner can read. Returns false if there is
/// a file of this name, which stays. Throws Error, also if `root` is given and is no folder, so
/// that a course that was moved away is not created again at its old place.
bool write_new_file(const std::filesystem::path& file, const std::string& bytes,
                    const std::filesystem::path& root = {});

/// The path of an attempt's result, relative to the course folder.
std::string result_path(const Submission& submission, const std::string& config_sha256,
                        const std::string& version, int number);

std::string report_json(const Grade& grade);  ///< the text of a result file

/// Records the result file of a finished job, and returns its grade. If the store has a row for it,
/// the row stays. Throws Error if the file is no report or has another key than the job.
Grade collect(Store& store, const std::filesystem::path& folder, const Submission& submission,
              const GradingJob& job);

/// Removes what a kill left half written below `part`, kResults or kSubmissions. No other process
/// may write there.
void remove_unfinished(const std::filesystem::path& folder, const char* part);

/// Records result files that have no row in the store, because a kill came after the file was
/// written. Returns their number. Throws Error for a file that is no report.
std::size_t record_found_results(Store& store, const std::filesystem::path& folder);

/// The report files below results/, relative to the course folder, sorted.
std::vector<std::string> result_files(const std::filesystem::path& folder);

using opgrade::sha256_of_text;

/// Empty if the file has this hash. Otherwise the end of a sentence that begins with the file's
/// name: the difference, and the next action.
std::string difference(const std::filesystem::path& file, const std::string& sha256);

}  // namespace opgrade::course
