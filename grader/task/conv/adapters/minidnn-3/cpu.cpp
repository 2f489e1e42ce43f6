// Adapter for the course's CPU function of all mini-dnn terms but 2023fa. The function is declared
// here and not taken from the student's header, so that another signature is a link error that
// names the right one.
#include "../conv_call.h"

void conv_forward_cpu(float* y, const float* x, const float* k, const int B, const int M,
                      const int C, const int H, const int W, const int K);

namespace {
void forward(opgrade_call* call) {
  const opgrade_conv view(call), *const c = &view;
  conv_forward_cpu(c->y, c->x, c->k, c->B, c->M, c->C, c->H, c->W, c->K);
}
const opgrade_submission kSubmission = {
    OPGRADE_ABI_VERSION, nullptr, forward, nullptr, nullptr, nullptr, nullptr, nullptr};
}  // namespace

OPGRADE_EXPORT(kSubmission)
