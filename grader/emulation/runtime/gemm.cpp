#include "grader/emulation/runtime/gemm.hpp"

#include <cstring>
#include <vector>

#include "opgrade_emulation/narrow_formats.hpp"

namespace opgrade_emulation {
namespace {

constexpr int kRows = 16, kColumns = 4;  // of C that one pass keeps in registers
constexpr int kBlockM = 256, kBlockN = 256, kBlockK = 256;

typedef float Vector __attribute__((vector_size(32)));

float read_float(const void* data, Real type, std::size_t i) {
  switch (type) {
    case Real::f32:
      return static_cast<const float*>(data)[i];
    case Real::f16:
      return HalfFormat::to(static_cast<const unsigned short*>(data)[i]);
    case Real::bf16:
      return BfloatFormat::to(static_cast<const unsigned short*>(data)[i]);
    case Real::f64:
      return static_cast<float>(static_cast<const double*>(data)[i]);
  }
  return 0;
}

void write_float(void* data, Real type, std::size_t i, float v) {
  switch (type) {
    case Real::f32:
      static_cast<float*>(data)[i] = v;
      break;
    case Real::f16:
      static_cast<unsigned short*>(data)[i] = HalfFormat::from(v);
      break;
    case Real::bf16:
      static_cast<unsigned short*>(data)[i] = BfloatFormat::from(v);
      break;
    case Real::f64:
      static_cast<double*>(data)[i] = v;
      break;
  }
}

std::size_t place(const MatrixView& m, long i, long j) {
  return static_cast<std::size_t>(m.transposed ? j + i * m.ld : i + j * m.ld);
}

/// Rows of A in groups of kRows, each [p][kRows]; what is missing at the edge is zero.
void pack_a(const MatrixView& a, int i0, int rows, int p0, int depth, float* to) {
  for (int i = 0; i < rows; i += kRows) {
    for (int p = 0; p < depth; ++p) {
      for (int r = 0; r < kRows; ++r)
        *to++ = i + r < rows ? read_float(a.data, a.type, place(a, i0 + i + r, p0 + p)) : 0.0f;
    }
  }
}

void pack_b(const MatrixView& b, int j0, int columns, int p0, int depth, float* to) {
  for (int j = 0; j < columns; j += kColumns) {
    for (int p = 0; p < depth; ++p) {
      for (int c = 0; c < kColumns; ++c)
        *to++ = j + c < columns ? read_float(b.data, b.type, place(b, p0 + p, j0 + j + c)) : 0.0f;
    }
  }
}

/// sums[c*kBlockM + r] += sum over p of a[p][r] * b[p][c]
__attribute__((always_inline)) inline void multiply(const float* a, const float* b, int depth,
                                                    float* sums) {
  Vector acc[kColumns][2];
  for (int c = 0; c < kColumns; ++c) std::memcpy(acc[c], sums + c * kBlockM, sizeof acc[c]);
  for (int p = 0; p < depth; ++p) {
    Vector low, high;
    std::memcpy(&low, a + p * kRows, sizeof low);
    std::memcpy(&high, a + p * kRows + 8, sizeof high);
    for (int c = 0; c < kColumns; ++c) {
      const float each = b[p * kColumns + c];
      acc[c][0] += low * each;
      acc[c][1] += high * each;
    }
  }
  for (int c = 0; c < kColumns; ++c) std::memcpy(sums + c * kBlockM, acc[c], sizeof acc[c]);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void multiply_wide(const float* a, const float* b, int depth,
                                                       float* sums) {
  multiply(a, b, depth, sums);
}
#endif
void multiply_plain(const float* a, const float* b, int depth, float* sums) {
  multiply(a, b, depth, sums);
}

using Multiply = void (*)(const float*, const float*, int, float*);
Multiply best() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &multiply_wide;
#endif
  return &multiply_plain;
}

}  // namespace

std::size_t size_of(Real type) { return type == Real::f32 ? 4 : type == Real::f64 ? 8 : 2; }

double read_real(const void* data, Real type, std::size_t index) {
  return type == Real::f64 ? static_cast<const double*>(data)[index]
                           : read_float(data, type, index);
}

void gemm(int m, int n, int k, float alpha, const MatrixView& a, const MatrixView& b, float beta,
          const MatrixView& c) {
  static const Multiply multiply_block = best();
  std::vector<float> left(kBlockM * kBlockK), right(kBlockN * kBlockK), sums(kBlockM * kBlockN);
  for (int j0 = 0; j0 < n; j0 += kBlockN) {
    const int columns = n - j0 < kBlockN ? n - j0 : kBlockN;
    for (int i0 = 0; i0 < m; i0 += kBlockM) {
      const int rows = m - i0 < kBlockM ? m - i0 : kBlockM;
      std::fill(sums.begin(), sums.end(), 0.0f);
      for (int p0 = 0; p0 < k; p0 += kBlockK) {
        const int depth = k - p0 < kBlockK ? k - p0 : kBlockK;
        pack_a(a, i0, rows, p0, depth, left.data());
        pack_b(b, j0, columns, p0, depth, right.data());
        for (int j = 0; j < columns; j += kColumns) {
          for (int i = 0; i < rows; i += kRows)
            multiply_block(left.data() + i * depth, right.data() + j * depth, depth,
                           &sums[j * kBlockM + i]);
        }
      }
      for (int j = 0; j < columns; ++j) {
        for (int i = 0; i < rows; ++i) {
          const std::size_t at = place(c, i0 + i, j0 + j);
          const float old = beta != 0.0f ? beta * read_float(c.data, c.type, at) : 0.0f;
          write_float(c.data, c.type, at, alpha * sums[j * kBlockM + i] + old);
        }
      }
    }
  }
}

void gemm_double(int m, int n, int k, double alpha, const MatrixView& a, const MatrixView& b,
                 double beta, const MatrixView& c) {
  const auto* left = static_cast<const double*>(a.data);
  const auto* right = static_cast<const double*>(b.data);
  auto* out = static_cast<double*>(c.data);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      double sum = 0;
      for (int p = 0; p < k; ++p) sum += left[place(a, i, p)] * right[place(b, p, j)];
      double& to = out[place(c, i, j)];
      to = alpha * sum + (beta != 0 ? beta * to : 0);
    }
  }
}

}  // namespace opgrade_emulation
