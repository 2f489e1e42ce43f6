/// Several emulated devices, each with memory and variables of its own: OPGRADE_EMULATION_DEVICES
/// of them, one if it is not set. Kernels run one after another, whichever their device is.
#pragma once

#include <mutex>

#include "opgrade_emulation/types.hpp"

namespace opgrade_emulation {

inline constexpr int kMostDevices = 8;

int device_count();
/// Of this host thread's calls: cudaSetDevice chooses it.
int current_device();
/// That of the kernel that this thread runs, else current_device().
int running_device();
/// Whether kernels of `device` may use memory of `other`: it is the same, or the program has
/// enabled peer access.
bool may_access(int device, int other);
/// Forgets peer access that `device` was given.
void forget_peers(int device);

/// The device of a stream; the current one of the default streams.
int device_of(cudaStream_t stream);

/// While one lives, no kernel runs and the runtime may touch memory of all devices. `device` is
/// whose variables are in place. Does nothing where there is one device.
class HostTurn {
 public:
  explicit HostTurn(int device = current_device());

 private:
  std::unique_lock<std::mutex> lock_;
};

/// While one lives, a kernel of `device` may run: its variables are in place, and an access to
/// memory of a device that it may not use faults. Does nothing where there is one device.
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
