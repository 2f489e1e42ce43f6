#include "grader/report/words/repeat.hpp"

#include <fmt/format.h>

#include "grader/base/core/shell_word.hpp"

namespace opgrade::report {

std::string repeat_command(const CaseReport& c) {
  if (!c.repeat) return "";
  std::string options = "--only " + shell_word(c.id);
  if (c.repeat->device) options += fmt::format(" --device {}", name_of(*c.repeat->device));
  if (c.repeat->seed) options += fmt::format(" --seed {}", *c.repeat->seed);
  return check_command(*c.repeat, options);
}

std::string check_command(const Repeat& repeat, const std::string& options) {
  return fmt::format("opgrade check {} --config {} {}", shell_path(repeat.path),
                     shell_word(repeat.config), options);
}

}  // namespace opgrade::report
