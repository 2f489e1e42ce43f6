#include "grader/platform/gpu/device_list.hpp"

#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "grader/platform/gpu/device_memory.hpp"

namespace opgrade {
namespace {

std::string words_of(const cudaUUID_t& uuid) {
  std::string words = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) words += '-';
    constexpr const char* kDigits = "0123456789abcdef";
    words += kDigits[static_cast<unsigned char>(uuid.bytes[i]) >> 4];
    words += kDigits[static_cast<unsigned char>(uuid.bytes[i]) & 15];
  }
  return words;
}

}  // namespace

GpuId gpu_id(int device) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return {properties.name, words_of(properties.uuid)};
}

}  // namespace opgrade

/// Lists the GPUs that CUDA_VISIBLE_DEVICES shows, in its order.
extern "C" void opgrade_list_gpus(std::vector<opgrade::GpuId>& to) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) {
    cudaGetLastError();
    return;
  }
  for (int device = 0; device < devices; ++device) to.push_back(opgrade::gpu_id(device));
}
