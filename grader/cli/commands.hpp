/// The verbs of the opgrade command, one file each. course_program.hpp lists the ones that are in
/// opgrade-course.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/arguments/arguments.hpp"

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
void add_check(arguments::Parser& app, int& exit_code);
void add_grade(arguments::Parser& app, int& exit_code);
void add_profile(arguments::Parser& app, int& exit_code);
void add_rank(arguments::Parser& app);
void add_show(arguments::Parser& app);
void add_bundle(arguments::Parser& app);
void add_check_config(arguments::Parser& app, int& exit_code);
void add_data(arguments::Parser& app);
void add_import(arguments::Parser& app);
void add_doctor(arguments::Parser& app, int& exit_code);
void add_course(arguments::Parser& app, int& exit_code);
/// submit, login, queue, history, ranking, fetch, cancel: the student's side of a service.
void add_client(arguments::Parser& app, int& exit_code);
void add_serve(arguments::Parser& app);
void add_serve_worker(arguments::Parser& app);
void add_serve_version(arguments::Parser& app);
/// task init, check, publish, diff.
void add_task(arguments::Parser& app, int& exit_code);
void add_init(arguments::Parser& app);
void add_explain(arguments::Parser& app);
/// Hidden: one candidate for the last word of a line each, and a tab and its description. A line
/// that another program completes is passed on by `elsewhere`, which then does not come back.
using Elsewhere = std::function<void(const std::vector<std::string>& words)>;
void add_complete(arguments::Parser& app, const Elsewhere& elsewhere = {});

/// Verbs that are programs of their own beside opgrade; when one is chosen the process becomes it.
void add_ladder(arguments::Parser& app);

}  // namespace opgrade::cli
