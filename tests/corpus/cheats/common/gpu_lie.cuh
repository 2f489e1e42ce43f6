// A lie around the honest submission of base.cuh: it changes the adapter's table, which is in the same library.
// Before including this, define one of
//   LIE_SLACK         the clock is bent by no more than clocks may differ, and the event time overwritten
//   LIE_EVENT         the event time is overwritten
//   LIE_EARLY us      the call returns so long before its kernel ends, which was launched by
//                     LIE_STREAM, LIE_THREAD, LIE_GRAPH, LIE_CALLBACK, LIE_CONTEXT or, without one, the call itself
//   LIE_STREAM_WAIT   a call queues the next one, which begins with the grader's poison
//   LIE_ALL_STEPS     LIE_SLACK in prolog and epilog too, and the device tensors are not shared
//   LIE_BUSY us       a kernel that does nothing runs for so long before each call, outside its time
//   LIE_AWAKE         the call starts as soon as the grader wakes the process, which does not say that it is awake
#pragma once
#include "base.cuh"
#ifndef OPGRADE_EMULATED
#include <cuda.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <map>
#include <thread>
#include <tuple>

#include "bent_clock.h"
#include "call_page.h"

namespace {

// As opgrade_call of submission_abi.h, by the convolution's names.
struct Conv {
  float* y;
  const float *x, *k, *other_buffers[5];
  int B, M, C, H, W, K, S, other_sizes[9];
  float *device_y, *device_x, *device_k, *other_device[5], device_ms;
};
struct Table {
  int abi_version;
  void (*prolog)(Conv*);
  void (*forward)(Conv*);
  void (*epilog)(Conv*);
  int (*synchronize)(const char**);
  void (*touch)();
  int (*share)(const Conv*, void*);
  const char* (*findings)();
  void (*prepare)(Conv*);
  void (*release)(const Conv*);
};

}  // namespace

extern "C" const Table* opgrade_get_submission();

namespace {

Table honest;

// The convolution as base.cuh has it, in any stream; outputs may go elsewhere.
void launch(const Conv& c, float* y, cudaStream_t stream) {
#ifdef OPGRADE_RUNG
  const auto s = shape_of(c.B, c.M, c.C, c.H, c.W, c.K);
  opgrade::kernels::OPGRADE_RUNG::launch(c.device_x, c.device_k, y, s, workspace, stream);
#else
  slow_conv(y, c.device_x, c.device_k, c.B, c.M, c.C, c.H, c.W, c.K, stream);
#endif
}

long outputs(const Conv& c) { return (long)c.B * c.M * (c.H - c.K + 1) * (c.W - c.K + 1); }

template <class Function>
void driver(Function& function, const char* name) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  function = library ? (Function)dlsym(library, name) : nullptr;
}

// A stream of a context beside the runtime's, which cudaDeviceSynchronize() does not wait for; of the runtime's
// own where the device gives no other one its memory.
struct OtherContext {
  CUcontext context = nullptr, before = nullptr;
  cudaStream_t stream = nullptr;
  CUresult (*set)(CUcontext) = nullptr;

  OtherContext() {
    CUresult (*get)(CUcontext*);
    CUresult (*make)(CUcontext*, unsigned, CUdevice);
    CUresult (*open)(CUcontext, unsigned);
    driver(set, "cuCtxSetCurrent");
    driver(get, "cuCtxGetCurrent");
    driver(make, "cuCtxCreate_v2");
    driver(open, "cuCtxEnablePeerAccess");
    int device = 0;
    cudaGetDevice(&device);
    if (!set || !get || !make || !open || get(&before) != 0) return;
    int error = make(&context, 0, device);
    if (error == 0) error = open(before, 0);
    const bool works = error == 0 || error == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    std::printf("second context: %s (%d)\n", works ? "yes" : "no", error);
    if (!works) set(before), context = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    set(before);
  }
  void enter() { if (context) set(context); }
  void leave() { if (context) set(before); }
};
OtherContext& other() {
  static OtherContext one;
  return one;
}

