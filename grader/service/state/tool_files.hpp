/// Stores the files that tools wrote in practice runs, next to the run's results, for as many days
/// as the course sets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "grader/course/folder/course_folder.hpp"
#include "grader/course/store/store.hpp"
#include "grader/grading/profile/device_tool.hpp"

namespace opgrade::service {

struct KeptFile {
  std::string name;  ///< "profile.ncu-rep"
  std::filesystem::path path;
  std::uintmax_t bytes = 0;
  course::Moment until;  ///< then it is removed
};

/// Stores a file. It replaces the one that an interrupted part of the run left.
void keep_tool_file(const std::filesystem::path& course, const course::Submission& run,
                    const ToolFile& file);

/// The files of a run that are still kept at `now`.
std::vector<KeptFile> tool_files_of(const course::CourseFolder& folder,
                                    const course::Submission& run, course::Moment now);

/// Removes the files whose days are over. Called when a practice run begins and when the server
/// starts. Until then the files only use disk space, because tool_files_of() does not list them.
void remove_old_tool_files(const course::CourseFolder& folder, course::Moment now);

}  // namespace opgrade::service
