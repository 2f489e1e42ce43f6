#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "grader/cli/commands.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/core/error.hpp"
#include "grader/report/explain.hpp"

namespace opgrade::cli {
namespace {

std::vector<std::string> outcome_ids() {
  std::vector<std::string> ids;
  for (const auto& entry : kOutcomes) ids.emplace_back(entry.id);
  return ids;
}

}  // namespace

void add_explain(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand(
      "explain",
      "Explain an outcome such as wrong_output: its meaning, its usual causes, an example");
  auto words = std::make_shared<std::vector<std::string>>();
  verb->add_option("outcome", *words, "The outcome, as in the report; without one, all are listed")
      ->suggest(outcome_ids);
  verb->callback([=, &exit_code] {
    const int width = std::max(stdout_style().width, 40);
    exit_code = kPassed;
    if (words->empty()) {
      fmt::print("{}\nopgrade explain OUTCOME says more.\n", report::explanation_list(width));
      return;
    }
    const std::string name = fmt::format("{}", fmt::join(*words, " "));
    const auto outcome = report::find_outcome(name);
    if (!outcome) {
      throw UsageError(fmt::format("there is no outcome '{}'", name),
                       fmt::format("the outcomes are {}", fmt::join(outcome_ids(), ", ")));
    }
    fmt::print("{}", report::explanation_text(*outcome, width));
  });
}

}  // namespace opgrade::cli
