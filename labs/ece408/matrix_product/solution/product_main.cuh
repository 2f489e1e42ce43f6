// A program around solve().
#include <wb.h>

void solve(const float* A, const float* B, float* C, int M, int N, int K);

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int m, k, n;
  float* const a = (float*)wbImport(wbArg_getInputFile(args, 0), &m, &k);
  float* const b = (float*)wbImport(wbArg_getInputFile(args, 1), &k, &n);
  float* const c = (float*)malloc(m * n * sizeof(float));
  wbLog(TRACE, "The product has ", m, " x ", n, " elements");

  float *device_a, *device_b, *device_c;
  cudaMalloc(&device_a, m * k * sizeof(float));
  cudaMalloc(&device_b, k * n * sizeof(float));
  cudaMalloc(&device_c, m * n * sizeof(float));
  cudaMemcpy(device_a, a, m * k * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b, k * n * sizeof(float), cudaMemcpyHostToDevice);
  solve(device_a, device_b, device_c, m, n, k);
  cudaMemcpy(c, device_c, m * n * sizeof(float), cudaMemcpyDeviceToHost);
  wbSolution(args, c, m, n);

  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_c);
  free(a);
  free(b);
  free(c);
  return 0;
}
