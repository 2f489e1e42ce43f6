/// The task.yaml that students may read.
#pragma once

#include <string>

namespace opgrade {

/// `text` of a task.yaml without hidden cases, what refers to them, and the pass mark, which may be
/// more than the points that are left. Comments and the order of keys stay, except where cases
/// stand on one line in brackets. Throws YAML::Exception for a text that is no YAML.
std::string public_task(const std::string& text);

}  // namespace opgrade
