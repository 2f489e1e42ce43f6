// Adapter for the course's three-function GPU interface, 2021sp to 2026sp without 2023fa. The class
// comes from the submission's own gpu-new-forward.h when it has one: some change the signatures.
#include <cuda_runtime.h>

#include "gpu-new-forward.h"
#include "submission_abi.h"

namespace {

void prolog(opgrade_conv* c) {
  GPUInterface gpu;
  gpu.conv_forward_gpu_prolog(const_cast<float*>(c->y), const_cast<float*>(c->x), const_cast<float*>(c->k),
                              &c->device_y, &c->device_x, &c->device_k, c->B, c->M, c->C, c->H, c->W, c->K);
}

void forward(opgrade_conv* c) {
  GPUInterface gpu;
  gpu.conv_forward_gpu(c->device_y, c->device_x, c->device_k, c->B, c->M, c->C, c->H, c->W, c->K);
}

void epilog(opgrade_conv* c) {
  GPUInterface gpu;
  gpu.conv_forward_gpu_epilog(c->y, c->device_y, c->device_x, c->device_k, c->B, c->M, c->C, c->H, c->W, c->K);
}

int synchronize(const char** error) {
  cudaError_t status = cudaDeviceSynchronize();
  if (status == cudaSuccess) status = cudaGetLastError();
  if (status != cudaSuccess) *error = cudaGetErrorString(status);
  return static_cast<int>(status);
}

#ifdef OPGRADE_EMULATED
extern "C" const char* opgrade_emulation_findings(void);
const char* findings(void) { return opgrade_emulation_findings(); }
#else
constexpr const char* (*findings)(void) = nullptr;
#endif

const opgrade_submission kSubmission = {OPGRADE_ABI_VERSION, prolog, forward, epilog, synchronize, findings};

}  // namespace

extern "C" __attribute__((visibility("default"))) const opgrade_submission* opgrade_get_submission(void) {
  return &kSubmission;
}
