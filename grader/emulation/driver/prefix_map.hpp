/// GCC maps paths in debug information and __FILE__, but not in the places that its sanitizers
/// name.
#pragma once

#include <string>
#include <vector>

namespace opgrade::emulation {

/// `text`, preprocessed, with the paths of its line markers as each -ffile-prefix-map=OLD=NEW of
/// `flags` says; as in GCC the last that fits counts.
std::string with_mapped_paths(const std::string& text, const std::vector<std::string>& flags);

}  // namespace opgrade::emulation
