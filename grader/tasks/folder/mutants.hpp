/// Small mistakes planted in a right source: a task's cases must notice them.
#pragma once

#include <string>
#include <vector>

namespace opgrade {

struct Mutant {
  std::string what;  ///< "line 14: without __syncthreads()"
  std::string text;  ///< of the whole source
};

/// Each differs from `source` in one place: a barrier dropped, a bound moved by one, a plain sum
/// where an atomic one was, a swapped index, a first term left out. Comments, strings and
/// directives stay. Not each mutant builds, and some compute the same.
std::vector<Mutant> mutants_of(const std::string& source);

}  // namespace opgrade
