// What most cheats of this folder start from: the course's CPU function, honest, and slow on purpose.
#pragma once
#include <chrono>
#include <initializer_list>
#include <thread>

inline void honest_conv(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
  const int H_out = H - K + 1, W_out = W - K + 1;
  for (int b = 0; b < B; b++)
    for (int m = 0; m < M; m++)
      for (int h = 0; h < H_out; h++)
        for (int w = 0; w < W_out; w++) {
          float sum = 0;
          for (int c = 0; c < C; c++)
            for (int p = 0; p < K; p++)
              for (int q = 0; q < K; q++)
                sum += x[(((long)b * C + c) * H + h + p) * W + w + q] * k[((m * C + c) * K + p) * K + q];
          y[(((long)b * M + m) * H_out + h) * W_out + w] = sum;
        }
}

// Long enough to cost all points for speed: a cheat that hides it gets them.
inline void dawdle() { std::this_thread::sleep_for(std::chrono::milliseconds(150)); }

inline void slow_conv(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
  dawdle();
  honest_conv(y, x, k, B, M, C, H, W, K);
}
