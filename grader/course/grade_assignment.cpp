#include "grader/course/grade_assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "grader/app/result_folder.hpp"
#include "grader/app/result_names.hpp"
#include "grader/app/results_lock.hpp"
#include "grader/course/result_files.hpp"
#include "grader/course/standing.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScratch = ".grading";

/// A submission that counts, and how many current results it has.
struct Wanted {
  Submission submission;
  int current = 0;
};

std::vector<Wanted> wanted(const CourseFolder& folder, const Store& store,
                           const Assignment& assignment, CourseRun& run) {
  const auto submissions = store.submissions(assignment.name);
  std::map<std::string, std::vector<const Submission*>> by_owner;
  for (const auto& s : submissions) by_owner[s.owner].push_back(&s);
  std::vector<Wanted> all;
  for (const Owner& owner : folder.roster.owners(assignment)) {
    const auto found = by_owner.find(owner.key);
    if (found == by_owner.end()) continue;
    for (const auto& standing : standings(folder.course, assignment, owner, found->second))
      if (standing.graded) all.push_back({standing.submission});
    by_owner.erase(found);
  }
  for (const auto& [owner, unknown] : by_owner) run.unknown.push_back(owner);
  return all;
}

int next_number(const std::vector<Attempt>& attempts, const Grade& grade) {
  int last = 0;
  for (const Attempt& a : attempts)
    if (a.config_sha256 == grade.config_sha256 && a.version == grade.machine.opgrade_version)
      last = std::max(last, a.number);
  return last + 1;
}

}  // namespace

CourseGrading course_grading_by(Grader& grader) {
  return {[&](const fs::path& file, const std::string& name) { return grader.grade(file, name); },
          [&](const Grade& grade) { return grader.matches(grade); }};
}

CourseRun grade_assignment(const CourseFolder& folder, Store& store, const Assignment& assignment,
                           const CourseGrading& grading, ClassOptions options) {
  const ResultsLock lock(folder.path);
  remove_unfinished_results(folder.path);
  record_found_results(store, folder.path);
  CourseRun run;
  std::vector<Wanted> all = wanted(folder, store, assignment, run);
  for (Wanted& w : all) {
    for (const Attempt& a : store.attempts(w.submission.id)) {
      if (a.outcome == Outcome::grader_fault) continue;
      const auto grade = read_result((folder.path / a.result).parent_path());
      if (grade && grading.is_current(*grade)) ++w.current;
    }
    run.current += static_cast<std::size_t>(w.current);
  }

  // The class run needs a folder, which is removed after it.
  options.results = folder.path / kScratch;
  options.again = true;
  struct RemoveScratch {
    ~RemoveScratch() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
    fs::path path;
  };
  std::mutex guard;
  for (int round = 1; round <= gradings_needed(assignment); ++round) {
    std::vector<fs::path> files;
    std::map<fs::path, const Submission*> of_file;
    for (const Wanted& w : all) {
      if (w.current >= round) continue;
      files.push_back(folder.path / w.submission.file);
      of_file.emplace(files.back(), &w.submission);
    }
    if (files.empty()) continue;
    const RemoveScratch scratch{options.results};
    const ClassGrading recorded{[&](const fs::path& file, const std::string&) {
                                  const Submission& submission = *of_file.at(file);
                                  Grade grade = grading.grade(file, result_name(submission.owner));
                                  const std::scoped_lock one(guard);
                                  const int number =
                                      next_number(store.attempts(submission.id), grade);
                                  publish(store, folder.path, submission, grade, number);
                                  ++run.graded;
                                  if (grade.outcome == Outcome::grader_fault) ++run.faults;
                                  return grade;
                                },
                                [](const Grade&, const fs::path&) { return false; }};
    grade_class(recorded, files, options);
  }
  return run;
}

}  // namespace opgrade::course
