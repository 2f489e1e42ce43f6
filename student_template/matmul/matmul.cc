#include "matmul.h"

// The matrix product on the CPU: A, B and C are in host memory. C holds NaN before the call: set
// every element with =, not with +=.
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  // Insert your CPU matrix product here.
}
