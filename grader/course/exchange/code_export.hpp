/// The sources of a class for a program that finds similar code. opgrade judges none itself.
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

/// Writes `<out>/<owner>/<file>` for each owner's submission that counts, or before it is graded
/// for the last that is accepted: the files that grading takes. Throws UsageError where `out` is
/// not empty.
CodeExport export_code(const CourseFolder& folder, const Store& store, const Assignment& assignment,
                       const Config& config, const std::filesystem::path& out);

}  // namespace opgrade::course
