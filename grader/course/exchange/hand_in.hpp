/// Reads submissions as course systems export them, before they are matched to the roster.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "grader/course/folder/late_rule.hpp"
#include "grader/course/folder/roster.hpp"
#include "grader/grading/intake/archive.hpp"

namespace opgrade::course {

/// An export of a class is larger than any submission.
inline constexpr ArchiveLimits kExportLimits{.archive_bytes = std::int64_t{4} << 30,
                                             .unpacked_bytes = std::int64_t{8} << 30,
                                             .ratio = 2'000,
                                             .entries = 100'000};

/// A person as the course system names them.
struct Person {
  std::vector<std::string> keys;  ///< each may be an id, login, e-mail or Canvas id of the roster
  std::string name;  ///< written as people do, or without blanks as in Canvas's file names
};

struct Match {
  const Student* student = nullptr;
  std::string why_not;                 ///< set if `student` is nullptr
  std::vector<std::string> nearest{};  ///< roster entries, the nearest first: "ada (Ada Lovelace)"
};

/// Finds the student by id, login, e-mail or Canvas id, or by the whole name if only one student
/// has it.
Match match(const Person& person, const Roster& roster);

struct Content {
  std::string bytes;
  std::string ending;               ///< ".zip"
  std::optional<Moment> handed_in;  ///< nullopt: the source does not give it
  std::string time_from;            ///< the source of the time, or why the time is unknown
  std::vector<std::string> notes;   ///< what staff should know
};

/// What reading a hand-in needs to know.
struct Reading {
  const TimeZone& zone;
  const Due& due;
  std::string document;  ///< the name of the assignment's document; empty: it wants none
};

struct HandIn {
  std::string source;          ///< a path, for staff
  std::string short_name;      ///< for --as: "ada", "submission_4711"
  std::vector<Person> people;  ///< more than one for a group
  /// Needs the owner's due date, because the last commit before it is taken from a repository. The
  /// error says why this cannot be a submission, and what to do.
  std::function<tl::expected<Content, std::string>(const Reading&)> read;
};

struct FoundHandIns {
  std::vector<HandIn> hand_ins;
  std::vector<std::string> skipped;  ///< entries that are no submission, with the reason
};

/// Hand-ins below a path. The path is a Gradescope export (a folder with submission_metadata.yml),
/// a Canvas export (a zip whose files have Canvas's names) or one student's archive. Any other
/// folder holds a folder, a git repository or an archive for each student. Throws UsageError for
/// another path.
FoundHandIns find_hand_ins(const std::filesystem::path& path);

/// One student's folder, repository or archive, as a hand-in.
HandIn hand_in_of(const std::filesystem::path& path);

// The parts of find_hand_ins(), each in a file of its own.
FoundHandIns gradescope_export(const std::filesystem::path& folder);
bool is_canvas_export(const std::vector<std::string>& names);
FoundHandIns canvas_export(const std::filesystem::path& zip);
tl::expected<Content, std::string> last_commit(const std::filesystem::path& repository,
                                               const Reading& reading);

}  // namespace opgrade::course
