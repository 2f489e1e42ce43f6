// opgrade-course: the verbs of a class, which `opgrade VERB` becomes.
#include "grader/cli/commands.hpp"
#include "grader/cli/run_verbs.hpp"

int main(int argc, char** argv) {
  using namespace opgrade;
  arguments::Parser app("opgrade: course, service and client commands", "opgrade");
  int exit_code = cli::kPassed;
  cli::add_course(app, exit_code);
  cli::add_client(app, exit_code);
  cli::add_serve(app);
  cli::add_serve_worker(app);
  cli::add_serve_version(app);
  cli::add_complete(app);
  return cli::run_verbs(app, argc, argv, exit_code);
}
