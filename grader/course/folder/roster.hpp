/// roster.csv: the students of a course, and the changes that the service makes.
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
  std::string id;  ///< of the university; the gradebook's key
  std::string login;
  std::string name;
  std::string email, section, team, canvas_id;
  std::map<std::string, std::string> teams;  ///< by assignment, where it changes in the term
  std::map<std::string, Moment> extended;    ///< deadline by the assignment's name

  const std::string& team_for(const Assignment& assignment) const;
  /// That of the section, without an extension.
  Moment deadline_of(const Assignment& assignment) const;
};

/// The student or team that a submission belongs to.
struct Owner {
  std::string key;  ///< login, or "team " and its name
  std::vector<const Student*> members;
};

struct Roster {
  std::vector<Student> students;

  const Student* find(const std::string& login_or_id) const;
  /// The team where the assignment has teams and the student has one.
  Owner owner_of(const Student& student, const Assignment& assignment) const;
  /// The students whose submissions have this key as their owner; none for one whom the roster
  /// lacks.
  std::vector<const Student*> members(const Assignment& assignment, const std::string& key) const;
  /// The owners of all students, each once.
  std::vector<Owner> owners(const Assignment& assignment) const;
};

/// The latest of the members' deadlines, so that one member's extension is the team's. Without slip
/// days: DueDates has those.
Due due_of(const Owner& owner, const Assignment& assignment);

struct LoadedRoster {
  Roster roster;
  std::vector<ConfigProblem> problems;  ///< all of them; usable only when empty
};

/// Columns by name, in any order: id, login, name, and optionally email, section, team, extension,
/// canvas_id. A team is "red", or "red; blue from 2026-10-20" where it changes: the deadline of an
/// assignment decides. An extension is "m1=2 d", "m1=36 h" or "m1=2026-10-15 23:59"; "*" names all
/// assignments, ';' separates several. Days are calendar days.
LoadedRoster load_roster(const std::filesystem::path& file, const Course& course);
LoadedRoster parse_roster(const std::string& text, const std::string& file_name,
                          const Course& course);

struct Extension {
  std::set<std::string> logins;
  std::string assignment;
  std::string until;       ///< "2 d", "36 h" or "2026-10-15 23:59"; empty: none
  bool confirmed = false;  ///< more than a year is meant
};

/// The roster with this extension of all these students, as load_roster() reads it. An empty one
/// takes the extension of this assignment back, also where "*" gives one. Blank lines are not kept.
/// The error says why this is no roster then, or asks for a confirmation of more than a year.
tl::expected<std::string, std::string> with_extension(const std::string& roster,
                                                      const Course& course,
                                                      const Extension& extension);

/// The cells of a student's line by their columns; empty for one whom the roster lacks.
std::map<std::string, std::string> roster_cells(const std::string& roster,
                                                const std::string& login);

/// The roster with these cells in the line of the student whose login is among them, or with one
/// line more. Columns that the roster lacks are added for values that are not empty; cells that
/// `cells` does not name stay. The error says why this is no roster then.
tl::expected<std::string, std::string> with_student(const std::string& roster, const Course& course,
                                                    const std::map<std::string, std::string>& cells,
                                                    bool is_new);

/// The roster without the line of a student; the error says why there is none then.
tl::expected<std::string, std::string> without_student(const std::string& roster,
                                                       const std::string& login);

/// Changes the roster.csv of a course folder, which readers see before or after, and never half
/// written. Waits `patience` for another program that edits it. Throws Error when the disk fails.
tl::expected<void, std::string> edit_roster(
    const std::filesystem::path& folder,
    const std::function<tl::expected<std::string, std::string>(const std::string&)>& edit,
    std::chrono::milliseconds patience = std::chrono::seconds(10));

}  // namespace opgrade::course
