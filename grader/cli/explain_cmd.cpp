#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/nearest.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/report/words/explain.hpp"

namespace opgrade::cli {
void add_explain(arguments::Parser& app, int&) {
  auto* verb = app.add_subcommand(
      "explain",
      "Explain an outcome such as wrong_output, a verdict or a finding: its meaning, its usual "
      "causes, an example");
  auto words = std::make_shared<std::vector<std::string>>();
  verb->add_option("outcome", *words, "The outcome, as in the report; without one, all are listed")
      ->suggest(report::explained_names);
  verb->callback([=] {
    const int width = std::max(stdout_style().width, 40);
    if (words->empty()) {
      fmt::print("{}\nopgrade explain OUTCOME says more.\n", report::explanation_list(width));
      return;
    }
    // Tries the words as one name, as a report writes it, before each word as a name.
    if (const auto text =
            report::explanation_text(fmt::format("{}", fmt::join(*words, " ")), width))
      return fmt::print("{}", *text);
    for (const std::string& name : *words) {
      const auto text = report::explanation_text(name, width);
      if (!text) {
        const auto names = report::explained_names();
        throw UsageError(fmt::format("there is no outcome, verdict or finding '{}'{}", name,
                                     did_you_mean(name, {names.begin(), names.end()})),
                         "opgrade explain lists the names; docs/glossary.md explains other words");
      }
      fmt::print("{}{}", &name == &words->front() ? "" : "\n", *text);
    }
  });
}

}  // namespace opgrade::cli
