/// Exports the sources of a class for a program that finds similar code. opgrade itself does not
/// compare them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "grader/course/folder/course_folder.hpp"
#include "grader/course/store/store.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade::course {

struct CodeExport {
  std::size_t written = 0;                                      ///< owners
  std::vector<std::pair<std::string, std::string>> left_out{};  ///< owner and reason
};

/// Writes the files that grading takes to `<out>/<owner>/<file>`. They are those of the owner's
/// submission that counts or, before it is graded, of the last accepted one. Throws UsageError if
/// `out` is not empty.
CodeExport export_code(const CourseFolder& folder, const Store& store, const Assignment& assignment,
                       const Config& config, const std::filesystem::path& out);

}  // namespace opgrade::course
