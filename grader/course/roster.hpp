/// roster.csv: the students of a course.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grader/course/course_config.hpp"

namespace opgrade::course {

struct Student {
  std::string id;  ///< of the university; the gradebook's key
  std::string login;
  std::string name;
  std::string email, section, team, canvas_id;
  std::map<std::string, Moment> extended;  ///< deadline by the assignment's name
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

/// The latest of the members' deadlines, so that one member's extension is the team's.
Due due_of(const Owner& owner, const Assignment& assignment);

struct LoadedRoster {
  Roster roster;
  std::vector<ConfigProblem> problems;  ///< all of them; usable only when empty
};

/// Columns by name, in any order: id, login, name, and optionally email, section, team, extension,
/// canvas_id. An extension is "m1=2 d", "m1=36 h" or "m1=2026-10-15 23:59"; "*" names all
/// assignments, ';' separates several. Days are calendar days.
LoadedRoster load_roster(const std::filesystem::path& file, const Course& course);
LoadedRoster parse_roster(const std::string& text, const std::string& file_name,
                          const Course& course);

}  // namespace opgrade::course
