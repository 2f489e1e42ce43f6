/// Takes hand-ins into a course: matched, timed, stored; or listed with the reason.
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
  std::map<std::string, std::string> as;  ///< short names to logins, for what does not match
  std::string only;                       ///< this short name or login alone
  std::optional<Moment> time;             ///< of hand-in, instead of what the sources tell
  const Config* config = nullptr;  ///< a submission without its files is marked as not gradable
  bool dry_run = false;
};

struct AddedSubmission {
  Submission submission;
  Lateness late;
  std::string time_from;
  std::vector<std::string> notes;
  bool is_new = true;  ///< false: it was there before
};

struct NotAdded {
  std::string source, short_name, why;
  std::vector<std::string> nearest;
};

struct AddReport {
  std::vector<AddedSubmission> added;
  std::vector<NotAdded> not_added;
};

/// A submission that is there already is not added again, so the same call may be repeated. The
/// content of an owner's newest submission keeps its time when it comes again, later. Throws
/// UsageError for a path that is no source, Error when the disk fails.
AddReport add_submissions(const CourseFolder& folder, Store& store, const Assignment& assignment,
                          const AddOptions& options);

}  // namespace opgrade::course
