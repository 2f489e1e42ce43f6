/// Adds hand-ins to a course: each is matched to a student, gets its time and is stored, or is
/// listed with the reason why not.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/exchange/hand_in.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/store/store.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade::course {

struct AddOptions {
  std::vector<std::filesystem::path> paths;
  std::string student;                    ///< each path is a submission of this login
  std::map<std::string, std::string> as;  ///< short names to logins, for hand-ins that do not match
  std::string only;            ///< adds the hand-in of this short name or login alone; empty: all
  std::optional<Moment> time;  ///< time of hand-in, instead of the time that the sources give
  const Config* config = nullptr;  ///< a submission without its files is marked as not gradable
  bool dry_run = false;
};

struct AddedSubmission {
  Submission submission;
  Lateness late;
  std::string time_from;
  std::vector<std::string> notes;
  bool is_new = true;  ///< false: the store had it before
};

struct NotAdded {
  std::string source, short_name, why;
  std::vector<std::string> nearest;
};

struct AddReport {
  std::vector<AddedSubmission> added;
  std::vector<NotAdded> not_added;
};

/// A submission that the store has is not added again, so the same call may be repeated. If the
/// content of an owner's newest submission comes again later, it keeps its first time. Throws
/// UsageError for a path that is no source, Error if the disk fails.
AddReport add_submissions(const CourseFolder& folder, Store& store, const Assignment& assignment,
                          const AddOptions& options);

}  // namespace opgrade::course
