/// One seed for the random cases of a class, so that equal submissions get equal verdicts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace opgrade {

struct ClassSeedOptions {
  std::optional<std::uint64_t> wanted;  ///< named by the caller
  bool again = false;                   ///< everything is graded again
};

/// The seed in the file .class-seed of `results`, which only its owner can read and no sandbox
/// shows to a submission. A new one is drawn where there is none, and for a rejudge of everything
/// in `results`. One that the caller names replaces it. `submissions` are those about to be graded.
/// Other results in `results` keep the seed, because they stand. Safe for several processes in one
/// folder. Throws Error where the file cannot be read or written.
std::uint64_t class_seed(const std::filesystem::path& results,
                         const std::vector<std::filesystem::path>& submissions,
                         const ClassSeedOptions& options);

}  // namespace opgrade
