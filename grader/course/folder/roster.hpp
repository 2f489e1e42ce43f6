/// Reads roster.csv, the students of a course, and makes the changes that the service offers.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "grader/course/folder/course_config.hpp"

namespace opgrade::course {

struct Student {
  std::string id;  ///< the university's id; the gradebook's key
  std::string login;
  std::string name;
  std::string email, section, team, canvas_id;
  std::map<std::string, std::string> teams;  ///< the team by assignment, if it changes in the term
  std::map<std::string, Moment> extended;    ///< extended deadline, by the assignment's name

  const std::string& team_for(const Assignment& assignment) const;
  /// The deadline for the student's section, without an extension.
  Moment deadline_of(const Assignment& assignment) const;
};

/// The student or team that a submission belongs to.
struct Owner {
  std::string key;  ///< the login, or "team " and the team's name
  std::vector<const Student*> members;
};

struct Roster {
  std::vector<Student> students;

  const Student* find(const std::string& login_or_id) const;
  /// The student's team if the assignment has teams and the student is in one; else the student.
  Owner owner_of(const Student& student, const Assignment& assignment) const;
  /// The students whose submissions have this key as their owner; none if the roster lacks the key.
  std::vector<const Student*> members(const Assignment& assignment, const std::string& key) const;
  /// The owners of all students, each once.
  std::vector<Owner> owners(const Assignment& assignment) const;
};

/// When the owner's submissions are due: at the latest of the members' deadlines, so that one
/// member's extension is the team's. Slip days are not included: DueDates adds them.
Due due_of(const Owner& owner, const Assignment& assignment);

struct LoadedRoster {
  Roster roster;
  /// All that the file has; the roster is usable only if there are none.
  std::vector<ConfigProblem> problems;
};

/// Columns by name, in any order: id, login, name, and optionally email, section, team, extension,
/// canvas_id. A team is "red", or "red; blue from 2026-10-20" if it changes: the deadline of an
/// assignment decides which team works on it. An extension is "m1=2 d", "m1=36 h" or "m1=2026-10-15
/// 23:59"; "*" names all assignments, ';' separates several. Days are calendar days.
LoadedRoster load_roster(const std::filesystem::path& file, const Course& course);
LoadedRoster parse_roster(const std::string& text, const std::string& file_name,
                          const Course& course);

struct Extension {
  std::set<std::string> logins;
  std::string assignment;
  std::string until;       ///< "2 d", "36 h" or "2026-10-15 23:59"; empty: removes the extension
  bool confirmed = false;  ///< staff confirmed that they mean more than a year
};

/// The text of the roster after these students get this extension. An empty `until` removes the
/// students' extension for this assignment, even if "*" gives one. Blank lines are not kept. The
/// error says why the new text is no valid roster, or asks for a confirmation of more than a year.
tl::expected<std::string, std::string> with_extension(const std::string& roster,
                                                      const Course& course,
                                                      const Extension& extension);

/// The cells of a student's line by their columns; empty if the roster lacks the student.
std::map<std::string, std::string> roster_cells(const std::string& roster,
                                                const std::string& login);

/// The text of the roster with these cells in the line of the student whose login is among them;
/// `is_new` adds a line. Columns that the roster lacks are added for values that are not empty.
/// Cells that `cells` does not name stay. The error says why the new text is no valid roster.
tl::expected<std::string, std::string> with_student(const std::string& roster, const Course& course,
                                                    const std::map<std::string, std::string>& cells,
                                                    bool is_new);

/// The text of the roster without the line of a student. The error says why the line cannot be
/// removed.
tl::expected<std::string, std::string> without_student(const std::string& roster,
                                                       const std::string& login);

/// Changes the roster.csv of a course folder. Readers see the old or the new file, never a
/// half-written one. Waits up to `patience` if another program edits the file. Throws Error if the
/// disk fails.
tl::expected<void, std::string> edit_roster(
    const std::filesystem::path& folder,
    const std::function<tl::expected<std::string, std::string>(const std::string&)>& edit,
    std::chrono::milliseconds patience = std::chrono::seconds(10));

}  // namespace opgrade::course
