/* A call as a convolution: dense row-major float32, y B,M,H_out,W_out; x B,C,H,W; k M,C,K,K; stride
 * S. Included by every adapter of a convolution's interface. */
#ifndef OPGRADE_CONV_CALL_H
#define OPGRADE_CONV_CALL_H

#include "submission_abi.h"

struct opgrade_conv {
  explicit opgrade_conv(const opgrade_call* call)
      : y(call->buffer[0]),
        x(call->buffer[1]),
        k(call->buffer[2]),
        B(call->size[0]),
        M(call->size[1]),
        C(call->size[2]),
        H(call->size[3]),
        W(call->size[4]),
        K(call->size[5]),
        S(call->size[6]),
        device_y(const_cast<opgrade_call*>(call)->device[0]),
        device_x(const_cast<opgrade_call*>(call)->device[1]),
        device_k(const_cast<opgrade_call*>(call)->device[2]),
        device_ms(const_cast<opgrade_call*>(call)->device_ms) {}

  float* y;
  const float* x;
  const float* k;
  int B, M, C, H, W, K, S;
  float*& device_y;
  float*& device_x;
  float*& device_k;
  float& device_ms;
};

#endif
