#include "grader/course/course_copy.hpp"

#include <set>

#include "grader/core/error.hpp"
#include "grader/course/course_folder.hpp"
#include "grader/course/store.hpp"
#include "grader/course/verify.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

/// What the copied database lists: files, and folders of results.
std::set<std::string> listed_in(const fs::path& copy) {
  std::set<std::string> listed;
  const Store store = Store::open(copy);
  for (const Submission& s : store.submissions()) listed.insert(s.file);
  for (const Attempt& a : store.attempts())
    listed.insert(fs::path(a.result).parent_path().string());
  return listed;
}

bool belongs(const fs::path& file, const fs::path& from, const std::set<std::string>& listed) {
  const std::string name = file.lexically_relative(from).string();
  if (name.starts_with(kDatabase) || file.extension() == ".partial" || name == ".serve.lock")
    return false;
  if (name.starts_with(std::string(kSubmissions) + "/")) return listed.contains(name);
  const fs::path folder = file.parent_path();
  std::error_code ignored;
  return !fs::exists(folder / "report.json", ignored) ||
         listed.contains(folder.lexically_relative(from).string());
}

}  // namespace

void require_new_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) &&
      (!fs::is_directory(folder, error) || !fs::is_empty(folder, error)))
    throw UsageError(folder.string() + " is not an empty folder",
                     "name a new folder: no existing file is overwritten");
}

std::vector<std::string> copy_course(const fs::path& given, const fs::path& to) {
  const fs::path from = fs::weakly_canonical(given);
  require_new_folder(to);
  const auto way = fs::weakly_canonical(to).lexically_relative(from);
  if (!way.empty() && *way.begin() != "..")
    throw UsageError(to.string() + " is within the course folder", "name a folder outside of it");
  open_course_folder(from);
  try {
    fs::create_directories(to);
    fs::permissions(to, fs::perms::owner_all);
    Store::open(from).copy_to(to);
    const auto listed = listed_in(to);
    for (fs::recursive_directory_iterator entry(from), end; entry != end; ++entry) {
      const fs::path target = to / entry->path().lexically_relative(from);
      if (entry->is_directory() && !entry->is_symlink()) {
        fs::create_directory(target);
        fs::permissions(target, fs::perms::owner_all);
      } else if (belongs(entry->path(), from, listed)) {
        fs::copy(entry->path(), target, fs::copy_options::copy_symlinks);
      }
    }
  } catch (const fs::filesystem_error& e) {
    throw Error(e.what(), "remove the unfinished copy, check the free space, and repeat it");
  }
  return verify(open_course_folder(to), Store::open(to));
}

}  // namespace opgrade::course
