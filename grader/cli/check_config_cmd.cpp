#include <fmt/format.h>

#include "grader/cli/commands.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/config/load.hpp"

namespace opgrade::cli {

void add_check_config(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand(
      "check-config", "Check a config: print all its problems, or the effective config");
  auto file = std::make_shared<std::string>();
  verb->add_option("file", *file, "Config file, or the name of an opgrade config")->required();
  verb->callback([=, &exit_code] {
    const auto config = read_config(*file);
    if (config) fmt::print("{}", dump_config(*config));
    exit_code = config ? kPassed : kUsage;
  });
}

}  // namespace opgrade::cli
