/// Random numbers that cannot be predicted from earlier ones.
#pragma once

#include <cstdint>
#include <limits>
#include <random>

namespace opgrade {

/// A generator for std's distributions and algorithms that gets each number from the system. A
/// submission can compute the words that gave its inputs their signs, because random_word() is a
/// bijection. If the generator had a state (Mersenne Twister), 312 words would reveal all later
/// ones.
class SystemRandom {
 public:
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() { return result_type{source_()} << 32 | source_(); }

 private:
  std::random_device source_;
};

}  // namespace opgrade
