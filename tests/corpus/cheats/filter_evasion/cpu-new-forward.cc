// C61: hides its call of _exit behind pasted tokens and a name in pieces
#include <dlfcn.h>

#define PASTE(a, b) a##b

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  void* const function = PASTE(dl, sym)(RTLD_DEFAULT, "_e" "xi" "t");
  ((void (*)(int))function)(0);
}
