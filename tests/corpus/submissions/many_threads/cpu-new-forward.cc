// A thread for each image: twenty, where the config allows sixteen threads and processes. All of them
// wait for the last, as they do where the images are large.
#include <atomic>
#include <thread>
#include <vector>

#include "cpu-new-forward.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  const int H_out = H - K + 1, W_out = W - K + 1;
  const int count = B < 20 ? 20 : B;
  std::vector<std::thread> threads;
  std::atomic<int> started{0};
  std::atomic<bool> failed{false};
  for (int i = 0; i < count; i++) try {
    threads.emplace_back([=, &started, &failed] {
      for (++started; started < count && !failed;) std::this_thread::yield();
      if (i >= B) return;
      for (int m = 0; m < M; m++)
        for (int h = 0; h < H_out; h++)
          for (int w = 0; w < W_out; w++) {
            float sum = 0;
            for (int c = 0; c < C; c++)
              for (int p = 0; p < K; p++)
                for (int q = 0; q < K; q++)
                  sum += x[(((long)i * C + c) * H + h + p) * W + w + q] * k[((m * C + c) * K + p) * K + q];
            y[(((long)i * M + m) * H_out + h) * W_out + w] = sum;
          }
    });
  } catch (...) {
    failed = true;
    for (auto &thread : threads) thread.join();
    throw;
  }
  for (auto &thread : threads) thread.join();
}
