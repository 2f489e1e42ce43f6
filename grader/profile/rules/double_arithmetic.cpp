// A kernel of float data computes in double, often because of a literal such as 1.0.
#include "grader/profile/rule.hpp"

namespace opgrade::rules {

void double_arithmetic(const ProfileReport& counted, Evidence& evidence) {
  for (const ProfileCountRow& row : counted.counts) {
    const auto doubles = row.of_double.instructions();
    if (doubles == 0) continue;
    ProfileCountRow single = row;
    single.of_float.add += doubles;
    single.of_double = {};
    evidence.add(
        row, nullptr,
        costs_of(row, evidence.rates()).clocks() - costs_of(single, evidence.rates()).clocks(),
        static_cast<double>(doubles), 0);
  }
}

}  // namespace opgrade::rules
