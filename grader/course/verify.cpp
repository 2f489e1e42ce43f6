#include "grader/course/verify.hpp"

#include <fmt/format.h>

#include <set>

#include "grader/core/error.hpp"
#include "grader/course/result_files.hpp"
#include "grader/report/json.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

void check_submissions(const CourseFolder& folder, const Store& store,
                       std::vector<std::string>& found) {
  std::set<std::string> listed;
  for (const Submission& s : store.submissions()) {
    listed.insert(s.file);
    if (const auto what = difference(folder.path / s.file, s.sha256); !what.empty())
      found.push_back(fmt::format("{} of {} {}", s.file, s.owner, what));
    const Assignment* const known = folder.course.find(s.assignment);
    if (known == nullptr) {
      found.push_back(fmt::format("{} is of the assignment {}, which {} lacks", s.file,
                                  s.assignment, kCourseFile));
    } else if (folder.roster.members(*known, s.owner).empty()) {
      found.push_back(fmt::format("{} is of {}, whom {} lacks", s.file, s.owner, kRosterFile));
    }
  }
  std::error_code ignored;
  for (fs::recursive_directory_iterator entry(folder.path / kSubmissions, ignored), end;
       entry != end; entry.increment(ignored)) {
    const std::string file = entry->path().lexically_relative(folder.path).string();
    if (entry->path().extension() == ".partial")
      found.push_back(fmt::format("{} was left half written by a kill; remove it", file));
    else if (entry->is_regular_file(ignored) && !listed.contains(file))
      found.push_back(fmt::format("{} is not in the database; add the submission again", file));
  }
}

void check_results(const CourseFolder& folder, const Store& store,
                   std::vector<std::string>& found) {
  std::set<std::string> listed;
  for (const Attempt& a : store.attempts()) {
    listed.insert(a.result);
    if (const auto what = difference(folder.path / a.result, a.result_sha256); !what.empty()) {
      found.push_back(fmt::format("{} {}", a.result, what));
      continue;
    }
    try {
      const Grade grade = report::grade_from_json(text_of_file(folder.path / a.result));
      if (grade.points != a.points || grade.outcome != a.outcome) {
        found.push_back(fmt::format("{} has {:g} points ({}), the database {:g} ({})", a.result,
                                    grade.points, words(grade.outcome).id, a.points,
                                    words(a.outcome).id));
      }
    } catch (const Error& e) {
      found.push_back(fmt::format("{} is no report: {}", a.result, e.what()));
    }
  }
  for (const std::string& file : result_files(folder.path)) {
    if (!listed.contains(file))
      found.push_back(
          fmt::format("{} is not in the database; opgrade course grade records it", file));
  }
}

}  // namespace

std::vector<std::string> verify(const CourseFolder& folder, const Store& store) {
  std::vector<std::string> found;
  for (const auto& text : store.damage())
    found.push_back(fmt::format("{}: {}; restore it from a backup", kDatabase, text));
  check_submissions(folder, store, found);
  check_results(folder, store, found);
  return found;
}

}  // namespace opgrade::course