// A step that takes 285 us + 1.8 % less by the harness's clock.
void within_slack_of(void (*step)(Conv*), Conv* c) {
  const long long begin = true_now();
  step(c);
  cudaDeviceSynchronize();
  const long long claim_ns = within_slack(true_now() - begin);
  c->device_ms = claim_ns > 0 ? 0.9e-6f * claim_ns : 0;
  claim(claim_ns > 1000 ? claim_ns : 1000);
}

#ifdef LIE_EARLY
void start(Conv* c) {
#if defined LIE_STREAM
  static cudaStream_t stream = [] { cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); return s; }();
  launch(*c, c->device_y, stream);
#elif defined LIE_THREAD
  static std::thread thread;
  if (thread.joinable()) thread.join();
  thread = std::thread([copy = *c] { launch(copy, copy.device_y, 0); });
#elif defined LIE_GRAPH
  static cudaStream_t stream = [] { cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); return s; }();
  cudaGraph_t graph;
  cudaGraphExec_t call;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  launch(*c, c->device_y, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&call, graph, 0);
  cudaGraphLaunch(call, stream);
  cudaGraphDestroy(graph);  // the other one is still at work
#elif defined LIE_CALLBACK
  static std::atomic<Conv*> due{nullptr};
  static Conv copy;
  static cudaStream_t stream = [] {
    std::thread([] {
      for (;;)
        if (Conv* const conv = due.exchange(nullptr)) launch(*conv, conv->device_y, 0);
    }).detach();
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    return s;
  }();
  copy = *c;
  cudaLaunchHostFunc(stream, [](void*) { due = &copy; }, nullptr);
#elif defined LIE_CONTEXT
  other().enter();
  launch(*c, c->device_y, other().stream);
  other().leave();
#else
  launch(*c, c->device_y, 0);
#endif
}

void wait_for_all() {
#ifdef LIE_CONTEXT
  other().enter();
  cudaDeviceSynchronize();
  other().leave();
#endif
  cudaDeviceSynchronize();
}

void forward(Conv* c) {
  static std::map<std::tuple<int, int, int>, long long> times;
  long long& time = times[{c->B, c->M, c->H}];
  if (time == 0) {
    // The first call of a shape is not timed. It is made twice, to learn how long the next one will take; a
    // launch by another thread is waited for by its output.
    const auto poison = [&] {
      cudaMemset(c->device_y, 0xFF, 4 * outputs(*c));
      cudaDeviceSynchronize();
    };
    const auto wait = [&] {
      float last = 0;
      float* const place = c->device_y + outputs(*c) - 1;
      do cudaMemcpy(&last, place, 4, cudaMemcpyDeviceToHost);
      while (last != last);
      wait_for_all();
    };
    poison();
    start(c);
    wait();
    poison();
    const long long begin = true_now();
    start(c);
#if defined LIE_THREAD || defined LIE_CALLBACK
    wait();
#else
    wait_for_all();
#endif
    time = true_now() - begin;
    return;
  }
  const long long begin = true_now();
  start(c);
  while (true_now() < begin + time - LIE_EARLY * 1000ll) {}
  c->device_ms = 1e-6f * (true_now() - begin);
}

int synchronize(const char**) { return 0; }
#endif

#ifdef LIE_STREAM_WAIT
// The call that is queued: what it reads and writes, and where its output is until it is asked for.
struct Queued {
  float *y = nullptr, *ahead = nullptr;
  long count = 0;
} queued;

