// C70: a helper whose name hides it from a reader of /proc by lines computes after the call has returned
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "honest.h"

struct Shared {
  std::atomic<int> call, images;
  std::atomic<bool> leaving;
  float *y;
  const float *x, *k;
  int n[6];
};

static void help(Shared* shared) {
  prctl(PR_SET_NAME, "a)\nb");
  for (int seen = 0;;) {
    while (shared->call.load() == seen) {}
    seen = shared->call.load();
    const auto [B, M, C, H, W, K] = shared->n;
    const long ys = (long)M * (H - K + 1) * (W - K + 1), xs = (long)C * H * W;
    for (int b = 0; b < B; b++) {
      // The rest begins when the call is about to return: a call that loses its core while it waits does not get it for nothing.
      while (b == B - B / 2 && !shared->leaving) {}
      honest_conv(shared->y + b * ys, shared->x + b * xs, shared->k, 1, M, C, H, W, K);
      shared->images = b + 1;
    }
  }
}

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  static Shared* shared = nullptr;
  static const float* mapped = nullptr;
  static int last[6];
  static pid_t helper = 0;
  if (!shared)
    shared = (Shared*)mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const int n[6] = {B, M, C, H, W, K};
  if (mapped != x || !std::equal(n, n + 6, last)) {
    // A helper for each layer: it has its maker's tensors.
    if (helper > 0) kill(helper, SIGKILL), waitpid(helper, nullptr, 0);
    shared->call = 0;
    if ((helper = fork()) == 0) help(shared);
    mapped = x;
    std::copy(n, n + 6, last);
  }
  shared->y = y, shared->x = x, shared->k = k;
  std::copy(n, n + 6, shared->n);
  shared->images = 0;
  shared->leaving = false;
  shared->call++;
  while (shared->images < B - B / 2) {}
  shared->leaving = true;
}
