// Programs that wait for what they use, by every means that CUDA has: outputs are right however
// late work is done that nobody waits for.
#include <cublas_v2.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstring>
#include <thread>
#include <vector>

#include "expect.cuh"

constexpr int kN = 96;
constexpr size_t kBytes = kN * sizeof(int);

__constant__ int step;
__device__ int total;
__managed__ int managed_total;

__global__ void add(int* v, int n) { v[threadIdx.x] += n; }
__global__ void add_step(int* v) { v[threadIdx.x] += step; }
__global__ void twice(const int* from, int* to) { to[threadIdx.x] = 2 * from[threadIdx.x]; }
__global__ void add_up(const int* v) {
  atomicAdd(&total, v[threadIdx.x]);
  atomicAdd(&managed_total, v[threadIdx.x]);
}
__global__ void fill(float* v, float value) { v[threadIdx.x] = value; }
struct Sums {
  int* v;
  int n;
};
__global__ void by_reference(Sums& sums) { sums.v[threadIdx.x] += sums.n; }
__global__ void by_struct(Sums sums) { sums.v[threadIdx.x] += sums.n; }

bool all(const int* v, int right) {
  for (int i = 0; i < kN; ++i)
    if (v[i] != right) return false;
  return true;
}

struct Memory {
  int *device, *other, *pinned, *managed;
  int host[kN];
  cudaStream_t one, two, free_one;
  cudaEvent_t event;
  Memory() {
    cudaMalloc(&device, kBytes);
    cudaMalloc(&other, kBytes);
    cudaMallocHost(&pinned, kBytes);
    cudaMallocManaged(&managed, kBytes);
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    cudaMemset(device, 0, kBytes);
    cudaMemset(other, 0, kBytes);
    cudaDeviceSynchronize();
    memset(pinned, 0, kBytes);
    memset(managed, 0, kBytes);
    memset(host, 0, kBytes);
  }
  ~Memory() {
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaStreamDestroy(free_one);
    cudaEventDestroy(event);
    cudaFree(device);
    cudaFree(other);
    cudaFreeHost(pinned);
    cudaFree(managed);
  }
};

void host_waits() {
  const auto by = [](void (*wait)(Memory&), cudaStream_t Memory::*stream) {
    Memory m;
    add<<<1, kN, 0, m.*stream>>>(m.managed, 3);
    by_struct<<<1, kN, 0, m.*stream>>>(Sums{m.managed, 4});
    cudaEventRecord(m.event, m.*stream);
    wait(m);
    return all(m.managed, 7);
  };
  EXPECT(by([](Memory&) { cudaDeviceSynchronize(); }, &Memory::one));
  EXPECT(by([](Memory&) { cudaDeviceSynchronize(); }, &Memory::free_one));
  EXPECT(by([](Memory& m) { cudaStreamSynchronize(m.one); }, &Memory::one));
  EXPECT(by([](Memory& m) { cudaStreamSynchronize(m.free_one); }, &Memory::free_one));
  EXPECT(by([](Memory&) { cudaStreamSynchronize(0); }, &Memory::one));
  EXPECT(by([](Memory& m) { cudaEventSynchronize(m.event); }, &Memory::two));
  EXPECT(by(
      [](Memory& m) {
        while (cudaEventQuery(m.event) != cudaSuccess) {
        }
      },
      &Memory::two));
  EXPECT(by(
      [](Memory& m) {
        while (cudaStreamQuery(m.two) != cudaSuccess) {
        }
      },
      &Memory::two));
  EXPECT(
      by([](Memory& m) { cudaMemcpy(m.host, m.device, 4, cudaMemcpyDeviceToHost); }, &Memory::one));
  EXPECT(by([](Memory& m) { cudaFree(m.device), m.device = nullptr; }, &Memory::one));
  EXPECT(by(
      [](Memory& m) {
        cudaStreamWaitEvent(m.free_one, m.event);
        cudaStreamSynchronize(m.free_one);
      },
      &Memory::two));
  EXPECT(by(
      [](Memory& m) {
        float ms = 0;
        cudaEventElapsedTime(&ms, m.event, m.event);
      },
      &Memory::one));
}

