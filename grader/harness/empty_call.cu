// A built submission that does nothing on the device: what a call costs beside its work
// (app/call_costs.hpp). The grader's own; its steps are those of the course's interface.
#include "adapters/cuda_device.h"

namespace {

__global__ void nothing() {}

size_t bytes(long long elements) { return sizeof(float) * static_cast<size_t>(elements); }

void prolog(opgrade_conv* c) {
  cudaMalloc(&c->device_y, bytes(static_cast<long long>(c->B) * c->M * c->H * c->W));
  cudaMalloc(&c->device_x, bytes(static_cast<long long>(c->B) * c->C * c->H * c->W));
}

void forward(opgrade_conv* c) {
  opgrade_adapter::DeviceTimer timer;
  nothing<<<1, 32>>>();
  c->device_ms = timer.stop();
}

void epilog(opgrade_conv* c) {
  cudaFree(c->device_y);
  cudaFree(c->device_x);
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

extern "C" __attribute__((visibility("default"))) const opgrade_submission* opgrade_get_submission(
    void) {
  return &kSubmission;
}
