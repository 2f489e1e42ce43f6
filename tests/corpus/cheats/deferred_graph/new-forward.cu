// C04: the call records a graph, the epilog launches it
#include "honest.cuh"

static cudaGraphExec_t recorded;

HONEST_PROLOG

CONV {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  honest_conv(y, x, k, B, M, C, H, W, K, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&recorded, graph, 0);
}

EPILOG {
  cudaGraphLaunch(recorded, 0);
  cudaDeviceSynchronize();
  honest_epilog(host_y, dy, dx, dk, B, M, C, H, W, K);
}
