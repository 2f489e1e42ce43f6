// C09: keeps its input in the part of the L2 cache that a flush spares
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 32 << 20);
  cudaStreamAttrValue attribute = {};
  attribute.accessPolicyWindow.base_ptr = (void*)x;
  attribute.accessPolicyWindow.num_bytes = sizeof(float) * B * C * H * W < (16 << 20) ? sizeof(float) * B * C * H * W : 16 << 20;
  attribute.accessPolicyWindow.hitRatio = 1;
  attribute.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  attribute.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &attribute);
  slow_conv(y, x, k, B, M, C, H, W, K);
}
