#include "grader/course/course_folder.hpp"

#include <fmt/format.h>

#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"
#include "grader/core/shell_word.hpp"
#include "grader/course/course_copy.hpp"
#include "grader/course/store.hpp"
#include "grader/files/text_file.hpp"

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

/// "2026-10-12", of the day so many days from now.
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
  if (problems.empty()) {
    roster = load_roster(folder / kRosterFile, course.course);
    problems = std::move(roster.problems);
  }
  if (!problems.empty()) {
    std::string text = to_text(problems);
    text.pop_back();
    throw UsageError(text, "correct these lines and repeat the command");
  }
  return {folder, std::move(course.course), std::move(roster.roster)};
}

}  // namespace opgrade::course
