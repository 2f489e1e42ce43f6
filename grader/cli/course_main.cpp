// opgrade-course: the program with the verbs for classes, which `opgrade VERB` becomes.
#include "grader/cli/commands.hpp"

int main(int argc, char** argv) {
  using namespace opgrade;
  arguments::Parser app("opgrade: course, service and client commands", "opgrade");
  int exit_code = cli::kPassed;
  for (cli::AddVerb* add : {cli::add_course, cli::add_client, cli::add_serve, cli::add_serve_worker,
                            cli::add_serve_rejudge, cli::add_serve_version})
    add(app, exit_code);
  return cli::run_verbs(app, argc, argv, exit_code);
}
