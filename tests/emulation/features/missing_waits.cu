// Programs that lack a wait, one for each name in MISSING_WAIT, and right as long as work is done
// in the call that gives it. run() returns how many outputs are wrong. A line with the name in a
// comment is the one that is to blame.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace cg = cooperative_groups;
constexpr int kN = 64;
constexpr size_t kBytes = kN * sizeof(int);

__global__ void count_up(int* v) { v[threadIdx.x] += 1; }
__global__ void copy_all(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }
__managed__ int managed_sum;
__global__ void add_to_sum(const int* v) { atomicAdd(&managed_sum, v[threadIdx.x]); }

int wrong(const int* v, int right) {
  int count = 0;
  for (int i = 0; i < kN; ++i) count += v[i] != right;
  return count;
}

/// Zeros on the device.
int* zeros() {
  int* v;
  cudaMalloc(&v, kBytes);
  cudaMemset(v, 0, kBytes);
  return v;
}
int* pinned(int value) {
  int* v;
  cudaMallocHost(&v, kBytes);
  for (int i = 0; i < kN; ++i) v[i] = value;
  return v;
}

int host_reads_managed() {
  int* v;
  cudaMallocManaged(&v, kBytes);
  memset(v, 0, kBytes);
  count_up<<<1, kN>>>(v);  // host_reads_managed
  const int result = wrong(v, 1);
  cudaFree(v);
  return result;
}

int host_writes_managed() {
  int *v, *out = zeros(), host[kN];
  cudaMallocManaged(&v, kBytes);
  for (int i = 0; i < kN; ++i) v[i] = 1;
  copy_all<<<1, kN>>>(v, out);  // host_writes_managed
  for (int i = 0; i < kN; ++i) v[i] = 2;
  cudaMemcpy(host, out, kBytes, cudaMemcpyDeviceToHost);
  cudaFree(v);
  cudaFree(out);
  return wrong(host, 1);
}

int host_reads_mapped() {
  int *v = pinned(0), *device;
  cudaHostGetDevicePointer(&device, v, 0);
  count_up<<<1, kN>>>(device);  // host_reads_mapped
  const int result = wrong(v, 1);
  cudaFreeHost(v);
  return result;
}

int host_reads_a_copy() {
  int *device = zeros(), *host = pinned(7);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemcpyAsync(host, device, kBytes, cudaMemcpyDeviceToHost, stream);  // host_reads_a_copy
  const int result = wrong(host, 0);
  cudaStreamDestroy(stream);
  cudaFree(device);
  cudaFreeHost(host);
  return result;
}

int host_reuses_a_buffer() {
  int *first = zeros(), *second = zeros(), *buffer = pinned(1), host[kN];
  cudaMemcpyAsync(first, buffer, kBytes, cudaMemcpyHostToDevice);  // host_reuses_a_buffer
  for (int i = 0; i < kN; ++i) buffer[i] = 2;
  cudaMemcpyAsync(second, buffer, kBytes, cudaMemcpyHostToDevice);
  cudaMemcpy(host, first, kBytes, cudaMemcpyDeviceToHost);
  cudaFree(first);
  cudaFree(second);
  cudaFreeHost(buffer);
  return wrong(host, 1);
}

int host_reads_a_managed_variable() {
  int* v = zeros();
  managed_sum = 0;
  count_up<<<1, kN>>>(v);
  add_to_sum<<<1, kN>>>(v);  // host_reads_a_managed_variable
  const int sum = managed_sum;
  cudaFree(v);
  return sum != kN;
}

int host_reads_after_the_wrong_stream() {
  int *v, *other = zeros();
  cudaMallocManaged(&v, kBytes);
  memset(v, 0, kBytes);
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  count_up<<<1, kN, 0, one>>>(v);  // host_reads_after_the_wrong_stream
  count_up<<<1, kN, 0, two>>>(other);
  cudaStreamSynchronize(two);
  const int result = wrong(v, 1);
  cudaFree(v);
  cudaFree(other);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  return result;
}

int host_reads_what_an_event_is_before() {
  int* v;
  cudaMallocManaged(&v, kBytes);
  memset(v, 0, kBytes);
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaEventRecord(event);
  count_up<<<1, kN>>>(v);  // host_reads_what_an_event_is_before
  cudaEventSynchronize(event);
  const int result = wrong(v, 1);
  cudaEventDestroy(event);
  cudaFree(v);
  return result;
}

int host_reads_beside_shared_input() {
  int *in = zeros(), *out = zeros(), *v;
  cudaMallocManaged(&v, kBytes);
  for (int i = 0; i < kN; ++i) v[i] = 1;
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  copy_all<<<1, kN, 0, one>>>(in, v);  // host_reads_beside_shared_input
  copy_all<<<1, kN, 0, two>>>(in, out);
  const int result = wrong(v, 0);
  cudaFree(v);
  cudaFree(in);
  cudaFree(out);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  return result;
}

void set_to_three(void* data) {
  for (int i = 0; i < kN; ++i) ((int*)data)[i] = 3;
}
int host_function_comes_later() {
  int host[kN] = {};
  cudaLaunchHostFunc(nullptr, set_to_three, host);  // host_function_comes_later
  const int result = wrong(host, 3);
  cudaDeviceSynchronize();
  return result;
}

