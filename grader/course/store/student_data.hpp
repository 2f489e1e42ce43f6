/// Exports and removes all data that a course holds of one student.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/course/folder/course_folder.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/store/store.hpp"

namespace opgrade::course {

/// Writes into a new folder what the student may see of the student's own data: the archives, the
/// reports as students see them, and student.json with the grades and rows of the database
/// (TableRows::of_student). Results of an assignment whose grades are held, and of a rejudge that
/// is not applied, are left out. Throws UsageError if the folder is not empty.
void export_student(const CourseFolder& folder, const Store& store, const Gradebook& book,
                    const Student& student, const std::filesystem::path& out);

/// Removes the student's archives, results, samples, comments, tokens and line of the roster. In
/// data that stays, such as the audit log and a team's submissions, a pseudonym takes the place of
/// login, name, e-mail and id. The time of a ranked submission stays under the pseudonym, so that
/// no other rank changes. A server may run meanwhile: what it takes in for the student before the
/// line is removed is removed, too. `dry_run`: removes nothing and does not wait. Returns a line
/// for each kind of data. Throws UsageError if a submission of the student is in work, or another
/// grading runs.
std::vector<std::string> remove_student(const CourseFolder& folder, Store& store,
                                        const Student& student,
                                        const std::map<std::string, double>& ranked_ms,
                                        bool dry_run);

}  // namespace opgrade::course
