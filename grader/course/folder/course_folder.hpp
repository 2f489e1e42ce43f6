/// A course folder: course.yaml, roster.csv, submissions/, results/ and course.db.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "grader/course/folder/course_config.hpp"
#include "grader/course/folder/roster.hpp"
#include "grader/course/gradebook/rubric.hpp"

namespace opgrade::course {

inline constexpr const char* kCourseFile = "course.yaml";
inline constexpr const char* kRosterFile = "roster.csv";
inline constexpr const char* kDatabase = "course.db";
inline constexpr const char* kSubmissions = "submissions";
inline constexpr const char* kResults = "results";
/// Pictures of documents. It can be removed at any time: they are made again.
inline constexpr const char* kShown = "shown";

/// Writes an example course into a new or empty folder, which its owner alone may enter, whatever
/// the umask. `files` (names and texts) replace the example's or are added. Throws UsageError where
/// the folder is not empty.
void make_course_folder(const std::filesystem::path& folder,
                        const std::map<std::string, std::string>& files = {});

/// A complaint for staff where other users may enter or list the folder; else empty.
std::string open_to_others(const std::filesystem::path& folder);

struct Submission;
class Store;

/// A rubric as its file has it.
struct RubricFile {
  std::string text;
  Rubric rubric;
};

struct CourseFolder {
  std::filesystem::path path;
  Course course;
  Roster roster;
  std::map<std::string, RubricFile> rubrics{};  ///< by assignment, of those that want a document

  /// The submission's student or team; empty where the course lacks its assignment.
  std::vector<const Student*> members(const Submission& submission) const;
};

/// Reads course.yaml, the rubrics that it names and roster.csv. Throws UsageError with every
/// problem of these files.
CourseFolder open_course_folder(const std::filesystem::path& folder);

/// The configs in a course folder, as paths from it, sorted: .yaml files with the key `opgrade`, at
/// most three folders below. Links, hidden folders, submissions and results are left out.
std::vector<std::string> config_files(const std::filesystem::path& course);

/// Throws UsageError where `folder` is there and not an empty folder, naming the remedy.
void require_new_folder(const std::filesystem::path& folder);

/// Checks a course's database against its files. One line for each difference, with what to do;
/// empty when all agree.
std::vector<std::string> verify(const CourseFolder& folder, const Store& store);

/// Copies a course as it is at one moment into a new folder, for its owner alone; other programs
/// may grade and take submissions meanwhile. Files that came later than the database's copy are
/// left out. Returns what verify() finds in the copy. Throws UsageError for a `to` that is not new,
/// or within `from`, and Error where the disk fails.
std::vector<std::string> copy_course(const std::filesystem::path& from,
                                     const std::filesystem::path& to);

}  // namespace opgrade::course
