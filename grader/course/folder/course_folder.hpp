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
/// The folder for pictures of documents. It can be removed at any time: the pictures are made
/// again.
inline constexpr const char* kShown = "shown";

/// Writes an example course into a new or empty folder, which only its owner may enter, independent
/// of the umask. `files` (names and texts) replace the example's or are added. Throws UsageError if
/// the folder is not empty.
void make_course_folder(const std::filesystem::path& folder,
                        const std::map<std::string, std::string>& files = {});

/// A complaint for staff if other users may enter or list the folder; else empty.
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
  std::map<std::string, RubricFile> rubrics{};  ///< by assignment, for those that want a document

  /// The submission's student or team; empty if the course lacks the submission's assignment.
  std::vector<const Student*> members(const Submission& submission) const;
};

/// Reads course.yaml, the rubrics that it names and roster.csv. Throws UsageError with every
/// problem of these files.
CourseFolder open_course_folder(const std::filesystem::path& folder);

/// The configs in a course folder, as paths from it, sorted: .yaml files with the key `opgrade`, at
/// most three folders below. Links, hidden folders, submissions and results are left out.
std::vector<std::string> config_files(const std::filesystem::path& course);

/// Throws UsageError, which names the remedy, if `folder` exists and is not an empty folder.
void require_new_folder(const std::filesystem::path& folder);

/// Checks a course's database against its files. Returns one line for each difference, with what to
/// do; none if they agree.
std::vector<std::string> verify(const CourseFolder& folder, const Store& store);

/// Copies the state that a course has at one moment into a new folder, which only its owner may
/// enter. Other programs may grade and take submissions meanwhile: files that are newer than the
/// copy of the database are left out. Returns what verify() finds in the copy. Throws UsageError if
/// `to` is not new or lies within `from`, and Error if the disk fails.
std::vector<std::string> copy_course(const std::filesystem::path& from,
                                     const std::filesystem::path& to);

}  // namespace opgrade::course
