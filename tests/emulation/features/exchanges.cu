// Patterns with exchanges that lose nothing in any order.
#include "expect.cuh"

constexpr int kBlocks = 17, kThreads = 64;

__global__ void lock(int* counter, int* mutex) {
  while (atomicCAS(mutex, 0, 1) != 0) {
  }
  *counter = *counter + 1;
  __threadfence();
  atomicExch(mutex, 0);
}
__global__ void exchanged_lock(int* counter, int* mutex) {
  while (atomicExch(mutex, 1) != 0) {
  }
  *counter = *counter + 1;
  __threadfence();
  atomicExch(mutex, 0);
}
__global__ void tickets(int* counter, unsigned* ticket, unsigned* turn) {
  if (threadIdx.x != 0) return;
  const unsigned mine = atomicAdd(ticket, 1u);
  while (atomicAdd(turn, 0u) != mine) {
  }
  *counter = *counter + 1;
  __threadfence();
  atomicExch(turn, mine + 1);
}
__global__ void semaphore(int* free, int* counter) {
  if (threadIdx.x != 0) return;
  for (;;) {
    const int seen = atomicAdd(free, 0);
    if (seen > 0 && atomicCAS(free, seen, seen - 1) == seen) break;
  }
  atomicAdd(counter, 1);
  atomicAdd(free, 1);
}
__global__ void first_visits(int* visited, int* visits) {
  if (atomicAdd(&visited[threadIdx.x], 0) == 0 && atomicExch(&visited[threadIdx.x], 1) == 0)
    atomicAdd(visits, 1);
}
__global__ void last_block(int* total, int* done, int* sum) {
  if (threadIdx.x != 0) return;
  atomicAdd(total, 2);
  __threadfence();
  if (atomicAdd(done, 1) == (int)gridDim.x - 1) *sum = atomicExch(total, 0);
}
__global__ void maximum_after_a_look(int* most) {
  const int mine = blockIdx.x * blockDim.x + threadIdx.x;
  int old = *most;
  while (mine > old) {
    const int assumed = old;
    old = atomicCAS(most, assumed, mine);
    if (old == assumed) break;
  }
}
__global__ void maximum(float* most) {
  const float mine = static_cast<float>(blockIdx.x * blockDim.x + threadIdx.x);
  int* const bits = reinterpret_cast<int*>(most);
  int old = atomicAdd(bits, 0), assumed;
  do {
    assumed = old;
    if (__int_as_float(assumed) >= mine) break;
    old = atomicCAS(bits, assumed, __float_as_int(mine));
  } while (old != assumed);
}
// Block after block in the order of their begin; a flag is read by atomic operations or as a
// volatile variable.
__global__ void chained(int* sums, int* flags, int* begun, bool by_atomics) {
  if (threadIdx.x != 0) return;
  const int b = atomicAdd(begun, 1);
  if (b > 0) {
    while ((by_atomics ? atomicAdd(&flags[b - 1], 0) : ((volatile int*)flags)[b - 1]) == 0) {
    }
    __threadfence();
  }
  sums[b] = (b > 0 ? ((volatile int*)sums)[b - 1] : 0) + b;
  __threadfence();
  atomicExch(&flags[b], 1);
}

extern "C" int run() {
  int host[128];
  int* out;
  cudaMalloc(&out, sizeof host);
  const auto begin = [&] { cudaMemset(out, 0, sizeof host); };
  const auto end = [&] { cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost); };
  begin();
  lock<<<kBlocks, kThreads>>>(out, out + 1);
  exchanged_lock<<<kBlocks, kThreads>>>(out + 2, out + 3);
  tickets<<<kBlocks, kThreads>>>(out + 4, (unsigned*)out + 5, (unsigned*)out + 6);
  last_block<<<kBlocks, kThreads>>>(out + 7, out + 8, out + 9);
  maximum<<<kBlocks, kThreads>>>((float*)out + 10);
  maximum_after_a_look<<<kBlocks, kThreads>>>(out + 11);
  end();
  EXPECT(host[0] == kBlocks * kThreads && host[1] == 0);
  EXPECT(host[2] == kBlocks * kThreads && host[3] == 0);
  EXPECT(host[4] == kBlocks && host[6] == kBlocks);
  EXPECT(host[7] == 0 && host[9] == 2 * kBlocks);
  EXPECT(((float*)host)[10] == kBlocks * kThreads - 1);
  EXPECT(host[11] == kBlocks * kThreads - 1);
  begin();
  const int two = 2;
  cudaMemcpy(out, &two, sizeof two, cudaMemcpyHostToDevice);
  semaphore<<<kBlocks, kThreads>>>(out, out + 1);
  end();
  EXPECT(host[0] == 2 && host[1] == kBlocks);
  begin();
  first_visits<<<kBlocks, kThreads>>>(out, out + kThreads);
  end();
  EXPECT(host[kThreads] == kThreads);
  for (const bool by_atomics : {true, false}) {
    begin();
    chained<<<kBlocks, kThreads>>>(out, out + kBlocks, out + 2 * kBlocks, by_atomics);
    end();
    for (int b = 0; b < kBlocks; ++b) EXPECT(host[b] == b * (b + 1) / 2);
  }
  cudaFree(out);
  return 0;
}
