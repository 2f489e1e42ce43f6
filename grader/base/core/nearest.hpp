/// Finds which known word a mistyped one means.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace opgrade {

/// The number of insertions, deletions, replacements and swaps of neighbours.
std::size_t edit_distance(const std::string& a, const std::string& b);
/// The entry of `known` with the fewest edits from `word`, if it is close enough to be meant.
std::optional<std::string> nearest(const std::string& word, const std::set<std::string>& known);
/// "; did you mean 'check'?" for the nearest entry, or an empty text.
std::string did_you_mean(const std::string& word, const std::set<std::string>& known);

}  // namespace opgrade