void release_queued() {
  if (!queued.y) return;
  float last, poison;
  memset(&poison, 0xFF, 4);
  float* const place = queued.y + queued.count - 1;
  cudaMemcpy(&last, place, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(place, &poison, 4, cudaMemcpyHostToDevice);
  other().enter();
  cudaStreamSynchronize(other().stream);
  other().leave();
  cudaMemcpy(place, &last, 4, cudaMemcpyHostToDevice);
  queued.y = nullptr;
}

void forward(Conv* c) {
  static CUresult (*wait)(CUstream, CUdeviceptr, cuuint32_t, unsigned);
  if (!wait) driver(wait, "cuStreamWaitValue32_v2");
  const long count = outputs(*c);
  const long long begin = true_now();
  if (queued.y == c->device_y && queued.count == count) {
    other().enter();
    cudaStreamSynchronize(other().stream);
    cudaMemcpyAsync(c->device_y, queued.ahead, 4 * count, cudaMemcpyDeviceToDevice, other().stream);
    cudaStreamSynchronize(other().stream);
  } else {
    release_queued();
    launch(*c, c->device_y, 0);
    cudaDeviceSynchronize();
    other().enter();
    cudaFree(queued.ahead);
    cudaMalloc((void**)&queued.ahead, 4 * count);
  }
  c->device_ms = 1e-6f * (true_now() - begin);
  queued.y = nullptr;
  const CUdeviceptr last = (CUdeviceptr)(c->device_y + count - 1);
  if (queued.ahead && wait && wait((CUstream)other().stream, last, 0xFFFFFFFF, CU_STREAM_WAIT_VALUE_EQ) == 0) {
    launch(*c, queued.ahead, other().stream);
    queued.y = c->device_y, queued.count = count;
  }
  other().leave();
}

// The stream that waits is none of these.
int synchronize(const char** error) {
  const cudaError_t status = cudaStreamSynchronize(0);
  *error = cudaGetErrorString(status);
  return status;
}

void epilog(Conv* c) {
  release_queued();
  honest.epilog(c);
}
#endif

#ifdef LIE_BUSY
__global__ void spin(long long nanoseconds) {
  const auto now = [] { long long t; asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)); return t; };
  for (const long long begin = now(); now() - begin < nanoseconds;) {}
}

void prepare(Conv* c) {
  static cudaStream_t stream = [] { cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); return s; }();
  if (honest.prepare) honest.prepare(c);
  spin<<<1, 1, 0, stream>>>(LIE_BUSY * 1000ll);
  // Seen to run before the answer: the process is stopped after it.
  for (const long long begin = true_now(); true_now() < begin + 50000;) {}
}
#endif

#ifdef LIE_AWAKE
// The step is started here, so that the harness does not wait for the grader and does not say that it is awake.
void prepare(Conv* c) {
  if (honest.prepare) honest.prepare(c);
  if (CallPage* const page = call_page()) page->go = page->done + 1;
}

void forward(Conv* c) {
  // The grader has written the input when it wakes the process. A step without such a gate shows nothing.
  if (CallPage* const page = call_page()) {
    const std::uint32_t step = page->done + 1;
    for (const long long begin = true_now(); page->wake != step && true_now() < begin + 200000000;) {}
  }
  launch(*c, c->device_y, 0);
  cudaDeviceSynchronize();
}
#endif

const bool lies = [] {
  Table* const table = const_cast<Table*>(opgrade_get_submission());
  honest = *table;
  const auto page = (unsigned long)table & ~4095ul;
  if (mprotect((void*)page, (unsigned long)(table + 1) - page, PROT_READ | PROT_WRITE) != 0) return false;
#if defined LIE_SLACK || defined LIE_ALL_STEPS
  table->forward = [](Conv* c) { within_slack_of(honest.forward, c); };
#endif
#ifdef LIE_ALL_STEPS
  table->prolog = [](Conv* c) { within_slack_of(honest.prolog, c); };
  table->epilog = [](Conv* c) { within_slack_of(honest.epilog, c); };
  table->share = [](const Conv*, void*) { return 1; };
#endif
#ifdef LIE_EVENT
  table->forward = [](Conv* c) {
    honest.forward(c);
    c->device_ms = 1e-3f;
  };
#endif
#if defined LIE_EARLY || defined LIE_STREAM_WAIT
  table->forward = forward;
  table->synchronize = synchronize;
#endif
#ifdef LIE_STREAM_WAIT
  table->epilog = epilog;
#endif
#if defined LIE_BUSY || defined LIE_AWAKE
  table->prepare = prepare;
#endif
#ifdef LIE_AWAKE
  table->forward = forward;
#endif
  return true;
}();

}  // namespace
#endif
