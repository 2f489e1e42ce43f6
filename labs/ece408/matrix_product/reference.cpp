#include "reference.h"

#include <cmath>

void reference(const float* A, const float* B, double* C, double* C_scale, long long M, long long N,
               long long K) {
  for (long long i = 0; i < M * N; ++i) C[i] = C_scale[i] = 0;
  for (long long i = 0; i < M; ++i)
    for (long long k = 0; k < K; ++k)
      for (long long j = 0; j < N; ++j) {
        const double term = static_cast<double>(A[i * K + k]) * B[k * N + j];
        C[i * N + j] += term;
        C_scale[i * N + j] += std::fabs(term);
      }
}
