// Graphs by stream capture.
#include "expect.cuh"

__global__ void add(int* x, int n) { x[threadIdx.x] += n; }
__global__ void times(int* x, int n) { x[threadIdx.x] *= n; }

void count_call(void* calls) { ++*static_cast<int*>(calls); }

extern "C" int run() {
  int host[32], calls = 0, *x;
  cudaMalloc(&x, sizeof host);
  cudaStream_t stream, other;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  cudaEvent_t forked, joined;
  cudaEventCreate(&forked);
  cudaEventCreate(&joined);
  auto first = [&] {
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    return host[31];
  };

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaMemset(x, 0, sizeof host);
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  for (int n = 1; n < 3; ++n) add<<<1, 32, 0, stream>>>(x, n);
  cudaEventRecord(forked, stream);
  cudaStreamWaitEvent(other, forked);
  times<<<1, 32, 0, other>>>(x, 2);
  cudaEventRecord(joined, other);
  cudaStreamWaitEvent(stream, joined);
  EXPECT(cudaLaunchHostFunc(stream, count_call, &calls) == cudaSuccess);
  cudaStreamCaptureStatus status;
  EXPECT(cudaStreamIsCapturing(other, &status) == cudaSuccess &&
         status == cudaStreamCaptureStatusActive);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph != nullptr);
  EXPECT(first() == 0 && calls == 0);  // nothing was done yet
  EXPECT(cudaStreamIsCapturing(other, &status) == cudaSuccess &&
         status == cudaStreamCaptureStatusNone);

  EXPECT(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0) == cudaSuccess);
  EXPECT(cudaGraphDestroy(graph) == cudaSuccess);
  EXPECT(cudaGraphLaunch(exec, stream) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
  EXPECT(first() == 6 && calls == 1);
  EXPECT(cudaGraphLaunch(exec, stream) == cudaSuccess && first() == 18 && calls == 2);
  EXPECT(cudaGraphExecDestroy(exec) == cudaSuccess);

  // Copies and fills, with what lies there when the graph is launched.
  int source[32];
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  cudaMemsetAsync(x, 0, sizeof host, stream);
  cudaMemcpyAsync(x + 16, source, sizeof source / 2, cudaMemcpyHostToDevice, stream);
  add<<<1, 32, 0, stream>>>(x, 1);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  EXPECT(cudaGraphInstantiate(&exec, graph) == cudaSuccess);
  for (int& v : source) v = 41;
  cudaGraphLaunch(exec, 0);
  EXPECT(first() == 42 && host[0] == 1);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);

  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  EXPECT(graph == nullptr);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorIllegalState);
  EXPECT(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) ==
         cudaErrorStreamCaptureUnsupported);
  cudaGetLastError();
  add<<<1, 32, 0, stream>>>(x, 1);  // at once again
  EXPECT(first() == 43);
  cudaEventDestroy(forked);
  cudaEventDestroy(joined);
  cudaStreamDestroy(stream);
  cudaStreamDestroy(other);
  cudaFree(x);
  return failures;
}
