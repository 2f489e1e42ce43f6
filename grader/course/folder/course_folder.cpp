#include "grader/course/folder/course_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/base/core/shell_word.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/course/store/store.hpp"
#include "grader/report/fields/json.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExampleCourse =
    R"(# yaml-language-server: $schema={}
# The rules of a course. opgrade course check DIR reads this file and says what it means.
opgrade_course: 1
title: GPU Programming
time_zone: America/Chicago          # an IANA name: deadlines are times of this clock

assignments:
  - name: m1                        # in commands and paths
    title: Milestone 1
    config: self-check              # of opgrade's own, or a path from this folder: m1.yaml
    deadline: {} 23:59      # an example: write your own; 24:00 is the end of that day
    grace: 10 min                   # not counted as late, at the deadline and at each late day's end
    late: {{percent_a_day: 10, days: 3}}   # also points_a_day, percent_of_maximum_a_day
    attempts_a_day: 5               # graded submissions a day; leave it out for any number
    counts: last                    # or best, or 'median of 3' gradings of the last one

  - name: m2
    title: Milestone 2
    config: self-check
    deadline: {} 23:59
    counts: best
    teams: true                     # one submission counts for all of a team
)";

/// "2026-10-12": the date of the day that is `days` days from now.
std::string date_after(int days) {
  const std::chrono::year_month_day date =
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()) +
      std::chrono::days(days);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

constexpr const char* kExampleRoster =
    "id,login,name,email,section,team,extension\n"
    "100001,ada,Ada Lovelace,ada@example.edu,A,engines,\n"
    "100002,charles,Charles Babbage,charles@example.edu,A,engines,m1=2 d\n"
    "100003,grace,Grace Hopper,grace@example.edu,B,,\n";

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

/// The files and folders of results that the copied database lists.
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
  if (name.starts_with(kDatabase) || file.extension() == ".partial" || name == ".serve.lock" ||
      name.starts_with(std::string(kShown) + "/"))
    return false;
  if (name.starts_with(std::string(kSubmissions) + "/")) return listed.contains(name);
  const fs::path folder = file.parent_path();
  std::error_code ignored;
  return !fs::exists(folder / "report.json", ignored) ||
         listed.contains(folder.lexically_relative(from).string());
}

std::map<std::string, RubricFile> load_rubrics(const Course& course,
                                               std::vector<ConfigProblem>& problems) {
  std::map<std::string, RubricFile> rubrics;
  for (const Assignment& documents : course.reports) {
    const std::string& file = documents.report.rubric;
    auto text = read_text_file(file);
    if (!text) {
      problems.push_back(
          {file, 0, 0,
           fmt::format("{}; it is the rubric of {}", text.error(), documents.report_of)});
      continue;
    }
    LoadedRubric loaded = parse_rubric(*text, file);
    std::ranges::move(loaded.problems, std::back_inserter(problems));
    rubrics[documents.report_of] = {*std::move(text), std::move(loaded.rubric)};
  }
  return rubrics;
}

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

void make_course_folder(const fs::path& folder, const std::map<std::string, std::string>& files) {
  std::error_code error;
  const fs::path parent = fs::absolute(folder).lexically_normal().parent_path();
  if (fs::is_directory(parent, error)) require_local_disk(parent);  // before anything is written
  require_new_folder(folder);
  for (const fs::path& made : {folder, folder / kSubmissions, folder / kResults}) {
    fs::create_directories(made, error);
    if (!error) fs::permissions(made, fs::perms::owner_all, error);
    if (error)
      throw Error(fmt::format("cannot make {}: {}", made.string(), error.message()),
                  "check the permissions of the folder above it");
  }
  const fs::path schema = resources::share_folder() / "configs/course.schema.json";
  auto all = files;
  all.emplace(kCourseFile,
              fmt::format(kExampleCourse, schema.string(), date_after(28), date_after(56)));
  all.emplace(kRosterFile, kExampleRoster);
  for (const auto& [file, text] : all) {
    write_file(folder / file, text);
    fs::permissions(folder / file, fs::perms::owner_read | fs::perms::owner_write);
  }
  Store::create(folder);
}

std::string open_to_others(const fs::path& folder) {
  const auto others =
      fs::status(folder).permissions() & (fs::perms::group_all | fs::perms::others_all);
  if (others == fs::perms::none) return "";
  return fmt::format(
      "{} is open to other users of this machine, with its grades and the secret seed "
      "of the class: chmod -R go= {}",
      folder.string(), shell_path(folder.string()));
}

std::vector<const Student*> CourseFolder::members(const Submission& submission) const {
  const Assignment* const assignment = course.find(submission.assignment);
  if (assignment == nullptr) return {};
  return roster.members(*assignment, submission.owner);
}

CourseFolder open_course_folder(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder / kCourseFile, ignored))
    throw UsageError(
        fmt::format("{} is no course folder: it has no {}", folder.string(), kCourseFile),
        "opgrade course init DIR makes one");
  LoadedCourse course = load_course(folder / kCourseFile);
  auto problems = std::move(course.problems);
  LoadedRoster roster;
  std::map<std::string, RubricFile> rubrics;
  if (problems.empty()) rubrics = load_rubrics(course.course, problems);
  if (problems.empty()) {
    roster = load_roster(folder / kRosterFile, course.course);
    problems = std::move(roster.problems);
  }
  if (!problems.empty()) {
    std::string text = to_text(problems);
    text.pop_back();
    throw UsageError(text, "correct these lines and repeat the command");
  }
  return {folder, std::move(course.course), std::move(roster.roster), std::move(rubrics)};
}

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

void require_new_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) &&
      (!fs::is_directory(folder, error) || !fs::is_empty(folder, error)))
    throw UsageError(folder.string() + " is not an empty folder",
                     "name a new folder: no existing file is overwritten");
}

std::vector<std::string> verify(const CourseFolder& folder, const Store& store) {
  std::vector<std::string> found;
  for (const auto& text : store.damage())
    found.push_back(fmt::format("{}: {}; restore it from a backup", kDatabase, text));
  check_submissions(folder, store, found);
  check_results(folder, store, found);
  return found;
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
