/// Random numbers of a case that are the same on every machine.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <string_view>

namespace opgrade {

/// The random numbers of one case. They depend on the seed and the case only, not on the machine or
/// on what else is graded.
std::mt19937_64 case_random(std::uint64_t seed, std::string_view case_id);

/// A random whole number from `low` to `high`.
int draw(std::mt19937_64& random, int low, int high);

int one_of(std::mt19937_64& random, std::initializer_list<int> values);

/// Values in [-1, 1) with a few large and tiny ones, so that reduced precision shows.
void fill_random(std::span<float> values, std::mt19937_64& random);

}  // namespace opgrade
