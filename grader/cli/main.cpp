#include "grader/cli/commands.hpp"
#include "grader/cli/course_program.hpp"
#include "grader/cli/run_verbs.hpp"

int main(int argc, char** argv) {
  using namespace opgrade;
  arguments::Parser app(
      "opgrade: grades GPU-programming submissions on the CPU, a GPU or an emulated device",
      "opgrade");
  int exit_code = cli::kPassed;
  cli::add_init(app);
  cli::add_task(app, exit_code);
  cli::add_check(app, exit_code);
  cli::add_explain(app);
  cli::add_grade(app, exit_code);
  cli::add_profile(app, exit_code);
  cli::add_course_program(app, {argv + 1, argv + argc});
  cli::add_rank(app);
  cli::add_show(app);
  cli::add_bundle(app);
  cli::add_check_config(app, exit_code);
  cli::add_data(app);
  cli::add_import(app);
  cli::add_doctor(app, exit_code);
  cli::add_complete(app, cli::complete_in_course_program);
  cli::add_ladder(app);
  return cli::run_verbs(app, argc, argv, exit_code);
}
