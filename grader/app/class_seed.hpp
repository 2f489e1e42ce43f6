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

/// The seed that `results` keeps in its file .class-seed, which its owner alone can read and which
/// no sandbox shows to a submission. A new one is drawn and kept where there is none, and for a
/// rejudge of all that lies in `results`; one that the caller names replaces it. `submissions` are
/// those about to be graded: others in `results` keep the seed, because their results stand. Safe
/// where several processes grade into the same folder. Throws Error where the file cannot be read
/// or written.
std::uint64_t class_seed(const std::filesystem::path& results,
                         const std::vector<std::filesystem::path>& submissions,
                         const ClassSeedOptions& options);

}  // namespace opgrade
