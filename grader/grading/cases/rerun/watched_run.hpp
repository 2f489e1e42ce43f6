/// The emulated device checks every access of a network's own layers, on a few images.
#pragma once

#include <filesystem>
#include <random>
#include <span>
#include <vector>

#include "grader/base/core/note.hpp"
#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/cases/verdict/judged_case.hpp"
#include "grader/task/interface/model.hpp"

namespace opgrade {

/// Runs each problem of `model` once on three images, wrong or not, in the build that watches every
/// access (`watching`). Its findings go into `c`, the case of that model with the plain build, and
/// count as its own. Outputs, crashes and limits of this run do not count, because three images are
/// no case of the config. The run ends after 20 s at most. A note tells where it ended early,
/// unless the case itself ended so.
void watch_layers(const StageContext& stage, const std::filesystem::path& watching,
                  const Model& model, std::mt19937_64 random, JudgedCase& c,
                  std::vector<Note>& notes);

/// How many of `problems`, which are in the order of their sizes, are small enough for a watched
/// run. The first one always counts as small.
std::size_t count_of_watched(std::span<const NamedProblem> problems);

/// Runs the small ones of `problems`, which are in the order of their sizes, in the build that
/// watches every access (context.built.submission), and the others by the `plain` one: for more
/// images a kernel accesses memory alike, and a watched run takes some six times as long. Large
/// ones that fail are rerun watched, for the lines of what went wrong.
JudgedCase watch_small(const CaseContext& context, const std::filesystem::path& plain,
                       std::span<const NamedProblem> problems, std::mt19937_64 random);

}  // namespace opgrade
