/// The verbs of `opgrade course`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "grader/base/arguments/arguments.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/gradings/grade_assignment.hpp"
#include "grader/grading/pipeline/earlier_run.hpp"

namespace opgrade::cli {

/// Settings for the nodes of a cluster, in addition to the jobs.
struct SlurmWork {
  const Config& config;
  const GraderOptions& grading;
  bool resume_only = false;
  Listener listen;
  /// As SlurmOptions::take_file.
  std::function<void(const std::filesystem::path&)> take_file = [](const auto&) {};
};

/// Options of the verbs that grade. Without a config, the assignment's is used.
struct ExecutorArguments {
  std::shared_ptr<GradingArguments> grading;
  std::optional<int> jobs;
  std::string executor;
  bool keep_going = false, resume = false, unchecked = false;
  bool within_lock = false;     ///< opgrade serve holds the course's lock and started this process
  bool only_rescoring = false;  ///< leaves cases that have to run to a later call
};
std::shared_ptr<ExecutorArguments> add_executor_options(arguments::Parser& verb);

/// Option of the rejudge process that opgrade serve starts.
inline constexpr const char* kOnlyRescoring = "--only-rescoring";

using ExecutorWork = std::function<course::CourseRun(const course::Rules&, course::Executor&,
                                                     const course::CourseOptions&)>;

/// An earlier grading of an archive, whose cases need not run again.
using EarlierOf = std::function<std::optional<EarlierRun>(const std::filesystem::path& file)>;

bool is_on_slurm(const course::Assignment& assignment, const ExecutorArguments& own);

/// Runs `work` with the executor that the options or course.yaml name. Nodes of a cluster reuse no
/// case of an earlier grading.
course::CourseRun with_executor(const course::CourseFolder& folder,
                                const course::Assignment& assignment, const Config& config,
                                const ExecutorArguments& own, const ExecutorWork& work,
                                const EarlierOf& earlier = {});

/// Prints faults and missing gradings. Returns the exit code.
int print_run(const std::string& assignment, const course::CourseRun& run);

/// The part of a config that the gradebook needs. Throws as read_config() does.
course::AssignmentFacts facts_of(const std::string& config);

course::Gradebook book_of(const course::CourseFolder& folder, const course::Store& store);

/// Writes to the course's audit log, as a change made on this machine.
void audit_here(const course::Store& store, const std::string& who, const std::string& action,
                const std::string& subject);

/// Prints the differences that verify() found. Returns the exit code.
ExitCode print_verified(const std::vector<std::string>& found, const course::Store& store,
                        const std::string& what);

/// Adds the course folder, the first argument of each verb.
std::shared_ptr<std::filesystem::path> add_course_folder(arguments::Parser& verb);

/// Throws UsageError with the existing names.
const course::Assignment& assignment_of(const course::CourseFolder& folder,
                                        const std::string& name);

/// The student with this login or id. Throws UsageError with the nearest name.
const course::Student& student_of(const course::CourseFolder& folder, const std::string& name);

/// The executor that runs `assignment` as job arrays. Throws Error if Slurm is missing.
std::unique_ptr<course::Executor> slurm_executor(const course::CourseFolder& folder,
                                                 const course::Assignment& assignment,
                                                 const SlurmWork& work);

/// The rules of gradings with this config by this program. The config's text is stored in the
/// course folder.
course::Rules rules_now(const course::CourseFolder& folder, const Config& config);

AddVerb add_course_add, add_course_grade, add_course_final, add_course_rejudge,
    add_course_run_batch;
AddVerb add_course_set, add_course_marks, add_course_gradebook, add_course_why, add_course_rank;
AddVerb add_course_export_code, add_course_data, add_course_tokens;

}  // namespace opgrade::cli
