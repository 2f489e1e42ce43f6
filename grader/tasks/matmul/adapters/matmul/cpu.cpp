// Adapter for a matrix product on the CPU: host pointers.
#include "../submission_abi.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K);

namespace {

void forward(opgrade_call* c) {
  solve(c->buffer[1], c->buffer[2], c->buffer[0], c->size[0], c->size[1], c->size[2]);
}

const opgrade_submission kSubmission = {.abi_version = OPGRADE_ABI_VERSION, .forward = forward};

}  // namespace

extern "C" __attribute__((visibility("default"))) const opgrade_submission* opgrade_get_submission(
    void) {
  return &kSubmission;
}
