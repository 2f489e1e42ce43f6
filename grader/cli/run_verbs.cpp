
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fault_hint.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/cli/commands.hpp"
#include "grader/grading/pipeline/program_version.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade::cli {
namespace {

int complain(const Error& e, ExitCode code) {
  constexpr std::size_t kLongest = 4000;
  // The texts are made printable, because they contain names of files, keys of configs and other
  // programs' output.
  fmt::print(stderr, "opgrade: {}\n", printable(e.what(), kLongest));
  if (!e.hint.empty()) fmt::print(stderr, "         -> {}\n", printable(e.hint, kLongest));
  return code;
}

int run(arguments::Parser& app, int argc, char** argv, const int& exit_code) {
  try {
    if (!app.parse(argc, argv)) return kPassed;  // the line asked for the help or the version
  } catch (const interrupt::Interrupted&) {
    fmt::print(stderr,
               "\nopgrade: interrupted\n         -> finished results are kept; the same command "
               "grades the rest\n");
    return kInterrupted;
  } catch (const UsageError& e) {
    return complain(e, kUsage);
  } catch (const Error& e) {
    return complain(e, kFault);
  } catch (const std::exception& e) {
    return complain(Error(e.what(), hint_for(e)), kFault);
  }
  return exit_code;
}

/// A full disk shows only when the rest of stdout is flushed.
bool all_printed() {
  std::cout.flush();
  if (std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  fmt::print(stderr, "opgrade: cannot print the result: {}\n", std::strerror(errno));
  return false;
}

/// Prints one candidate for the last word per line, with a tab and its description.
void add_complete(arguments::Parser& app, const Elsewhere& elsewhere) {
  auto* verb = app.add_subcommand("__complete", "For the shells' completions");
  verb->hide();
  verb->forward([&app, elsewhere](const std::vector<std::string>& words) {
    if (elsewhere) elsewhere(words);
    for (const auto& [word, about] : app.complete(words))
      fmt::print("{}{}{}\n", word, about.empty() ? "" : "\t", about);
  });
}

}  // namespace

int run_verbs(arguments::Parser& app, int argc, char** argv, const int& exit_code,
              const Elsewhere& elsewhere) {
  add_complete(app, elsewhere);
  app.set_version_flag("--version", [] { return "opgrade " + version_text(); });
  app.footer(
      "Exit codes: 0 PASSED, 1 FAILED, 2 usage or config, 3 a fault of the grader or machine, or "
      "INCOMPLETE (nothing is wrong, points are open), 130 interrupted.");
  interrupt::install();
  const int code = run(app, argc, argv, exit_code);
  return all_printed() ? code : kFault;
}

}  // namespace opgrade::cli
