/* Writes the output file, and compares the values with the `-e` file if that file has expected
 * values. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "arguments.h"
#include "data.h"

namespace wb {

/// Prints what courses print: compares with the `-e` file if that file is not all zeros.
template <class T>
bool say_whether_right(const T* values, const float* expected, size_t count) {
  const float* const end = expected + count;
  if (std::all_of(expected, end, [](float value) { return value == 0; })) {
    printf("The output is written; the grader decides.\n");
    return true;
  }
  for (size_t i = 0; i < count; ++i) {
    if (std::fabs(values[i] - expected[i]) <= 1e-3 * (1 + std::fabs(expected[i]))) continue;
    printf("Solution is not correct: expected %g, got %g at index %zu.\n",
           static_cast<double>(expected[i]), static_cast<double>(values[i]), i);
    return false;
  }
  printf("Solution is correct.\n");
  return true;
}

/// Writes nothing if there is no `-o`.
template <class T>
bool solution(const wbArg_t& args, const T* values, const std::vector<int>& extents) {
  if (args.outputFile != nullptr) write(args.outputFile, values, extents);
  if (args.expectedOutput == nullptr) return true;
  std::vector<int> expected_extents;
  float* const expected = read<float>(args.expectedOutput, expected_extents);
  const auto count_of = [](const std::vector<int>& of) {
    return std::accumulate(of.begin(), of.end(), size_t{1}, std::multiplies<size_t>());
  };
  const size_t count = count_of(extents);
  const bool right =
      count == count_of(expected_extents) && say_whether_right(values, expected, count);
  free(expected);
  return right;
}

}  // namespace wb

template <class T>
wbBool wbSolution(const wbArg_t& args, const T* values, int length) {
  return wb::solution(args, values, {length});
}
template <class T>
wbBool wbSolution(const wbArg_t& args, const T* values, int rows, int columns) {
  return wb::solution(args, values, {rows, columns});
}
/// The type of the `-t` argument tells the type of `values`.
inline wbBool wbSolution(const wbArg_t& args, const void* values, int rows, int columns) {
  const bool whole = args.type != nullptr && std::string(args.type).find("integral") == 0;
  return whole ? wbSolution(args, static_cast<const int*>(values), rows, columns)
               : wbSolution(args, static_cast<const float*>(values), rows, columns);
}
inline wbBool wbSolution(const wbArg_t& args, const void* values, int length) {
  const bool whole = args.type != nullptr && std::string(args.type).find("integral") == 0;
  return whole ? wbSolution(args, static_cast<const int*>(values), length)
               : wbSolution(args, static_cast<const float*>(values), length);
}
inline wbBool wbSolution(const wbArg_t& args, wbImage_t image) {
  if (args.outputFile != nullptr) wbExport(args.outputFile, image);
  if (args.expectedOutput == nullptr) return true;
  const wbImage_t expected = wbImport(args.expectedOutput);
  const auto count = static_cast<size_t>(image->width) * image->height * image->channels;
  const bool right = expected->width == image->width && expected->height == image->height &&
                     expected->channels == image->channels &&
                     wb::say_whether_right(image->data, expected->data, count);
  wbImage_delete(expected);
  return right;
}
