#include "grader/cli/commands.hpp"
#include "grader/cli/course_program.hpp"
#include "grader/cli/run_verbs.hpp"

int main(int argc, char** argv) {
  using namespace opgrade;
  arguments::Parser app(
      "opgrade: grades GPU-programming submissions on the CPU, a GPU or an emulated device",
      "opgrade");
  int exit_code = cli::kFault;
  cli::add_init(app, exit_code);
  cli::add_task(app, exit_code);
  cli::add_check(app, exit_code);
  cli::add_explain(app, exit_code);
  cli::add_grade(app, exit_code);
  cli::add_profile(app, exit_code);
  cli::add_course_program(app, {argv + 1, argv + argc});
  cli::add_rank(app, exit_code);
  cli::add_show(app, exit_code);
  cli::add_bundle(app, exit_code);
  cli::add_check_config(app, exit_code);
  cli::add_data(app, exit_code);
  cli::add_import(app, exit_code);
  cli::add_doctor(app, exit_code);
  cli::add_complete(app, exit_code, cli::complete_in_course_program);
  cli::add_ladder(app);
  return cli::run_verbs(app, argc, argv, exit_code);
}
