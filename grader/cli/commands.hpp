/// The verbs of the opgrade command, one file each. course_program.hpp lists those in
/// opgrade-course.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/base/arguments/arguments.hpp"

namespace opgrade::cli {

/// The process's exit codes. A failed submission is below the pass mark, which is not an error.
enum ExitCode : int {
  kPassed = 0,         ///< graded, and every submission reached the pass mark
  kBelowPassMark = 1,  ///< graded, and at least one failed
  kUsage = 2,          ///< the command line or the config is wrong
  kFault = 3,  ///< the grader or its machine failed, or no mistake was found but a GPU or staff
               ///< must decide
  kInterrupted = 130,
};

/// Each adds a verb to `app`, which runs if it is chosen. Verbs that can fail set `exit_code`,
/// which is kPassed at first.
using AddVerb = void(arguments::Parser& app, int& exit_code);
AddVerb add_check, add_grade, add_profile, add_explain, add_init, add_task;
AddVerb add_rank, add_show, add_bundle, add_check_config, add_data, add_import, add_doctor;
AddVerb add_course, add_serve, add_serve_worker, add_serve_rejudge, add_serve_version;
/// submit, login, queue, history, ranking, fetch, cancel: the student's side of a service.
AddVerb add_client;
/// A separate program: if the verb is chosen, the process becomes that program.
AddVerb add_ladder;

// What all programs with verbs share: errors become lines and exit codes.

/// For completions of the shells: passes on a line that another program completes, and does not
/// return in that case.
using Elsewhere = std::function<void(const std::vector<std::string>& words)>;

/// Parses the line and runs its verb, which sets `exit_code`, or prints candidates for the last
/// word of an unfinished line. Returns the process's exit code, which is kFault if stdout cannot be
/// written.
int run_verbs(arguments::Parser& app, int argc, char** argv, const int& exit_code,
              const Elsewhere& elsewhere = {});

}  // namespace opgrade::cli
