/// Matrix product on the CPU for the emulated cuBLAS: blocked, with a fixed order of sums. Results
/// are the same on any number of cores.
#pragma once

#include <cstddef>

#include "opgrade_emulation/types.hpp"

namespace opgrade_emulation {

enum class Real { f32, f16, bf16, f64 };

/// A column-major matrix: element (i, j) of op(matrix) is at [i + j*ld], or [j + i*ld] if
/// transposed.
struct MatrixView {
  void* data;
  Real type;
  long ld;
  bool transposed;
};

std::size_t size_of(Real type);
double read_real(const void* data, Real type, std::size_t index);

/// C = alpha*op(A)*op(B) + beta*C with sums in float; where beta is 0, C is not read. A and B may
/// be of any type but f64; C is rounded once, at the end.
void gemm(int m, int n, int k, float alpha, const MatrixView& a, const MatrixView& b, float beta,
          const MatrixView& c);
/// The same in double, all of type f64.
void gemm_double(int m, int n, int k, double alpha, const MatrixView& a, const MatrixView& b,
                 double beta, const MatrixView& c);

}  // namespace opgrade_emulation
