// C09: keeps its input in the part of the L2 cache that a flush spares
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  // An H100 keeps less than an H200 does: as much as this device allows.
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, device.persistingL2CacheMaxSize);
  const size_t bytes = sizeof(float) * B * C * H * W;
  cudaStreamAttrValue attribute = {};
  attribute.accessPolicyWindow.base_ptr = (void*)x;
  attribute.accessPolicyWindow.num_bytes = bytes < (size_t)device.accessPolicyMaxWindowSize ? bytes : device.accessPolicyMaxWindowSize;
  attribute.accessPolicyWindow.hitRatio = 1;
  attribute.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  attribute.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &attribute);
  slow_conv(y, x, k, B, M, C, H, W, K);
}
