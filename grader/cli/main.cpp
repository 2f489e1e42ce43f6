#include <fmt/format.h>

#include "grader/cli/commands.hpp"
#include "grader/core/error.hpp"
#include "grader/process/interrupt.hpp"

int main(int argc, char** argv) {
  using namespace opgrade;
  CLI::App app("opgrade: grades conv-forward submissions, on the CPU, a GPU or without one",
               "opgrade");
  app.set_version_flag("--version", "opgrade " OPGRADE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 passed, 1 below the pass mark, 2 usage or config, 3 the grader or machine is "
      "at fault.");
  int exit_code = cli::kFault;
  cli::add_check(app, exit_code);
  cli::add_grade(app, exit_code);
  cli::add_rank(app, exit_code);
  cli::add_show(app, exit_code);
  cli::add_check_config(app, exit_code);
  cli::add_data(app, exit_code);
  cli::add_import(app, exit_code);
  cli::add_doctor(app, exit_code);
  cli::add_init(app, exit_code);
  interrupt::install();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? cli::kPassed : cli::kUsage;
  } catch (const interrupt::Interrupted&) {
    fmt::print(stderr, "\nopgrade: interrupted; finished results are kept\n");
    return cli::kInterrupted;
  } catch (const Error& e) {
    fmt::print(stderr, "opgrade: {}\n", e.what());
    if (!e.hint.empty()) fmt::print(stderr, "         -> {}\n", e.hint);
    return cli::kFault;
  } catch (const std::exception& e) {
    fmt::print(stderr, "opgrade: {}\n         -> this is a fault of opgrade; please report it\n",
               e.what());
    return cli::kFault;
  }
  return exit_code;
}
