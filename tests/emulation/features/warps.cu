// Shuffles, votes, matches and reductions, in whole and partial warps.
#include <cooperative_groups.h>

#include "expect.cuh"

namespace cg = cooperative_groups;

struct Wide {
  double a;
  int b;
  float c[3];
};

__global__ void shuffles(int* out) {
  const int lane = threadIdx.x % 32;
  int* own = out + threadIdx.x * 16;
  own[0] = __shfl_sync(0xffffffffu, lane, 5);
  own[1] = __shfl_sync(0xffffffffu, lane, 3, 8);
  own[2] = __shfl_up_sync(0xffffffffu, lane, 2);
  own[3] = __shfl_down_sync(0xffffffffu, lane, 4, 16);
  own[4] = __shfl_xor_sync(0xffffffffu, lane, 7);
  own[5] = (int)__shfl_down_sync(0xffffffffu, (double)lane, 1);
  Wide wide{lane + 0.5, lane, {1.0f * lane, 2.0f * lane, 3.0f * lane}};
  wide = cg::tiled_partition<32>(cg::this_thread_block()).shfl(wide, 9);  // for numbers __shfl_sync
  own[6] = (int)wide.a + wide.b + (int)wide.c[2];
  float sum = lane;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  own[7] = (int)__shfl_sync(0xffffffffu, sum, 0);
  own[8] = (int)__ballot_sync(0xffffffffu, lane % 2);
  own[9] = __any_sync(0xffffffffu, lane == 31) * 10 + __all_sync(0xffffffffu, lane < 31);
  own[10] = __popc(__match_any_sync(0xffffffffu, lane / 3));
  int every = 0;
  const unsigned same = __match_all_sync(0xffffffffu, 4, &every);
  own[11] = every + (same == 0xffffffffu);
  own[12] = __reduce_add_sync(0xffffffffu, lane) + __reduce_max_sync(0xffffffffu, lane - 40);
  own[13] = (int)__reduce_or_sync(0xffffffffu, 1u << lane);
  own[14] = __shfl_down_sync(0xffffffffu, lane, 31 - threadIdx.x);
  own[15] = __shfl_up_sync(0xffffffffu, lane, 33) * 100 + __shfl_down_sync(0xffffffffu, lane, 33) +
            __shfl_xor_sync(0xffffffffu, lane, 34) * 10000;
}

__global__ void halves(int* out) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    out[lane] = __shfl_xor_sync(0x0000ffffu, lane, 1);
  } else {
    out[lane] = __shfl_xor_sync(0xffff0000u, lane, 2);
  }
  __syncwarp();
  out[32 + lane] = (lane & 1) ? (int)__activemask() : 0;
}

__global__ void partial(int* out) {  // 40 threads: the second warp has 8 lanes
  int v = 1;
  for (int step = 4; step > 0; step /= 2) v += __shfl_xor_sync(__activemask(), v, step);
  out[threadIdx.x] = v;
}

// What g++ would make two copies of: code behind a condition on the thread, and a loop with one.
// All lanes are together there.
__global__ void together(const int* in, unsigned* out) {
  __shared__ int a[64];
  const int t = threadIdx.x;
  bool last = false;
  a[t] = in[t];
  if (t == 63) last = a[t] == 63;
  __syncthreads();
  unsigned all = __activemask();
  __syncthreads();
  if (last || a[t] == a[63 - t]) out[64] = t;
  const bool late = in[t] > 40;
  int sum = 0;
  for (int i = 0; i < in[5]; ++i) {
    if (late)
      sum += in[(t + i) & 63] * 3;
    else
      sum ^= in[(t * i) & 63];
    all &= __activemask();
  }
  out[t] = all;
  out[65 + t] = sum;
}

// Lanes that ask for the active mask in a branch are not missing in the operation behind it.
__global__ void asked_in_a_branch(int* out) {
  const int lane = threadIdx.x;
  int v = lane % 2;
  if (v > 0) {
    const unsigned mask = __activemask();
    if (lane == __ffs(mask) - 1) atomicAdd(out + 32, __popc(mask));
  }
  for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffffu, v, step);
  out[lane] = v;
  if (lane % 4 == 0) {
    atomicAdd(out + 33, __popc(__ballot_sync(__activemask(), 1)));
  } else if (lane % 4 == 1) {
    atomicAdd(out + 34, cg::coalesced_threads().size());
  }
  __syncwarp();
  out[35 + lane] = cg::tiled_partition<32>(cg::this_thread_block()).shfl(lane, 3);
}

// The shuffle waits for a lane that ends, while others ask for the mask.
__global__ void asked_beside_an_end(int* out, int n) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    out[lane] = __popc(__activemask());
    return;
  }
  if (lane >= n) return;
  out[lane] = 1 + __shfl_sync(0xffff0000u, lane, 16);
}

extern "C" int run() {
  static int host[64 * 16];
  int* out;
  cudaMalloc(&out, sizeof host);
  cudaMemset(out, 0, sizeof host);
  shuffles<<<1, 64>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int t = 0; t < 64; ++t) {
    const int* own = host + t * 16;
    const int lane = t % 32;
    wrong += own[0] != 5;
    wrong += own[1] != lane / 8 * 8 + 3;
    wrong += own[2] != (lane < 2 ? lane : lane - 2);
    wrong += own[3] != (lane % 16 < 12 ? lane + 4 : lane);
    wrong += own[4] != (lane ^ 7);
    wrong += own[5] != (lane < 31 ? lane + 1 : 31);
    wrong += own[6] != 9 + 9 + 27;
    wrong += own[7] != 31 * 32 / 2;
    wrong += (unsigned)own[8] != 0xaaaaaaaau;
    wrong += own[9] != 10;
    wrong += own[10] != (lane >= 30 ? 2 : 3);
    wrong += own[11] != 2;
    wrong += own[12] != 496 - 9;
    wrong += (unsigned)own[13] != 0xffffffffu;
    wrong += own[14] != 31;
    const int up = lane < 1 ? lane : lane - 1, down = lane < 31 ? lane + 1 : lane;
    wrong += own[15] != (lane ^ 2) * 10000 + up * 100 + down;
  }
  EXPECT(wrong == 0);
  halves<<<1, 32>>>(out);
  cudaMemcpy(host, out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 1 && host[15] == 14 && host[16] == 18 && host[31] == 29);
  EXPECT((unsigned)host[33] == 0xaaaaaaaau && host[32] == 0);
  partial<<<1, 40>>>(out);
  cudaMemcpy(host, out, 40 * sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 8 && host[39] == 8);
  int* in;
  for (int t = 0; t < 64; ++t) host[t] = t;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMemcpy(in, host, 64 * sizeof(int), cudaMemcpyHostToDevice);
  together<<<1, 64>>>(in, (unsigned*)out);
  cudaMemcpy(host, out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
  int apart = 0;
  for (int t = 0; t < 64; ++t) apart += (unsigned)host[t] != 0xffffffffu;
  EXPECT(apart == 0);
  cudaMemset(out, 0, sizeof host);
  asked_in_a_branch<<<1, 32>>>(out);
  cudaMemcpy(host, out, 67 * sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 16 && host[32] == 16 && host[33] == 8 * 8 && host[34] == 8 * 8);
  for (int t = 0; t < 32; ++t) EXPECT(host[35 + t] == 3);
  asked_beside_an_end<<<1, 32>>>(out, 31);
  cudaMemcpy(host, out, 32 * sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 16 && host[16] == 17 && host[30] == 17);
  cudaFree(in);
  cudaFree(out);
  return failures;
}
