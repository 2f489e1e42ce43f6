#include "grader/base/core/keyed_sum.hpp"

#include <atomic>
#include <bit>

#include "grader/base/core/parallel.hpp"
#include "grader/base/core/vector_clones.hpp"

namespace opgrade {
namespace {

OPGRADE_INTEGER_CLONES std::uint64_t sum_of(const float* values, std::size_t begin, std::size_t end,
                                            std::uint64_t key) {
  std::uint64_t sum = 0;
  for (std::size_t i = begin; i < end; ++i)
    sum += keyed_term(key, i, std::bit_cast<std::uint32_t>(values[i]));
  return sum;
}

}  // namespace

std::uint64_t keyed_sum(std::span<const float> values, std::uint64_t key, int threads) {
  constexpr std::size_t kPiece = std::size_t{256} << 10;  // elements that a thread takes at a time
  std::atomic<std::uint64_t> sum{0};
  parallel_for_pieces(values.size(), kPiece, threads, [&](std::size_t begin, std::size_t size) {
    sum += sum_of(values.data(), begin, begin + size, key);
  });
  return sum;
}

}  // namespace opgrade
