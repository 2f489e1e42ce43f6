/// Checks a rung on shapes and data it was not made for.
#pragma once

#include <span>
#include <string>

#include "kernels/bench/truth.hpp"
#include "kernels/ladder.hpp"

namespace opgrade::kernels {

/// The result of checking one rung.
struct Checked {
  int accepted = 0;       ///< shapes it takes
  int runs = 0;           ///< shapes x kinds of data
  double worst = 0;       ///< largest error as a share of what is allowed
  std::string complaint;  ///< the first failure; empty when all is well
};

/// Runs the rung into a poisoned output and compares with `d_truth` at its accuracy.
Difference run_and_compare(const Rung& rung, const float* d_x, const float* d_k, float* d_y,
                           const double* d_truth, const ConvShape& shape,
                           DeviceBuffer<char>& workspace);

/// Every shape the rung accepts, with every kind of data its range allows.
Checked check_rung(const Rung& rung, std::span<const ConvShape> shapes);

/// The device's own truth against conv_direct on the CPU: the complaint, or empty.
std::string check_truth(std::span<const ConvShape> shapes);

std::string to_string(const ConvShape& shape);

}  // namespace opgrade::kernels
