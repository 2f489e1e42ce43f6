/// Earlier names of a config's keys, accepted with a note.
#pragma once

#include "grader/files/yaml_reader.hpp"

namespace opgrade {

/// Gives the keys of one file their present names, before it is merged with another file.
void rename_old_keys(const YAML::Node& root, ProblemList& problems);

}  // namespace opgrade
