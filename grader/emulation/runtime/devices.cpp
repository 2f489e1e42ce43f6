#include "grader/emulation/runtime/devices.hpp"

#include <strings.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "grader/emulation/runtime/graphs.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/state.hpp"
#include "grader/emulation/runtime/symbols.hpp"
#include "grader/emulation/runtime/worker.hpp"
#include "opgrade_emulation/api.hpp"

using namespace opgrade_emulation;

namespace opgrade_emulation {
namespace {

thread_local int chosen = 0;

/// [device][other]
std::array<std::array<std::atomic<bool>, kMostDevices>, kMostDevices> peers{};

std::mutex& one_turn() {
  static auto* const mutex = new std::mutex;  // outlives every static destructor of the submission
  return *mutex;
}

}  // namespace

int device_count() {
  static const int count = [] {
    const char* const text = std::getenv("OPGRADE_EMULATION_DEVICES");
    const long wanted = text != nullptr ? std::strtol(text, nullptr, 10) : 1;
    return wanted < 1 ? 1 : wanted > kMostDevices ? kMostDevices : static_cast<int>(wanted);
  }();
  return count;
}

int current_device() { return chosen; }

int running_device() {
  return current_worker != nullptr ? current_worker->launch()->device : chosen;
}

bool may_access(int device, int other) {
  return device == other ||
         peers[static_cast<std::size_t>(device)][static_cast<std::size_t>(other)];
}

void forget_peers(int device) {
  for (auto& peer : peers[static_cast<std::size_t>(device)]) peer = false;
}

int device_of(cudaStream_t stream) { return is_handle(stream) ? stream->device : current_device(); }

HostTurn::HostTurn(int device) {
  if (device_count() == 1) return;
  lock_ = std::unique_lock(one_turn());
  show_variables_of(device);
}

KernelTurn::KernelTurn(int device) : turn_(device), device_(device) {
  for (int other = 0; other < device_count(); ++other)
    if (!may_access(device_, other)) close_memory_of(other);
}

KernelTurn::~KernelTurn() {
  for (int other = 0; other < device_count(); ++other)
    if (!may_access(device_, other)) open_memory_of(other);
}

}  // namespace opgrade_emulation

namespace {

bool is_device(int device) { return device >= 0 && device < device_count(); }

std::string bus_id(int device) { return "0000:0" + std::to_string(device) + ":00.0"; }

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  *count = device_count();
  return finish(cudaSuccess);
}
cudaError_t cudaGetDevice(int* device) {
  *device = running_device();
  return finish(cudaSuccess);
}
cudaError_t cudaSetDevice(int device) {
  if (!is_device(device)) return finish(cudaErrorInvalidDevice);
  chosen = device;
  return finish(cudaSuccess);
}
cudaError_t cudaDeviceReset() {
  finish_device(chosen, {__func__, __builtin_return_address(0), false});
  const HostTurn turn;
  free_everything(chosen);
  forget_peers(chosen);
  return finish(cudaSuccess);
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  if (!is_device(device)) return finish(cudaErrorInvalidDevice);
  const std::string text = bus_id(device);
  if (id == nullptr || length <= static_cast<int>(text.size()))
    return finish(cudaErrorInvalidValue);
  std::memcpy(id, text.c_str(), text.size() + 1);
  return finish(cudaSuccess);
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  if (device == nullptr || id == nullptr) return finish(cudaErrorInvalidValue);
  for (int one = 0; one < device_count(); ++one)
    if (strcasecmp(id, bus_id(one).c_str()) == 0) {
      *device = one;
      return finish(cudaSuccess);
    }
  return finish(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (can == nullptr) return finish(cudaErrorInvalidValue);
  if (!is_device(device) || !is_device(peer)) return finish(cudaErrorInvalidDevice);
  *can = device != peer;
  return finish(cudaSuccess);
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  if (!is_device(peer) || peer == chosen) return finish(cudaErrorInvalidDevice);
  if (flags != 0) return finish(cudaErrorInvalidValue);
  auto& access = peers[static_cast<std::size_t>(chosen)][static_cast<std::size_t>(peer)];
  return finish(access.exchange(true) ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  if (!is_device(peer)) return finish(cudaErrorInvalidDevice);
  auto& access = peers[static_cast<std::size_t>(chosen)][static_cast<std::size_t>(peer)];
  return finish(access.exchange(false) ? cudaSuccess : cudaErrorPeerAccessNotEnabled);
}
