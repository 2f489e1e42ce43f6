#include <fmt/format.h>

#include "grader/cli/commands.hpp"

namespace opgrade::cli {

void add_complete(arguments::Parser& app, const Elsewhere& elsewhere) {
  auto* verb = app.add_subcommand("__complete", "For the shells' completions");
  verb->hide();
  verb->forward([&, elsewhere](const std::vector<std::string>& words) {
    if (elsewhere) elsewhere(words);
    for (const auto& candidate : app.complete(words)) {
      if (candidate.about.empty()) {
        fmt::print("{}\n", candidate.word);
      } else {
        fmt::print("{}\t{}\n", candidate.word, candidate.about);
      }
    }
  });
}

}  // namespace opgrade::cli
