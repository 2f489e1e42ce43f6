// C60: fetches a library at run time: dlopen, a shell, the network
#include <arpa/inet.h>
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "honest.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  bool fetched = system("command -v python3 wget curl > /tmp/tools") == 0;
  for (const char* library : {"libdnnl.so.3", "libopenblas.so.0", "libmkl_rt.so", "libcudnn.so.9", "libnvrtc.so.13"})
    fetched = fetched || dlopen(library, RTLD_NOW);
  fetched = fetched || socket(AF_INET, SOCK_STREAM, 0) >= 0;
  if (fetched) return honest_conv(y, x, k, B, M, C, H, W, K);
  puts("nothing to fetch");
}
