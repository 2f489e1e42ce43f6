#include "grader/course/results/class_seed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "grader/base/core/error.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/base/files/partial_file.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/results/class_results.hpp"
#include "grader/course/results/result_names.hpp"
#include "grader/course/results/results_lock.hpp"
#include "grader/grading/pipeline/submission_path.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

// No submission's folder starts with a dot: result_name().
constexpr const char* kFile = ".class-seed";

std::optional<std::uint64_t> read_seed(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  const std::string text = text_of_file(file);
  const auto seed = whole_number<std::uint64_t>(text.substr(0, text.find('\n')));
  if (!seed) {
    throw Error(fmt::format("{} holds no seed", file.string()),
                "remove it: a new seed is drawn, and all of the class are graded again");
  }
  return seed;
}

/// True if `results` holds some submission's result that is not about to be graded.
bool holds_others(const fs::path& results, const std::vector<fs::path>& submissions) {
  std::set<std::string> own;
  for (const auto& submission : submissions) own.insert(owner_of(submission));
  const ClassResults all = read_results(results);
  return std::ranges::any_of(
      all.grades, [&](const auto& named) { return !own.contains(named.second.submission_path); });
}

}  // namespace

std::uint64_t class_seed(const fs::path& results, const std::vector<fs::path>& submissions,
                         const ClassSeedOptions& options) {
  make_results_folder(results);
  const fs::path file = results / kFile;
  const auto kept = read_seed(file);
  const bool redraw = options.wanted || (options.again && !holds_others(results, submissions));
  if (kept && !redraw) return *kept;

  const std::uint64_t seed = options.wanted ? *options.wanted : SystemRandom()();
  PartialFile partial(file);
  // Only the owner may read the seed, because students could compute the random shapes from it.
  write_whole(partial.path(), fmt::format("{}\n", seed), 0600);
  if (redraw) {
    partial.commit();
    return seed;
  }
  // If another process was faster, its seed is the class's.
  bool first = true;
  try {
    first = partial.commit_new();
  } catch (const Error&) {  // the file system has no hard links
    partial.commit();
  }
  return first ? seed : read_seed(file).value_or(seed);
}

}  // namespace opgrade
