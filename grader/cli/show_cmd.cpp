#include <fmt/format.h>

#include "grader/app/result_folder.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/core/error.hpp"
#include "grader/report/exporters.hpp"

namespace opgrade::cli {

void add_show(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("show", "Print a stored result again, in any format");
  struct Own {
    std::string folder, format = "text";
    bool staff = false;
  };
  auto own = std::make_shared<Own>();
  std::vector<std::string> names;
  for (const report::Exporter& e : report::exporters()) names.emplace_back(e.name);
  verb->add_option("folder", own->folder, "A submission's folder in the results")
      ->required()
      ->check(arguments::existing_folder());
  verb->add_option("--format,-f", own->format, "One of " + report::list_of_exporters())
      ->check(arguments::one_of(names))
      ->capture_default_str();
  verb->add_flag("--staff", own->staff, "Show hidden cases in full");
  verb->callback([=, &exit_code] {
    const auto grade = read_result(own->folder);
    if (!grade)
      throw UsageError(own->folder + " holds no readable report.json",
                       "name one submission's folder in the results");
    const auto audience = own->staff ? report::Audience::staff : report::Audience::student;
    fmt::print("{}", report::exporter(own->format).write(*grade, {audience, stdout_style()}));
    exit_code = kPassed;
  });
}

}  // namespace opgrade::cli
