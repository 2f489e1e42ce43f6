// A built submission that does nothing on the device, to measure what a call costs besides its work
// (grader/grading/device/call_costs.hpp). It belongs to the grader; its steps are those of the
// course's interface.
#include "adapters/cuda_device.h"

namespace {

__global__ void nothing() {}

size_t bytes(long long elements) { return sizeof(float) * static_cast<size_t>(elements); }

void prolog(opgrade_call* c) {
  cudaMalloc(&c->device[0], bytes(c->size[0]));
  cudaMalloc(&c->device[1], bytes(c->size[0]));
}

/// Without a prolog it stands for a function on host pointers, so it does not touch the device.
void forward(opgrade_call* c) {
  if (c->device[0] == nullptr) return;
  opgrade_adapter::DeviceTimer timer(c);
  nothing<<<1, 32>>>();
  timer.stop();
}

void epilog(opgrade_call* c) {
  cudaFree(c->device[0]);
  cudaFree(c->device[1]);
}

const opgrade_submission kSubmission = {OPGRADE_ABI_VERSION,
                                        prolog,
                                        forward,
                                        epilog,
                                        opgrade_adapter::synchronize,
                                        opgrade_adapter::touch,
                                        opgrade_adapter::share,
                                        opgrade_adapter::findings};

}  // namespace

OPGRADE_EXPORT(kSubmission)
