// One kernel for each way of accessing memory, for the emulated device and for a GPU: each is
// launched once, with data that keep the compiler from removing anything.
#include <cuda_runtime.h>
#include <mma.h>

#define LANES 32

__global__ void stride_1(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1.0f;
}

__global__ void stride_2(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[2 * i] + 1.0f;
}

__global__ void stride_8(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[8 * i] = in[8 * i] * 2.0f;
}

__global__ void stride_32(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[32 * i] = in[32 * i] * 2.0f;
}

__global__ void misaligned(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i + 1] = in[i + 3];
}

__global__ void uniform(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[blockIdx.x];
}

__global__ void vectors(const float4* in, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 v = in[i];
  out[i] = make_float4(v.w, v.z, v.y, v.x);
}

__global__ void pairs(const float2* in, float2* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float2 v = in[i];
  out[i] = make_float2(v.y, v.x);
}

__global__ void bytes(const unsigned char* in, unsigned char* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] ^ 1;
}

/// Lanes 0 to 15 and 16 to 31 take different ways.
__global__ void divergent(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % LANES < 16) {
    out[i] = in[i] + 1.0f;
  } else {
    out[i] = in[i + 1024] * 3.0f;
  }
}

/// Lane l makes l + 1 rounds.
__global__ void uneven_rounds(const float* in, float* out) {
  const int lane = threadIdx.x % LANES;
  float sum = 0.0f;
#pragma unroll 1
  for (int r = 0; r <= lane; ++r) sum += in[r * LANES + lane];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// After an inner loop of uneven length the lanes are together again.
__global__ void nested_rounds(const float* in, float* out) {
  const int lane = threadIdx.x % LANES;
  float sum = 0.0f;
#pragma unroll 1
  for (int a = 0; a < 4; ++a) {
#pragma unroll 1
    for (int b = 0; b < lane % 4; ++b) sum += in[(a * 4 + b) * LANES + lane];
    sum += in[1024 + a * LANES + lane];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void partial_warp(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1.0f;
}

template <int kStride>
__device__ void conflict(const float* in, float* out) {
  __shared__ float tile[LANES * kStride];
  for (int i = threadIdx.x; i < LANES * kStride; i += LANES) tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x * kStride];
}

__global__ void conflict_2(const float* in, float* out) { conflict<2>(in, out); }
__global__ void conflict_8(const float* in, float* out) { conflict<8>(in, out); }
__global__ void conflict_32(const float* in, float* out) { conflict<32>(in, out); }

/// A block of 16 columns: a warp has two rows, and one word more a row keeps their banks together.
template <int kColumns, int kWidth>
__device__ void rows(const float* in, float* out) {
  __shared__ float tile[2 * kWidth];
  for (int i = threadIdx.x; i < 2 * kWidth; i += LANES) tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x / kColumns * kWidth + threadIdx.x % kColumns];
}

__global__ void rows_of_22(const float* in, float* out) { rows<16, 22>(in, out); }
__global__ void rows_of_23(const float* in, float* out) { rows<16, 23>(in, out); }
__global__ void whole_row(const float* in, float* out) { rows<32, 38>(in, out); }

__global__ void atomics_apart(int* out) { atomicAdd(&out[threadIdx.x], 1); }
__global__ void atomics_together(const int* in, int* out) { atomicAdd(out, in[threadIdx.x]); }

__global__ void shuffles(const float* in, float* out) {
  float v = in[threadIdx.x];
#pragma unroll
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  out[threadIdx.x] = v;
}

__global__ void fragments(const half* a, const half* b, float* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, half, col_major> fb;
  fragment<accumulator, 16, 16, 16, float> fc;
  fill_fragment(fc, 0.0f);
  load_matrix_sync(fa, a, 16);
  load_matrix_sync(fb, b, 16);
  mma_sync(fc, fa, fb, fc);
  store_matrix_sync(c, fc, 16, mem_row_major);
}

extern "C" int run() {
  float *in = nullptr, *out = nullptr;
  const size_t bytes_each = 1 << 20;
  cudaMalloc(&in, bytes_each);
  cudaMalloc(&out, bytes_each);
  cudaMemset(in, 0, bytes_each);
  cudaMemset(out, 0, bytes_each);
  stride_1<<<4, 128>>>(in, out);
  stride_2<<<4, 128>>>(in, out);
  stride_8<<<4, 128>>>(in, out);
  stride_32<<<4, 128>>>(in, out);
  misaligned<<<4, 128>>>(in, out);
  uniform<<<4, 128>>>(in, out);
  vectors<<<4, 128>>>((const float4*)in, (float4*)out);
  pairs<<<4, 128>>>((const float2*)in, (float2*)out);
  bytes<<<4, 128>>>((const unsigned char*)in, (unsigned char*)out);
  divergent<<<4, 128>>>(in, out);
  uneven_rounds<<<4, 128>>>(in, out);
  nested_rounds<<<4, 128>>>(in, out);
  partial_warp<<<4, 128>>>(in, out, 500);
  conflict_2<<<1, 32>>>(in, out);
  conflict_8<<<1, 32>>>(in, out);
  conflict_32<<<1, 32>>>(in, out);
  rows_of_22<<<1, 32>>>(in, out);
  rows_of_23<<<1, 32>>>(in, out);
  whole_row<<<1, 32>>>(in, out);
  atomics_apart<<<4, 128>>>((int*)out);
  atomics_together<<<4, 128>>>((const int*)in, (int*)out);
  shuffles<<<1, 32>>>(in, out);
  fragments<<<1, 32>>>((const half*)in, (const half*)in, out);
  const cudaError_t status = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return status == cudaSuccess ? 0 : 1;
}

int main() { return run(); }
