/// The values of an input: named distributions from one seed, the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "grader/base/core/coordinates.hpp"
#include "grader/base/core/element_type.hpp"

namespace opgrade {

/// | name | elements |
/// |--|--|
/// | `random` | floats in [-1, 1), some large, some tiny; integers in [-100, 100] or [0, 255] |
/// | `uniform(a, b)` | floats in [a, b) |
/// | `normal(m, s)` | floats of the normal distribution with mean m and deviation s |
/// | `integers(a, b)` | whole numbers from a to b |
/// | `sorted(a, b)`, `falling(a, b)` | the same in rising or falling order |
/// | `offsets(n)` | rising from 0 to n: where the rows of n entries start, and their end |
/// | `permutation` | each of 0 .. elements-1 once |
/// | `count_from(a)` | a, a+1, a+2, ... |
/// | `constant(a)` | a |
///
/// Arguments are expressions of the sizes, or numbers such as 0.5.
class Distribution {
 public:
  /// Throws std::invalid_argument with the reason. `sizes` are those of a case.
  Distribution(std::string_view text, const Coordinates& sizes, const ElementType& type);

  /// `bytes` holds whole elements of the type. The values do not depend on the number of threads.
  void fill(std::span<std::byte> bytes, std::mt19937_64& random, int threads = 1) const;

 private:
  enum class Kind {
    random,
    uniform,
    normal,
    integers,
    sorted,
    falling,
    offsets,
    permutation,
    count_from,
    constant
  };

  bool has_order() const;
  /// Draws the values from element `first` on, before arrange().
  void draw(std::span<double> values, std::int64_t first, std::mt19937_64& random) const;
  void arrange(std::vector<double>& values, std::mt19937_64& random, int threads) const;

  const ElementType& type_;
  Kind kind_ = Kind::random;
  double first_ = 0, second_ = 0;
};

/// The value of `values` for a buffer that generate.cpp fills; not a distribution.
inline constexpr const char* kGenerated = "generated";

/// All words with which `values` of a buffer can begin: every distribution, and kGenerated.
std::vector<std::string_view> known_values();

/// Converts values to elements of the type in memory, and back.
void store(std::span<const double> values, const ElementType& type, std::span<std::byte> bytes);
double load(const ElementType& type, const std::byte* element);
/// Loads all 64 bits of a whole number; a large unsigned one becomes negative.
std::int64_t load_whole(const ElementType& type, const std::byte* element);

}  // namespace opgrade
