// A warp loads halves, or pairs of them, in the ways in which a source can say it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void product(const half* a, half* out) {
  const int i = threadIdx.x;
  out[i] = __hmul(a[i], a[i + 32]);
}
__global__ void product_of_pairs(const half2* a, half2* out) {
  const int i = threadIdx.x;
  out[i] = __hmul2(a[i], a[i + 32]);
}
__global__ void fused(const half* a, half* out) {
  const int i = threadIdx.x;
  out[i] = __hfma(a[i], a[i + 32], a[i + 64]);
}
__global__ void fused_pairs(const half2* a, half2* out) {
  const int i = threadIdx.x;
  out[i] = __hfma2(a[i], a[i + 32], a[i + 64]);
}
__global__ void fused_with_a_product(const half* a, half* out) {
  const int i = threadIdx.x;
  const half square = __hmul(a[i], a[i + 32]);
  out[i] = __hfma(square, square, square);
}
__global__ void sum_of_product(const half* a, half* out) {
  const int i = threadIdx.x;
  half sum = 1.0f;
  sum = __hadd(sum, __hmul(a[i], a[i + 32]));
  sum = __hadd(sum, __hsub(a[i], __float2half(2.0f)));
  out[i] = sum;
}
__global__ void operators(const half* a, half* out) {
  const int i = threadIdx.x;
  half sum = a[i] * a[i + 32] + a[i + 64];
  sum += a[i] * a[i + 32];
  out[i] = sum - a[i];
}
__global__ void operators_on_pairs(const half2* a, half2* out) {
  const int i = threadIdx.x;
  half2 sum = a[i];
  sum += a[i] * a[i + 32];
  out[i] = -a[i] + sum;
}
__global__ void sums_in_float(const half* a, float* out) {
  const int i = threadIdx.x;
  float sum = __half2float(a[i]) * __half2float(a[i + 32]);
  sum += __half2float(a[i]);
  sum += (float)a[i + 32];
  const float last = a[i];
  out[i] = sum + last;
}
__global__ void floats_of_pairs(const half2* a, float2* out) {
  const int i = threadIdx.x;
  out[i] = __half22float2(a[i]);
  out[i + 32] = make_float2(__low2float(a[i]), __high2float(a[i + 32]));
}
__global__ void pairs_of_halves(const half* a, half2* out) {
  const int i = threadIdx.x;
  out[i] = __halves2half2(a[i], a[i + 32]);
  out[i + 32] = __half2half2(a[i]);
}
__global__ void stores(const float* a, half* out) {
  const int i = threadIdx.x;
  out[i] = __float2half(a[i]);
  out[i + 32] = a[i];
  out[i + 64] = 0;
}
__global__ void comparisons(const half* a, half* out) {
  const int i = threadIdx.x;
  half most = a[i];
  if (a[i + 32] > most) most = a[i + 32];
  if (__hlt(most, a[i + 64])) most = __hmax(most, a[i + 64]);
  out[i] = hexp(__hneg(most));
}
__global__ void bfloats(const __nv_bfloat16* a, __nv_bfloat16* out) {
  const int i = threadIdx.x;
  out[i] = __hfma(a[i], a[i + 32], __float2bfloat16(1.0f));
}

extern "C" int run() {
  half values[192];
  for (int i = 0; i < 192; ++i) values[i] = 1.0f + (float)i;
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, 1024);
  cudaMalloc(&out, 1024);
  cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
  half* const a = (half*)in;
  half2* const pairs = (half2*)in;
  product<<<1, 32>>>(a, (half*)out);
  product_of_pairs<<<1, 32>>>(pairs, (half2*)out);
  fused<<<1, 32>>>(a, (half*)out);
  fused_pairs<<<1, 32>>>(pairs, (half2*)out);
  fused_with_a_product<<<1, 32>>>(a, (half*)out);
  sum_of_product<<<1, 32>>>(a, (half*)out);
  operators<<<1, 32>>>(a, (half*)out);
  operators_on_pairs<<<1, 32>>>(pairs, (half2*)out);
  sums_in_float<<<1, 32>>>(a, out);
  floats_of_pairs<<<1, 32>>>(pairs, (float2*)out);
  pairs_of_halves<<<1, 32>>>(a, (half2*)out);
  stores<<<1, 32>>>(in, (half*)out);
  comparisons<<<1, 32>>>(a, (half*)out);
  bfloats<<<1, 32>>>((__nv_bfloat16*)in, (__nv_bfloat16*)out);
  const cudaError_t status = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return status == cudaSuccess ? 0 : 1;
}

int main() { return run(); }
