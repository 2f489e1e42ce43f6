// A built submission whose "device tensors" are its host tensors: y = k[0] * x.
#include "grader/harness/submission_abi.h"

namespace {

void nothing(opgrade_conv*) {}

void forward(opgrade_conv* c) {
  const int count = c->B * c->H * c->W;
  for (int i = 0; i < count; ++i) c->y[i] = c->k[0] * c->x[i];
}

int share(const opgrade_conv*, opgrade_shared*) { return 0; }

const opgrade_submission kSubmission = {.abi_version = OPGRADE_ABI_VERSION,
                                        .prolog = nothing,
                                        .forward = forward,
                                        .epilog = nothing,
                                        .share = share};

}  // namespace

extern "C" __attribute__((visibility("default"))) const opgrade_submission* opgrade_get_submission(
    void) {
  return &kSubmission;
}
