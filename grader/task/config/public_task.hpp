/// The task.yaml that students may read.
#pragma once

#include <string>

namespace opgrade {

/// `text` of a task.yaml without comments, hidden cases, what refers to them, and Op Times that are
/// multiples of staff's solutions', which students do not get. `pass_mark` takes the place of the
/// one that it has. Throws YAML::Exception for a text that is no YAML.
std::string public_task(const std::string& text, double pass_mark);

/// Whether a bound of Op Times, in the YAML of some stages or rules, needs one of staff's
/// solutions.
bool measures_solution(const std::string& yaml);

}  // namespace opgrade
