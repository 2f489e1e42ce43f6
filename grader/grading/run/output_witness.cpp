#include "grader/grading/run/output_witness.hpp"

#include <algorithm>

#include "grader/base/core/random_words.hpp"

namespace opgrade {
namespace {

using Word = std::uint32_t;

/// Reads through a volatile pointer, because the other process may write to the word meanwhile.
Word word_now(std::span<const std::byte> output, std::size_t at) {
  if (output.size() - at >= sizeof(Word))
    return *reinterpret_cast<const volatile Word*>(output.data() + at);
  Word word = 0;  // the last few bytes
  for (; at < output.size(); ++at)
    word = word << 8 | static_cast<Word>(*static_cast<const volatile std::byte*>(&output[at]));
  return word;
}

}  // namespace

OutputWitness::OutputWitness(std::span<const std::byte> output, std::uint64_t random)
    : output_(output), seen_(kPlaces) {
  const std::size_t words = (output_.size() + sizeof(Word) - 1) / sizeof(Word);
  for (std::size_t i = 0; i < seen_.size(); ++i)
    seen_[i].first = sizeof(Word) * static_cast<std::size_t>(random_word(random, i) % words);
}

void OutputWitness::look() {
  for (auto& [place, bits] : seen_) bits = word_now(output_, place);
}

bool OutputWitness::changed() const {
  return std::ranges::any_of(
      seen_, [&](const auto& one) { return word_now(output_, one.first) != one.second; });
}

}  // namespace opgrade
