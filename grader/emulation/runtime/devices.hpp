/// Several emulated devices, each with its own memory and variables. OPGRADE_EMULATION_DEVICES sets
/// their number; the default is one. Kernels run one after another, even on different devices.
#pragma once

#include <mutex>

#include "opgrade_emulation/types.hpp"

namespace opgrade_emulation {

inline constexpr int kMostDevices = 8;

int device_count();
/// The device of this host thread's calls, as chosen by cudaSetDevice.
int current_device();
/// The device of the kernel that this thread runs, else current_device().
int running_device();
/// True if kernels of `device` may use memory of `other`: they are the same device, or the program
/// has enabled peer access.
bool may_access(int device, int other);
/// Forgets peer access that `device` was given.
void forget_peers(int device);

/// The device of a stream; for a default stream the current device.
int device_of(cudaStream_t stream);

/// While a HostTurn exists, no kernel runs and the runtime may touch memory of all devices.
/// `device` is the one whose variables are in place. Does nothing if there is only one device.
class HostTurn {
 public:
  explicit HostTurn(int device = current_device());

 private:
  std::unique_lock<std::mutex> lock_;
};

/// While a KernelTurn exists, a kernel of `device` may run: its variables are in place, and an
/// access to memory of a device that it may not use faults. Does nothing if there is only one
/// device.
class KernelTurn {
 public:
  explicit KernelTurn(int device);
  ~KernelTurn();
  KernelTurn(const KernelTurn&) = delete;

 private:
  HostTurn turn_;
  int device_;
};

}  // namespace opgrade_emulation