/// What two streams do, with or without an order between them.
int in_two_streams(unsigned flags) {
  int *v = zeros(), *out = zeros(), host[kN];
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, flags);
  cudaStreamCreateWithFlags(&two, flags);
  cudaDeviceSynchronize();
  count_up<<<1, kN, 0, one>>>(v);  // streams_share_memory
  copy_all<<<1, kN, 0, two>>>(v, out);
  cudaDeviceSynchronize();
  cudaMemcpy(host, out, kBytes, cudaMemcpyDeviceToHost);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaFree(v);
  cudaFree(out);
  return wrong(host, 1);
}
int streams_share_memory() { return in_two_streams(cudaStreamDefault); }

int default_stream_does_not_wait() {
  int *v = zeros(), *out = zeros(), host[kN];
  cudaStream_t free_of_order;
  cudaStreamCreateWithFlags(&free_of_order, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  count_up<<<1, kN, 0, free_of_order>>>(v);  // default_stream_does_not_wait
  copy_all<<<1, kN>>>(v, out);
  cudaDeviceSynchronize();
  cudaMemcpy(host, out, kBytes, cudaMemcpyDeviceToHost);
  cudaStreamDestroy(free_of_order);
  cudaFree(v);
  cudaFree(out);
  return wrong(host, 1);
}

int copy_in_another_stream() {
  int *v = zeros(), *source = pinned(5), host[kN];
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  cudaMemcpyAsync(v, source, kBytes, cudaMemcpyDefault, one);  // copy_in_another_stream
  count_up<<<1, kN, 0, two>>>(v);
  cudaDeviceSynchronize();
  cudaMemcpy(host, v, kBytes, cudaMemcpyDeviceToHost);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaFree(v);
  cudaFreeHost(source);
  return wrong(host, 6);
}

int event_is_recorded_too_early() {
  int *v = zeros(), *out = zeros(), host[kN];
  cudaStream_t one, two;
  cudaEvent_t event;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  cudaEventCreate(&event);
  cudaEventRecord(event, one);
  count_up<<<1, kN, 0, one>>>(v);  // event_is_recorded_too_early
  cudaStreamWaitEvent(two, event);
  copy_all<<<1, kN, 0, two>>>(v, out);
  cudaDeviceSynchronize();
  cudaMemcpy(host, out, kBytes, cudaMemcpyDeviceToHost);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaEventDestroy(event);
  cudaFree(v);
  cudaFree(out);
  return wrong(host, 1);
}

template <class Kernel>
int by_tile(Kernel kernel) {
  int *in = zeros(), *out = zeros(), host[kN];
  count_up<<<1, kN>>>(in);
  kernel<<<1, kN>>>(in, out);
  cudaMemcpy(host, out, kBytes, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  return wrong(host, 1);
}

__global__ void no_pipeline_wait(const int* in, int* out) {
  __shared__ int tile[kN];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);  // pipeline_without_wait
  __pipeline_commit();
  __syncthreads();
  out[threadIdx.x] = tile[kN - 1 - threadIdx.x];
}
int pipeline_without_wait() { return by_tile(no_pipeline_wait); }

__global__ void no_commit(const int* in, int* out) {
  __shared__ int tile[kN];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);  // pipeline_without_commit
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[kN - 1 - threadIdx.x];
}
int pipeline_without_commit() { return by_tile(no_commit); }

__global__ void one_group_too_few(const int* in, int* out) {
  __shared__ int tile[kN];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);  // pipeline_waits_for_too_few
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  out[threadIdx.x] = tile[kN - 1 - threadIdx.x];
}
int pipeline_waits_for_too_few() { return by_tile(one_group_too_few); }

__global__ void no_group_wait(const int* in, int* out) {
  __shared__ int tile[kN];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, kBytes);  // group_without_wait
  block.sync();
  out[threadIdx.x] = tile[kN - 1 - threadIdx.x];
}
int group_without_wait() { return by_tile(no_group_wait); }

__global__ void no_instruction_wait(const int* in, int* out) {
  __shared__ int tile[kN];
  const unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
  in += threadIdx.x;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in));  // asm_without_wait
  asm volatile("cp.async.commit_group;");
  __syncthreads();
  out[threadIdx.x] = tile[kN - 1 - threadIdx.x];
}
int asm_without_wait() { return by_tile(no_instruction_wait); }

extern "C" int run() {
  std::map<std::string, int (*)()> programs;
#define PROGRAM(name) programs[#name] = name
  PROGRAM(host_reads_managed);
  PROGRAM(host_writes_managed);
  PROGRAM(host_reads_mapped);
  PROGRAM(host_reads_a_copy);
  PROGRAM(host_reuses_a_buffer);
  PROGRAM(host_reads_a_managed_variable);
  PROGRAM(host_reads_after_the_wrong_stream);
  PROGRAM(host_reads_what_an_event_is_before);
  PROGRAM(host_reads_beside_shared_input);
  PROGRAM(host_function_comes_later);
  PROGRAM(streams_share_memory);
  PROGRAM(default_stream_does_not_wait);
  PROGRAM(copy_in_another_stream);
  PROGRAM(event_is_recorded_too_early);
  PROGRAM(pipeline_without_wait);
  PROGRAM(pipeline_without_commit);
  PROGRAM(pipeline_waits_for_too_few);
  PROGRAM(group_without_wait);
  PROGRAM(asm_without_wait);
  return programs.at(std::getenv("MISSING_WAIT"))();
}
