/// The verbs of the opgrade command, one file each. course_program.hpp lists the ones that are in
/// opgrade-course.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/base/arguments/arguments.hpp"

namespace opgrade::cli {

/// The process's exit codes. A submission's failure is below the pass mark, not an error.
enum ExitCode : int {
  kPassed = 0,         ///< graded, and every submission reached the pass mark
  kBelowPassMark = 1,  ///< graded, and one failed
  kUsage = 2,          ///< the command line or the config is wrong
  kFault = 3,          ///< a fault of the grader or its machine, or nothing is wrong, and a GPU or
                       ///< staff must decide
  kInterrupted = 130,
};

/// Each adds its verb to `app`, which runs when it is chosen. `exit_code`, which is kPassed at the
/// start, is set by verbs that can end otherwise.
using AddVerb = void(arguments::Parser& app, int& exit_code);
AddVerb add_check, add_grade, add_profile, add_explain, add_init, add_task;
AddVerb add_rank, add_show, add_bundle, add_check_config, add_data, add_import, add_doctor;
AddVerb add_course, add_serve, add_serve_worker, add_serve_rejudge, add_serve_version;
/// submit, login, queue, history, ranking, fetch, cancel: the student's side of a service.
AddVerb add_client;
/// A program of its own beside opgrade: when the verb is chosen the process becomes it.
AddVerb add_ladder;

// The frame of a program of verbs: errors to lines and exit codes.

/// For the shells' completions: passes on a line that another program completes, and then does not
/// come back.
using Elsewhere = std::function<void(const std::vector<std::string>& words)>;

/// Parses the line and runs its verb, which sets `exit_code`, or prints candidates for the last
/// word of an unfinished line. Returns the process's exit code, which is kFault where stdout cannot
/// be written.
int run_verbs(arguments::Parser& app, int argc, char** argv, const int& exit_code,
              const Elsewhere& elsewhere = {});

}  // namespace opgrade::cli
