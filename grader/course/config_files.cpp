#include "grader/course/config_files.hpp"

#include <algorithm>
#include <sstream>

#include "grader/course/course_folder.hpp"
#include "grader/files/text_file.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 3;
constexpr std::uintmax_t kMostBytes = 1 << 20;

bool is_config(const fs::path& file) {
  std::error_code error;
  if (fs::file_size(file, error) > kMostBytes || error) return false;
  const auto text = read_text_file(file);
  if (!text) return false;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("opgrade:")) return true;
  return false;
}

}  // namespace

std::vector<std::string> config_files(const fs::path& course) {
  std::vector<std::string> found;
  std::error_code ignored;
  fs::recursive_directory_iterator entry(course, ignored);
  for (const fs::recursive_directory_iterator end; entry != end; entry.increment(ignored)) {
    const fs::path& path = entry->path();
    const std::string name = path.filename().string();
    const fs::file_status status = entry->symlink_status(ignored);
    if (fs::is_directory(status)) {
      if (entry.depth() == kDeepest || name.starts_with('.') || path == course / kSubmissions ||
          path == course / kResults)
        entry.disable_recursion_pending();
    } else if (fs::is_regular_file(status) && name.ends_with(".yaml") && is_config(path)) {
      found.push_back(path.lexically_relative(course).string());
    }
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace opgrade::course
