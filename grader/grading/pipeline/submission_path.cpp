#include "grader/grading/pipeline/submission_path.hpp"

#include "grader/report/fields/view.hpp"

namespace opgrade {

std::filesystem::path plain_path(const std::filesystem::path& path) {
  const auto normal = std::filesystem::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

std::string owner_of(const std::filesystem::path& submission) {
  return report::one_line(plain_path(submission).string(), report::kMaxPath);
}

}  // namespace opgrade
