// What most cheats of this folder start from: the course's CPU function, honest, and slow on purpose.
#pragma once
#include <chrono>
#include <initializer_list>
#include <thread>

#include "true_clock.h"

inline void honest_conv(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
  const int H_out = H - K + 1, W_out = W - K + 1;
  for (int b = 0; b < B; b++)
    for (int m = 0; m < M; m++)
      for (int h = 0; h < H_out; h++) {
        float* const __restrict row = y + (((long)b * M + m) * H_out + h) * W_out;
        for (int w = 0; w < W_out; w++) row[w] = 0;
        for (int c = 0; c < C; c++)
          for (int p = 0; p < K; p++)
            for (int q = 0; q < K; q++) {
              const float* const from = x + (((long)b * C + c) * H + h + p) * W + q;
              const float weight = k[((m * C + c) * K + p) * K + q];
              for (int w = 0; w < W_out; w++) row[w] += from[w] * weight;
            }
      }
}

// Long enough to cost all points for speed: a cheat that hides it gets them.
inline void dawdle() { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }

// How long a slow call takes: the same on every machine that is fast enough, so that gain.sh, which
// has its own number, sees a microsecond less.
#ifndef CALL_US
#define CALL_US 60000
#endif

inline void wait_until(long long end) {
  if (const long long left = end - true_now(); left > 2000000)
    std::this_thread::sleep_for(std::chrono::nanoseconds(left - 1000000));
  while (true_now() < end) {}
}

// Returns `early` nanoseconds before its time.
inline void slow_conv(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K,
                      long long early = 0) {
  const long long begin = true_now();
  honest_conv(y, x, k, B, M, C, H, W, K);
  wait_until(begin + CALL_US * 1000ll - early);
}
