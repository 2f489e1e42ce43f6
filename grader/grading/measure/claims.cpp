#include "grader/grading/measure/claims.hpp"

namespace opgrade {

bool agrees(std::chrono::nanoseconds claimed, std::chrono::nanoseconds measured) {
  using std::chrono::microseconds;
  return claimed <= measured + microseconds(100) &&
         measured - claimed <= microseconds(300) + measured / 50;
}

}  // namespace opgrade
