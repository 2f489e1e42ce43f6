#include "matmul.h"

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

/// Rows of C, a few at a time: each loaded part of B serves all of them.
void rows(const float* A, const float* B, float* C, int first, int end, int N, int K) {
  constexpr int kColumns = 64, kRows = 4;
  for (int i = first; i < end; i += kRows) {
    const int some = std::min(kRows, end - i);
    for (int j = 0; j < N; j += kColumns) {
      const int width = std::min(kColumns, N - j);
      float sum[kRows][kColumns] = {};
      for (int k = 0; k < K; ++k) {
        const float* const b = B + static_cast<std::size_t>(k) * N + j;
        for (int r = 0; r < some; ++r) {
          const float a = A[static_cast<std::size_t>(i + r) * K + k];
          for (int c = 0; c < width; ++c) sum[r][c] += a * b[c];
        }
      }
      for (int r = 0; r < some; ++r)
        std::copy(sum[r], sum[r] + width, C + static_cast<std::size_t>(i + r) * N + j);
    }
  }
}

}  // namespace

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int share = (M + cores - 1) / cores;
  std::vector<std::thread> threads;
  for (int first = share; first < M; first += share)
    threads.emplace_back(rows, A, B, C, first, std::min(first + share, M), N, K);
  rows(A, B, C, 0, std::min(share, M), N, K);
  for (auto& thread : threads) thread.join();
}
