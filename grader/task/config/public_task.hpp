/// The task.yaml that students may read.
#pragma once

#include <string>

namespace opgrade {

/// `text` of a task.yaml without comments, hidden cases, references to these cases, and Op Times
/// that are multiples of the times of staff's solutions, because students do not get the solutions.
/// `pass_mark` replaces the text's. Throws YAML::Exception if the text is not YAML.
std::string public_task(const std::string& text, double pass_mark);

/// Whether a bound of Op Times in the YAML of some stages or rules needs the time of one of staff's
/// solutions.
bool measures_solution(const std::string& yaml);

}  // namespace opgrade
