/// Gives all random cases of a class one seed, so that equal submissions get equal verdicts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace opgrade {

struct ClassSeedOptions {
  std::optional<std::uint64_t> wanted;  ///< a seed that the caller names
  bool again = false;                   ///< everything is graded again
};

/// The seed in the file .class-seed of `results`, which only its owner can read and no sandbox
/// shows to a submission. A new seed is drawn if there is none, or if everything in `results` is
/// graded again. A seed that the caller names replaces the stored one. `submissions` are those
/// about to be graded. If `results` has results of other submissions, the seed stays, because these
/// results stay valid. Safe for several processes in one folder. Throws Error if the file cannot be
/// read or written.
std::uint64_t class_seed(const std::filesystem::path& results,
                         const std::vector<std::filesystem::path>& submissions,
                         const ClassSeedOptions& options);

}  // namespace opgrade
