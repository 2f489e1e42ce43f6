// The course's three-function GPU interface. Including this header defines the adapter;
// OPGRADE_SIZES(c) are the last arguments of all three functions. The class comes from the
// submission's own gpu-new-forward.h if it has one, because some submissions change the signatures.
#include "conv_device.h"
#include "student_class.h"

namespace {

void prolog(opgrade_call* call) {
  const opgrade_conv view(call), *const c = &view;
  GPUInterface gpu;
  gpu.conv_forward_gpu_prolog(const_cast<float*>(c->y), const_cast<float*>(c->x),
                              opgrade_adapter::host_weights(c), &c->device_y, &c->device_x,
                              &c->device_k, OPGRADE_SIZES(c));
}

void forward(opgrade_call* call) {
  const opgrade_conv view(call), *const c = &view;
  GPUInterface gpu;
  opgrade_adapter::DeviceTimer timer(call);
  gpu.conv_forward_gpu(c->device_y, c->device_x, c->device_k, OPGRADE_SIZES(c));
  timer.stop();
}

void epilog(opgrade_call* call) {
  const opgrade_conv view(call), *const c = &view;
  GPUInterface gpu;
  gpu.conv_forward_gpu_epilog(c->y, c->device_y, c->device_x, c->device_k, OPGRADE_SIZES(c));
}

void release(const opgrade_call* call) {
  const opgrade_conv c(call);
  opgrade_adapter::release_host_tensors(&c);
}

const opgrade_submission kSubmission = {OPGRADE_ABI_VERSION,
                                        prolog,
                                        forward,
                                        epilog,
                                        opgrade_adapter::synchronize,
                                        opgrade_adapter::touch,
                                        opgrade_adapter::share,
                                        opgrade_adapter::findings,
                                        nullptr,
                                        release};

}  // namespace

OPGRADE_EXPORT(kSubmission)
