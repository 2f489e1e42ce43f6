/// Memory of the emulated device: one reserved range of addresses that is cut into allocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "opgrade_emulation/api.hpp"
#include "opgrade_emulation/kernel.hpp"

namespace opgrade_emulation {

struct Allocation {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;  ///< size that was requested
  MemoryKind kind = MemoryKind::device;
  const void* site = nullptr;
  const void* freed_at = nullptr;
  bool freed = false;
  std::uint64_t launches_before = 0;  ///< see launches_so_far()
  int device = 0;                     ///< current when it was made
};

/// The range of every device address; it never changes during the process.
struct DeviceRange {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::uintptr_t shared_end = 0;  ///< the first part is the blocks' shared memory
  char* beside = nullptr;         ///< closed room of kBesideEachByte times the size, for the checks
  bool contains(const void* p) const { return reinterpret_cast<std::uintptr_t>(p) - begin < bytes; }
};
const DeviceRange& device_range();

char* reserve_shared_memory(std::size_t bytes);
bool is_shared_memory(const void* address);

/// For every byte of device memory the checks need a quarter of a word and of a site, and a word.
inline constexpr std::size_t kBesideEachByte = 11;

/// Finds the allocation, living or freed, that contains the address or is nearest to it.
bool find_allocation(const void* address, Allocation& out);
/// A phrase that describes an address, for messages; also sets the matching kind of finding.
std::string describe_address(const void* address, const char*& kind, std::size_t element = 4);

/// A sentence about a kernel of `device` that uses another device's memory; empty if the address
/// belongs to no other device.
std::string describe_other_device(const void* address, int device);

/// cudaSuccess if [address, address + bytes) lies within one allocation that device code may use.
bool device_accessible(const void* address, std::size_t bytes);

/// True for host memory that cudaHostRegister has pinned.
bool is_registered(const void* address);

/// Calls `use` for every living allocation.
void each_allocation(const std::function<void(const Allocation&)>& use);

/// Frees all memory of a device, as cudaDeviceReset does.
void free_everything(int device);

/// Until open_memory_of(), an access to memory that belongs to the device alone faults.
void close_memory_of(int device);
void open_memory_of(int device);

/// The heap of kernels' malloc and new: 8 MiB unless a limit is set before its first use.
std::size_t heap_size();
cudaError_t set_heap_size(std::size_t bytes);
/// Returns null if the heap has no room left.
void* heap_take(std::size_t bytes, const void* site);
/// Returns false if the pointer is not from the heap.
bool heap_give_back(void* pointer, const void* site);

/// Reports that `function` got a pointer that cannot be freed.
void report_bad_free(const void* pointer, const char* function, const void* site);

/// Reports a copy to the host of memory whose first unwritten byte is number `unwritten`. The
/// finding names the previous launch, because the copy itself may well be right.
void report_unwritten_copy(const void* from, std::size_t unwritten, std::size_t bytes,
                           const void* site);

/// Reports memory that was never freed.
void report_leaks();

}  // namespace opgrade_emulation
