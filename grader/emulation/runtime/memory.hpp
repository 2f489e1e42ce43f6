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
  std::size_t bytes = 0;  ///< as asked for
  MemoryKind kind = MemoryKind::device;
  const void* site = nullptr;
  const void* freed_at = nullptr;
  bool freed = false;
  std::uint64_t launches_before = 0;  ///< see launches_so_far()
  int device = 0;                     ///< current when it was made
};

/// The range every device address lies in; the same for the whole life of the process.
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

/// For every byte of device memory the checks keep a quarter of a word and of a site, and a word.
inline constexpr std::size_t kBesideEachByte = 11;

/// The allocation, living or freed, that holds the address or lies next before or behind it.
bool find_allocation(const void* address, Allocation& out);
/// A phrase that describes an address, for messages; also sets the matching kind of finding.
std::string describe_address(const void* address, const char*& kind, std::size_t element = 4);

/// A sentence on a kernel of `device` that uses another one's memory; empty if the address is none.
std::string describe_other_device(const void* address, int device);

/// cudaSuccess if [address, address + bytes) lies within one allocation that device code may use.
bool device_accessible(const void* address, std::size_t bytes);

/// Host memory that cudaHostRegister has pinned.
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
/// Null where the heap has no room left.
void* heap_take(std::size_t bytes, const void* site);
/// False for what did not come from it.
bool heap_give_back(void* pointer, const void* site);

/// The pointer that `function` got cannot be freed.
void report_bad_free(const void* pointer, const char* function, const void* site);

/// The host gets a copy of memory whose first byte that nothing wrote is number `unwritten`. The
/// launch before is the place to look at, since the copy itself may well be right.
void report_unwritten_copy(const void* from, std::size_t unwritten, std::size_t bytes,
                           const void* site);

/// Reports what was never freed.
void report_leaks();

}  // namespace opgrade_emulation
