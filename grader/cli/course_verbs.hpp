/// The verbs of `opgrade course`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "grader/app/grader.hpp"
#include "grader/arguments/arguments.hpp"
#include "grader/course/course_folder.hpp"
#include "grader/course/executor.hpp"

namespace opgrade::cli {

/// Settings for the nodes of a cluster, beside the jobs.
struct SlurmWork {
  const Config& config;
  const GraderOptions& grading;
  std::string purpose;  ///< the assignment, or a rejudge of it: arrays of other purposes stay
  bool resume_only = false;
  std::function<void(const std::string&)> log;
};

/// The first argument of each verb.
std::shared_ptr<std::filesystem::path> add_course_folder(arguments::Parser& verb);

/// Throws UsageError, with the names that there are.
const course::Assignment& assignment_of(const course::CourseFolder& folder,
                                        const std::string& name);

/// The executor that runs `assignment` as job arrays. Throws Error where Slurm is missing.
std::unique_ptr<course::Executor> slurm_executor(const course::CourseFolder& folder,
                                                 const course::Assignment& assignment,
                                                 const SlurmWork& work);

void add_course_add(arguments::Parser& course_verb, int& exit_code);
void add_course_grade(arguments::Parser& course_verb, int& exit_code);
void add_course_run_batch(arguments::Parser& course_verb, int& exit_code);
void add_course_set(arguments::Parser& course_verb, int& exit_code);
void add_course_gradebook(arguments::Parser& course_verb, int& exit_code);
void add_course_why(arguments::Parser& course_verb, int& exit_code);

}  // namespace opgrade::cli
