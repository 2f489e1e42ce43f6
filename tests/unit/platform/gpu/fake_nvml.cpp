// Stands in for the driver's libnvidia-ml.so.1: the functions that opgrade uses, for two devices.
// With FAKE_NVML_OLD defined it lacks what an old driver lacks: the list of devices needs
// nvmlDeviceGetUUID and the samples need nvmlDeviceGetCurrentClocksThrottleReasons.
#include "tests/unit/platform/gpu/fake_nvml.hpp"

#include <cstdio>
#include <cstring>

namespace {

constexpr int kInvalidArgument = 2, kNotFound = 6;  // NVML_ERROR_*
const char* const kUuids[] = {"GPU-11111111-aa", "GPU-22222222-bb"};
const char* const kNames[] = {"Fake A", "Fake B"};
constexpr int kSmClock = 1;  // NVML_CLOCK_SM

/// nvmlProcessInfo_t of nvml.h.
struct ProcessInfo {
  unsigned pid;
  unsigned long long memory;
  unsigned instance, compute_instance;
};

int at(void* device) { return device == kUuids + 1 ? 1 : 0; }

int answer(char* text, unsigned size, const char* value) {
  return std::snprintf(text, size, "%s", value) < static_cast<int>(size) ? 0 : kInvalidArgument;
}

}  // namespace

extern "C" {

opgrade::test::FakeNvml fake_nvml;

int nvmlInit_v2() {
  ++fake_nvml.started;
  return fake_nvml.init_result;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = fake_nvml.devices;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index >= 2) return kInvalidArgument;
  *device = const_cast<const char**>(kUuids + index);
  return 0;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  for (auto& known : kUuids) {
    if (std::strcmp(uuid, known) != 0) continue;
    *device = const_cast<const char**>(&known);
    return 0;
  }
  return kNotFound;
}

int nvmlDeviceGetName(void* device, char* text, unsigned size) {
  return answer(text, size, kNames[at(device)]);
}

int nvmlDeviceGetMaxClockInfo(void*, int type, unsigned* mhz) {
  *mhz = fake_nvml.highest_clock;
  return type == kSmClock ? 0 : kInvalidArgument;
}

int nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
  *mhz = fake_nvml.clock;
  return type == kSmClock ? 0 : kInvalidArgument;
}

int nvmlDeviceGetTemperature(void*, int sensor, unsigned* degrees) {
  *degrees = fake_nvml.temperature;
  return sensor == 0 ? 0 : kInvalidArgument;
}

#ifndef FAKE_NVML_OLD
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  *major = fake_nvml.capabilities[at(device)] / 10;
  *minor = fake_nvml.capabilities[at(device)] % 10;
  return 0;
}

int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  return answer(text, size, kUuids[at(device)]);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  *bits = fake_nvml.reasons;
  return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, ProcessInfo* all) {
  if (*count < 2) return kInvalidArgument;
  *count = 0;
  for (const unsigned pid : fake_nvml.processes)
    if (pid != 0) all[(*count)++].pid = pid;
  return 0;
}
#endif
}
