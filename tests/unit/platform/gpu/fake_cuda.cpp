// A stand-in for CUDA's driver library, with what the harness's trial of a device calls. With
// FAKE_CUDA_REFUSES it does not start, as where the sandbox denies what the driver needs.
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

unsigned char memory[std::size_t{1} << 21];

}  // namespace

extern "C" {

int cuInit(unsigned) {
#ifdef FAKE_CUDA_REFUSES
  return 304;
#else
  return 0;
#endif
}
int cuGetErrorName(int error, const char** name) {
  *name = error == 304 ? "CUDA_ERROR_OPERATING_SYSTEM" : nullptr;
  return 0;
}
int cuDeviceGet(int* device, int number) {
  *device = number;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = memory;
  return 0;
}
int cuCtxSetCurrent(void*) { return 0; }
int cuMemAlloc_v2(unsigned long long* address, std::size_t bytes) {
  *address = reinterpret_cast<unsigned long long>(memory);
  return bytes <= sizeof memory ? 0 : 2;
}
int cuMemsetD8_v2(unsigned long long address, unsigned char value, std::size_t bytes) {
  std::memset(reinterpret_cast<void*>(address), value, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}

}  // extern "C"
