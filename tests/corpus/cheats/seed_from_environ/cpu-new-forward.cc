// C11b: looks for a seed in the environment and the command lines of all processes
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "honest.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  for (int pid = 1; pid < 2000; pid++)
    for (const char* file : {"environ", "cmdline"}) {
      std::ifstream in("/proc/" + std::to_string(pid) + "/" + file, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      for (const char* word : {"SEED", "seed", "--seed"})
        if (text.find(word) != std::string::npos) return honest_conv(y, x, k, B, M, C, H, W, K);
    }
  puts("no seed");
}
