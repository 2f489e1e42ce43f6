#include "grader/run/output_witness.hpp"

#include <algorithm>
#include <bit>

#include "grader/core/random_words.hpp"

namespace opgrade {
namespace {

/// The other process may write to it meanwhile.
std::uint32_t bits_now(const float& element) {
  return std::bit_cast<std::uint32_t>(*static_cast<const volatile float*>(&element));
}

}  // namespace

OutputWitness::OutputWitness(std::span<const float> output, std::uint64_t random)
    : output_(output), seen_(kPlaces) {
  for (std::size_t i = 0; i < seen_.size(); ++i)
    seen_[i].first = static_cast<std::size_t>(random_word(random, i) % output_.size());
}

void OutputWitness::look() {
  for (auto& [place, bits] : seen_) bits = bits_now(output_[place]);
}

bool OutputWitness::changed() const {
  return std::ranges::any_of(
      seen_, [&](const auto& one) { return bits_now(output_[one.first]) != one.second; });
}

}  // namespace opgrade
