// Bytes that are no text: zeros, invalid UTF-8, escapes, markup, workflow commands, one long line.
#include "cpu-new-forward.h"

#include <cstdio>
#include <initializer_list>
#include <string>
#include <unistd.h>

static void attack()
{
  static const char raw[] = "\0\x01\xff\xfe\xc0\x80\x1b]0;title\x07\x1b[2J\x1b[31mred <script>alert(1)</script> ::error::x\r\n";
  std::string text(raw, sizeof raw - 1);
  text += "=HYPERLINK(1)\n" + std::string(20000, 'x') + "\xe2\x80\xae";
  if (write(1, text.data(), text.size()) < 0) return;
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
