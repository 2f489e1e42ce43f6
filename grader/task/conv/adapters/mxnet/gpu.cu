// Adapter for the GPU operator of the MXNet terms, 2017fa to 2019fa. The device tensors belonged to
// MXNet: the adapter allocates and copies them, and Op Time is the operator's alone.
#include "../conv_device.h"
#include "operator.h"

namespace {

void call_operator(opgrade_adapter::Operands<mshadow::gpu>* operands);

size_t y_bytes(const opgrade_conv* c) {
  return sizeof(float) * c->B * c->M * (c->H - c->K + 1) * (c->W - c->K + 1);
}
size_t x_bytes(const opgrade_conv* c) { return sizeof(float) * c->B * c->C * c->H * c->W; }
size_t k_bytes(const opgrade_conv* c) { return sizeof(float) * c->M * c->C * c->K * c->K; }

void prolog(opgrade_call* call) {
  const opgrade_conv view(call), *const c = &view;
  MSHADOW_CUDA_CALL(cudaMalloc(&c->device_y, y_bytes(c)));
  MSHADOW_CUDA_CALL(cudaMalloc(&c->device_x, x_bytes(c)));
  MSHADOW_CUDA_CALL(cudaMalloc(&c->device_k, k_bytes(c)));
  MSHADOW_CUDA_CALL(cudaMemcpy(c->device_x, c->x, x_bytes(c), cudaMemcpyHostToDevice));
  MSHADOW_CUDA_CALL(cudaMemcpy(c->device_k, c->k, k_bytes(c), cudaMemcpyHostToDevice));
}

// The course zeroed the output and waited before it timed the operator, and some submissions add to
// the output.
void prepare(opgrade_call* call) {
  const opgrade_conv view(call), *const c = &view;
  MSHADOW_CUDA_CALL(cudaMemset(c->device_y, 0, y_bytes(c)));
  MSHADOW_CUDA_CALL(cudaDeviceSynchronize());
}

void forward(opgrade_call* call) {
  const opgrade_conv view(call), *const c = &view;
  opgrade_adapter::Operands<mshadow::gpu> o(c, c->device_y, c->device_x, c->device_k);
  opgrade_adapter::DeviceTimer timer(call);
  call_operator(&o);
  timer.stop();
}

void epilog(opgrade_call* call) {
  const opgrade_conv view(call), *const c = &view;
  MSHADOW_CUDA_CALL(cudaMemcpy(c->y, c->device_y, y_bytes(c), cudaMemcpyDeviceToHost));
  MSHADOW_CUDA_CALL(cudaFree(c->device_y));
  MSHADOW_CUDA_CALL(cudaFree(c->device_x));
  MSHADOW_CUDA_CALL(cudaFree(c->device_k));
}

const opgrade_submission kSubmission = {OPGRADE_ABI_VERSION,
                                        prolog,
                                        forward,
                                        epilog,
                                        opgrade_adapter::synchronize,
                                        opgrade_adapter::touch,
                                        opgrade_adapter::share,
                                        opgrade_adapter::findings,
                                        prepare};

}  // namespace

OPGRADE_EXPORT(kSubmission)

// The student's new-forward.cuh. Included last, because it may define macros called M, C, H, W or
// K.
#include "opgrade_submission.h"

namespace {
void call_operator(opgrade_adapter::Operands<mshadow::gpu>* operands) {
  mxnet::op::forward<mshadow::gpu, float>(operands->y, operands->x, operands->k);
}
}  // namespace
