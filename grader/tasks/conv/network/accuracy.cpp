#include "grader/tasks/conv/network/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/core/error.hpp"

namespace opgrade {
namespace {

bool has_nan(std::span<const float> row) {
  return std::any_of(row.begin(), row.end(), [](float value) { return std::isnan(value); });
}

}  // namespace

std::vector<int> predictions(std::span<const float> logits, int classes) {
  if (classes < 1 || logits.size() % static_cast<std::size_t>(classes) != 0) {
    throw Error(fmt::format("{} logits cannot be of {} classes", logits.size(), classes));
  }
  std::vector<int> result(logits.size() / static_cast<std::size_t>(classes));
  for (std::size_t b = 0; b < result.size(); ++b) {
    const auto row = logits.subspan(b * static_cast<std::size_t>(classes), std::size_t(classes));
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    result[b] = has_nan(row) ? -1 : static_cast<int>(best);
  }
  return result;
}

std::int64_t count_correct(std::span<const float> logits, std::span<const std::uint8_t> labels) {
  if (labels.empty() || logits.size() % labels.size() != 0) {
    throw Error(fmt::format("{} logits do not belong to {} labels", logits.size(), labels.size()));
  }
  const std::vector<int> classes =
      predictions(logits, static_cast<int>(logits.size() / labels.size()));
  std::int64_t correct = 0;
  for (std::size_t b = 0; b < labels.size(); ++b) correct += classes[b] == int{labels[b]} ? 1 : 0;
  return correct;
}

}  // namespace opgrade
