#include "grader/cli/commands.hpp"
#include "grader/cli/course_program.hpp"

int main(int argc, char** argv) {
  using namespace opgrade;
  arguments::Parser app(
      "opgrade: grades GPU-programming submissions on the CPU, a GPU or an emulated device",
      "opgrade");
  int exit_code = cli::kPassed;
  for (cli::AddVerb* add : {cli::add_init, cli::add_task, cli::add_check, cli::add_explain,
                            cli::add_grade, cli::add_profile})
    add(app, exit_code);
  cli::add_course_program(app, {argv + 1, argv + argc});
  for (cli::AddVerb* add : {cli::add_rank, cli::add_show, cli::add_bundle, cli::add_check_config,
                            cli::add_data, cli::add_import, cli::add_doctor, cli::add_ladder})
    add(app, exit_code);
  return cli::run_verbs(app, argc, argv, exit_code, cli::complete_in_course_program);
}