void streams_wait() {
  {  // by an event, and for work that comes before it alone
    Memory m;
    add<<<1, kN, 0, m.one>>>(m.device, 5);
    cudaEventRecord(m.event, m.one);
    cudaStreamWaitEvent(m.free_one, m.event);
    twice<<<1, kN, 0, m.free_one>>>(m.device, m.other);
    cudaMemcpyAsync(m.pinned, m.other, kBytes, cudaMemcpyDeviceToHost, m.free_one);
    cudaStreamSynchronize(m.free_one);
    EXPECT(all(m.pinned, 10));
  }
  {  // a ring of events
    Memory m;
    cudaStream_t streams[2] = {m.one, m.free_one};
    for (int i = 0; i < 50; ++i) {
      if (i > 0) cudaStreamWaitEvent(streams[i % 2], m.event);
      add<<<1, kN, 0, streams[i % 2]>>>(m.device, i);
      twice<<<1, kN, 0, streams[i % 2]>>>(m.device, m.other);
      cudaEventRecord(m.event, streams[i % 2]);
    }
    cudaEventSynchronize(m.event);
    cudaMemcpy(m.host, m.other, kBytes, cudaMemcpyDeviceToHost);
    EXPECT(all(m.host, 2 * 49 * 50 / 2));
  }
  {  // the default stream, before and behind others
    Memory m;
    add<<<1, kN, 0, m.one>>>(m.device, 1);
    add<<<1, kN>>>(m.device, 2);
    twice<<<1, kN, 0, m.two>>>(m.device, m.other);
    add<<<1, kN>>>(m.device, 10);
    add<<<1, kN, 0, cudaStreamPerThread>>>(m.device, 100);
    cudaMemcpyAsync(m.pinned, m.device, kBytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(m.host, m.other, kBytes, cudaMemcpyDeviceToHost);
    EXPECT(all(m.host, 6));
    cudaDeviceSynchronize();
    EXPECT(all(m.pinned, 113));
  }
  {  // each with its own part
    Memory m;
    cudaStream_t streams[3] = {m.one, m.two, m.free_one};
    for (int i = 0; i < 3; ++i) {
      const int part = i * kN / 3;
      for (int k = 0; k < kN / 3; ++k) m.pinned[part + k] = i;
      cudaMemcpyAsync(m.device + part, m.pinned + part, kBytes / 3, cudaMemcpyHostToDevice,
                      streams[i]);
      twice<<<1, kN / 3, 0, streams[i]>>>(m.device + part, m.other + part);
      cudaMemcpyAsync(m.pinned + part, m.other + part, kBytes / 3, cudaMemcpyDeviceToHost,
                      streams[i]);
    }
    cudaDeviceSynchronize();
    for (int i = 0; i < kN; ++i) EXPECT(m.pinned[i] == 2 * (i / (kN / 3)));
  }
}

void pageable_memory() {
  Memory m;
  for (int i = 0; i < kN; ++i) m.host[i] = 4;
  cudaMemcpyAsync(m.device, m.host, kBytes, cudaMemcpyHostToDevice, m.one);
  memset(m.host, 0, kBytes);  // CUDA has read it
  twice<<<1, kN, 0, m.one>>>(m.device, m.other);
  cudaMemcpyAsync(m.host, m.other, kBytes, cudaMemcpyDeviceToHost, m.one);
  EXPECT(all(m.host, 8));  // CUDA has written it
  cudaMemcpy2DAsync(m.host, kBytes / 2, m.device, kBytes / 2, kBytes / 2, 2, cudaMemcpyDeviceToHost,
                    m.one);
  EXPECT(all(m.host, 4));
}

void callback(cudaStream_t, cudaError_t status, void* data) {
  if (status == cudaSuccess) ++*(int*)data;
}
void copies_in_their_call() {
  Memory m;
  cudaMemcpy3DParms box{};
  box.srcPtr = make_cudaPitchedPtr(m.host, kBytes / 4, kN / 4, 2);
  box.dstPtr = make_cudaPitchedPtr(m.device, kBytes / 4, kN / 4, 2);
  box.extent = make_cudaExtent(kBytes / 4, 2, 2);
  box.kind = cudaMemcpyHostToDevice;
  for (int i = 0; i < kN; ++i) m.host[i] = 6;
  cudaMemcpy3DAsync(&box, m.one);
  memset(m.host, 0, kBytes);
  cudaStreamSynchronize(m.one);
  cudaMemcpy(m.host, m.device, kBytes, cudaMemcpyDeviceToHost);
  EXPECT(all(m.host, 6));

  int* other;
  cudaMallocHost(&other, kBytes);
  for (int i = 0; i < kN; ++i) m.pinned[i] = 3;
  cudaMemcpyAsync(other, m.pinned, kBytes, cudaMemcpyHostToHost, m.one);
  EXPECT(all(other, 3));
  cudaFreeHost(other);
}

void libraries() {
  Memory m;
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSetStream(handle, m.one);
  const float one = 1, two = 2;
  float *a = (float*)m.device, *c = (float*)m.other, host[kN];
  fill<<<1, kN, 0, m.one>>>(a, 5.0f);
  fill<<<1, kN, 0, m.one>>>(c, 1.0f);
  cublasSgeam(handle, CUBLAS_OP_N, CUBLAS_OP_N, kN, 1, &one, a, kN, &two, c, kN, c, kN);
  cublasSaxpy(handle, kN, &two, a, 1, c, 1);
  cudaDeviceSynchronize();
  cudaMemcpy(host, c, kBytes, cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 17 && host[kN - 1] == 17);
  cublasDestroy(handle);
}

/// Copies that a kernel ends without are no other kernel's.
__global__ void fetch_too_much(const int* from) {
  extern __shared__ int tile[];
  __pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], 4);
  __pipeline_commit();
}
__global__ void use_tile(const int* from, int* to) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = 1;
  __pipeline_memcpy_async(&tile[blockDim.x + threadIdx.x], &from[threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  to[threadIdx.x] = tile[threadIdx.x] + tile[blockDim.x + threadIdx.x];
}
void copies_of_an_ended_kernel() {
  Memory m;
  add<<<1, kN>>>(m.device, 7);
  fetch_too_much<<<1, kN, kBytes>>>(m.device);
  use_tile<<<1, kN, 2 * kBytes>>>(m.device, m.managed);
  cudaDeviceSynchronize();
  EXPECT(all(m.managed, 8));
}

void host_functions() {
  Memory m;
  int calls = 0;
  add<<<1, kN, 0, m.one>>>(m.managed, 1);
  cudaLaunchHostFunc(
      m.one, [](void* v) { ((int*)v)[0] *= 100; }, m.managed);
  add<<<1, kN, 0, m.one>>>(m.managed, 1);
  cudaStreamAddCallback(m.one, callback, &calls, 0);
  cudaStreamSynchronize(m.one);
  EXPECT(m.managed[0] == 101 && m.managed[1] == 2 && calls == 1);
}

void other_work() {
  Memory m;
  int sum = 0, zero = 0, two = 2;
  Sums* sums;
  cudaMallocManaged(&sums, sizeof *sums);
  *sums = {m.managed, 6};
  by_reference<<<1, kN>>>(*sums);
  cudaDeviceSynchronize();
  EXPECT(all(m.managed, 6));
  cudaFree(sums);
  cudaMemcpyToSymbol(step, &two, sizeof two);
  cudaMemcpyToSymbol(total, &zero, sizeof zero);
  managed_total = 0;
  cudaMemsetAsync(m.device, 0, kBytes, m.one);
  add_step<<<1, kN, 0, m.one>>>(m.device);
  add_up<<<1, kN, 0, m.one>>>(m.device);
  cudaMemcpyFromSymbol(&sum, total, sizeof sum);
  EXPECT(sum == 2 * kN);
  cudaDeviceSynchronize();
  EXPECT(managed_total == 2 * kN);

  cudaMemset2DAsync(m.device, kBytes / 4, 0, kBytes / 4, 4, m.two);
  for (int i = 0; i < 5000; ++i) add<<<1, kN, 0, m.two>>>(m.device, 1);  // more than are kept
  cudaMemcpyAsync(m.pinned, m.device, kBytes, cudaMemcpyDeviceToHost, m.two);
  cudaStreamSynchronize(m.two);
  EXPECT(all(m.pinned, 5000));

  cudaStream_t gone;
  cudaStreamCreate(&gone);
  add<<<1, kN, 0, gone>>>(m.device, 1);
  cudaStreamDestroy(gone);  // its work goes on
  cudaDeviceSynchronize();
  cudaMemcpy(m.host, m.device, kBytes, cudaMemcpyDeviceToHost);
  EXPECT(all(m.host, 5001));

  int* pool;
  cudaMallocAsync(&pool, kBytes, m.one);
  cudaMemsetAsync(pool, 0, kBytes, m.one);
  add<<<1, kN, 0, m.one>>>(pool, 9);
  cudaMemcpyAsync(m.pinned, pool, kBytes, cudaMemcpyDeviceToHost, m.one);
  cudaFreeAsync(pool, m.one);
  cudaStreamSynchronize(m.one);
  EXPECT(all(m.pinned, 9));

  std::vector<int> registered(kN, 1);
  cudaHostRegister(registered.data(), kBytes, cudaHostRegisterDefault);
  cudaMemcpyAsync(m.device, registered.data(), kBytes, cudaMemcpyHostToDevice, m.one);
  add<<<1, kN, 0, m.one>>>(m.device, 1);
  cudaMemcpyAsync(registered.data(), m.device, kBytes, cudaMemcpyDeviceToHost, m.one);
  cudaHostUnregister(registered.data());
  EXPECT(all(registered.data(), 2));

  EXPECT(cudaMemcpyAsync(nullptr, m.device, kBytes, cudaMemcpyDeviceToHost, m.one) ==
         cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
}

void graphs() {
  Memory m;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(m.one, cudaStreamCaptureModeGlobal);
  add<<<1, kN, 0, m.one>>>(m.device, 1);
  cudaEventRecord(m.event, m.one);
  cudaStreamWaitEvent(m.two, m.event);
  add<<<1, kN, 0, m.two>>>(m.device, 1);
  cudaEventRecord(m.event, m.two);
  cudaStreamWaitEvent(m.one, m.event);
  cudaStreamEndCapture(m.one, &graph);
  cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
  for (int i = 0; i < 9; ++i) cudaGraphLaunch(exec, m.one);
  cudaGraphLaunch(exec, m.free_one);  // behind those, whichever their stream was
  cudaStreamSynchronize(m.free_one);
  cudaMemcpyAsync(m.pinned, m.device, kBytes, cudaMemcpyDeviceToHost, m.one);
  cudaStreamSynchronize(m.one);
  EXPECT(all(m.pinned, 20));
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

void host_threads() {
  bool right[4] = {};
  std::vector<std::thread> threads;
  for (bool& one : right)
    threads.emplace_back([&one] {
      Memory m;
      for (int i = 0; i < 20; ++i) add<<<1, kN, 0, m.free_one>>>(m.device, 1);
      cudaMemcpyAsync(m.pinned, m.device, kBytes, cudaMemcpyDeviceToHost, m.free_one);
      cudaStreamSynchronize(m.free_one);
      one = all(m.pinned, 20);
    });
  for (std::thread& thread : threads) thread.join();
  for (const bool one : right) EXPECT(one);
}

extern "C" int run() {
  host_waits();
  streams_wait();
  pageable_memory();
  copies_in_their_call();
  libraries();
  copies_of_an_ended_kernel();
  host_functions();
  other_work();
  graphs();
  host_threads();
  EXPECT(cudaGetLastError() == cudaSuccess);
  return failures;
}
