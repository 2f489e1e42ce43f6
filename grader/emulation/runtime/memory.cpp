#include "grader/emulation/runtime/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include "grader/emulation/runtime/device.hpp"
#include "grader/emulation/runtime/devices.hpp"
#include "grader/emulation/runtime/fault.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/hooks.hpp"
#include "grader/emulation/runtime/late_work.hpp"
#include "grader/emulation/runtime/launch_counts.hpp"
#include "grader/emulation/runtime/state.hpp"
#include "grader/emulation/runtime/symbols.hpp"
#include "grader/emulation/runtime/variation.hpp"
#include "grader/emulation/runtime/worker.hpp"
#include "opgrade_emulation/heap.hpp"

namespace opgrade_emulation {
namespace {

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

/// Assigns addresses as CUDA's allocator does: small allocations share pieces of 2 MiB, larger ones
/// take whole pieces, and pieces are adjacent. Therefore reading a little past the end of an
/// allocation reads its neighbour, as on a GPU, or `fill`, and leaving the last piece faults. With
/// `exact`, no address is used twice and every allocation has closed room behind it.
class AddressAllocator {
 public:
  static constexpr std::size_t kPiece = 2 * 1024 * 1024;
  static constexpr std::size_t kAlignment = 512;

  void open(std::uintptr_t begin, std::uintptr_t end, bool exact, unsigned char fill) {
    begin_ = begin;
    exact_ = exact;
    fill_ = fill;
    users_.assign((end - begin) / kPiece, 0);
    free_[begin] = users_.size() * kPiece;
  }

  /// Changes the access rights of all allocated memory.
  void protect(int access) const {
    for (std::size_t piece = 0, end = 0; piece < last_; piece = end + 1) {
      for (end = piece; end < last_ && users_[end] > 0; ++end) {
      }
      if (end > piece)
        mprotect(reinterpret_cast<void*>(begin_ + piece * kPiece), (end - piece) * kPiece, access);
    }
  }

  /// Returns readable and writable memory of at least that size, full of `fill`; 0 if there is no
  /// room.
  std::uintptr_t take(std::size_t bytes) {
    const std::size_t size = exact_ ? round_up(bytes, kPiece) + kPiece : size_taken(bytes);
    const std::size_t alignment = size < kPiece ? kAlignment : kPiece;
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      const std::uintptr_t address = round_up(it->first, alignment);
      if (address + size > it->first + it->second) continue;
      if (!map(address, exact_ ? bytes : size)) return 0;
      std::memset(reinterpret_cast<void*>(address), fill_, exact_ ? bytes : size);
      const std::uintptr_t hole = it->first, hole_end = it->first + it->second;
      free_.erase(it);
      if (address > hole) free_[hole] = address - hole;
      if (hole_end > address + size) free_[address + size] = hole_end - address - size;
      return address;
    }
    return 0;
  }

  void give_back(std::uintptr_t address, std::size_t bytes) {
    if (exact_) return unmap(address, bytes);  // never used again
    const std::size_t size = size_taken(bytes);
    unmap(address, size);
    auto at = free_.emplace(address, size).first;
    const auto next = std::next(at);
    if (next != free_.end() && at->first + at->second == next->first) {
      at->second += next->second;
      free_.erase(next);
    }
    if (at == free_.begin()) return;
    const auto before = std::prev(at);
    if (before->first + before->second != at->first) return;
    before->second += at->second;
    free_.erase(at);
  }

 private:
  static std::size_t size_taken(std::size_t bytes) {
    return bytes <= kPiece / 2 ? round_up(bytes, kAlignment) : round_up(bytes, kPiece);
  }

  bool map(std::uintptr_t begin, std::size_t bytes) {
    const std::size_t last = (begin + bytes - 1 - begin_) / kPiece;
    last_ = std::max(last_, last + 1);
    for (std::size_t piece = (begin - begin_) / kPiece; piece <= last; ++piece) {
      void* address = reinterpret_cast<void*>(begin_ + piece * kPiece);
      if (users_[piece]++ > 0) continue;
      if (mprotect(address, kPiece, PROT_READ | PROT_WRITE) != 0) return false;
      // Fills the room around a small allocation, too. A large one takes whole pieces.
      if (bytes < kPiece && !exact_) std::memset(address, fill_, kPiece);
    }
    return true;
  }

  void unmap(std::uintptr_t begin, std::size_t bytes) {
    const std::size_t last = (begin + bytes - 1 - begin_) / kPiece;
    for (std::size_t piece = (begin - begin_) / kPiece; piece <= last; ++piece) {
      if (--users_[piece] > 0) continue;
      mmap(reinterpret_cast<void*>(begin_ + piece * kPiece), kPiece, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    }
  }

  std::uintptr_t begin_ = 0;
  bool exact_ = false;
  unsigned char fill_ = 0;
  std::map<std::uintptr_t, std::size_t> free_;  // address -> bytes, neighbours merged
  std::vector<std::uint32_t> users_;            // number of allocations in each piece
  std::size_t last_ = 0;                        // pieces from here on were never used
};

constexpr std::size_t kPiece = AddressAllocator::kPiece;
constexpr std::size_t kSharedTotal = std::size_t{4} * 1024 * 1024 * 1024;
constexpr std::size_t kHeapAlignment = 16;  // alignment of malloc in a kernel
constexpr std::size_t kHeapGap = 64;        // closed bytes behind each of its allocations

/// The heap of kernels' malloc and new, on one device.
struct DeviceHeap {
  std::uintptr_t begin = 0, next = 0;
  std::map<std::size_t, std::deque<std::uintptr_t>> free;  // by size, gap included
};

/// Memory in use on one device.
struct DeviceUse {
  std::size_t bytes = 0;
  std::size_t left = 0;  // bytes in use when the current call began
  DeviceHeap heap;
};

class Memory {
 public:
  static Memory& instance() {
    static Memory* memory = new Memory;  // outlives every static destructor of the submission
    return *memory;
  }

  Memory() {
    // Tries half of the size if a limit on address space forbids the whole.
    const std::size_t times = check != nullptr ? 1 + kBesideEachByte : 1;
    for (std::size_t bytes = std::size_t{1} << (check != nullptr ? 36 : 38);
         bytes >= std::size_t{1} << 30; bytes /= 2) {
      void* base = mmap(nullptr, bytes * times, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (base == MAP_FAILED) continue;
      range_.begin = round_up(reinterpret_cast<std::uintptr_t>(base), kPiece);
      range_.bytes = bytes - kPiece;
      if (check != nullptr) range_.beside = static_cast<char*>(base) + bytes;
      break;
    }
    if (range_.begin == 0) stop_process("no address space for the emulated device's memory");
    next_shared_ = range_.begin;
    const std::size_t shared = range_.bytes / 4 < kSharedTotal ? range_.bytes / 4 : kSharedTotal;
    range_.shared_end = range_.begin + shared / 2;
    // A gap comes first, so that the memory before the first allocation is not shared memory. Then
    // one part for each device, and one for memory that all may use.
    const std::size_t parts =
        device_count() == 1 ? 1 : static_cast<std::size_t>(device_count()) + 1;
    const std::size_t each = (range_.bytes - shared) / parts / kPiece * kPiece;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::uintptr_t begin = range_.begin + shared + part * each;
      parts_.emplace_back().open(begin, begin + each, variation().apart, variation().fill);
    }
    uses_.resize(static_cast<std::size_t>(device_count()));
    const char* wanted = std::getenv("OPGRADE_EMULATION_MEMORY");
    total_ = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 0;
    if (total_ == 0)
      total_ = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
               static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 4 * 3;
    total_ /= uses_.size();
  }

  cudaError_t allocate(void** out, std::size_t bytes, MemoryKind kind, const void* site) {
    const HostTurn turn;
    const std::lock_guard lock(mutex_);
    const int device = current_device();
    DeviceUse& use = use_of(device);
    const bool room = bytes <= total_ && use.bytes + bytes <= total_;
    const std::uintptr_t address = room ? part_of(kind, device).take(bytes) : 0;
    if (address == 0) {
      report_missing_room(use, bytes, site);
      return cudaErrorMemoryAllocation;
    }
    void* pointer = reinterpret_cast<void*>(address);
    freed_.erase(freed_.lower_bound(address), freed_.lower_bound(address + bytes));
    use.bytes += bytes;
    living_[address] = {.address = address,
                        .bytes = bytes,
                        .kind = kind,
                        .site = site,
                        .launches_before = launches_so_far(),
                        .device = device};
    if (check != nullptr) check->allocated(pointer, bytes, kind);
    *out = pointer;
    return cudaSuccess;
  }

  /// `device`: cudaFree, which also frees managed memory; otherwise cudaFreeHost.
  cudaError_t release(void* pointer, bool device, const void* site) {
    const HostTurn turn;
    const std::lock_guard lock(mutex_);
    const auto found = living_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == living_.end() || (found->second.kind == MemoryKind::pinned) == device ||
        found->second.kind == MemoryKind::heap)
      return cudaErrorInvalidValue;
    const Allocation& allocation = end(found, site);
    use_of(allocation.device).bytes -= allocation.bytes;
    part_of(allocation.kind, allocation.device).give_back(allocation.address, allocation.bytes);
    return cudaSuccess;
  }

  void* heap_take(std::size_t bytes, const void* site) {
    const std::lock_guard lock(mutex_);
    const int device = running_device();
    DeviceHeap& heap = use_of(device).heap;
    if (heap.begin == 0) {
      heap.begin = heap.next = part_of(MemoryKind::heap, device).take(heap_bytes_);
      if (heap.begin == 0) return nullptr;
    }
    const std::size_t size = round_up(bytes, kHeapAlignment) + kHeapGap;
    std::uintptr_t address = heap.next;
    // Uses fresh addresses first, so that a use after free is found as long as there are any.
    if (heap.next + size <= heap.begin + heap_bytes_) {
      heap.next += size;
    } else {
      const auto same_size = heap.free.find(size);
      if (same_size != heap.free.end() && !same_size->second.empty()) {
        address = same_size->second.front();
        same_size->second.pop_front();
      } else {
        address = heap_gap(heap, size);
        if (address == 0) return nullptr;
      }
    }
    freed_.erase(freed_.lower_bound(address), freed_.lower_bound(address + bytes));
    void* pointer = reinterpret_cast<void*>(address);
    std::memset(pointer, variation().fill, bytes);
    living_[address] = {.address = address,
                        .bytes = bytes,
                        .kind = MemoryKind::heap,
                        .site = site,
                        .launches_before = launches_so_far(),
                        .device = device};
    if (check != nullptr) check->allocated(pointer, bytes, MemoryKind::device);
    return pointer;
  }

  bool heap_give_back(void* pointer, const void* site) {
    const std::lock_guard lock(mutex_);
    const auto found = living_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == living_.end() || found->second.kind != MemoryKind::heap) return false;
    const Allocation& allocation = end(found, site);
    use_of(allocation.device)
        .heap.free[round_up(allocation.bytes, kHeapAlignment) + kHeapGap]
        .push_back(allocation.address);
    return true;
  }

  std::size_t heap_bytes() {
    const std::lock_guard lock(mutex_);
    return heap_bytes_;
  }

  bool set_heap_bytes(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto is_in_use = [](const DeviceUse& use) { return use.heap.begin != 0; };
    if (std::ranges::any_of(uses_, is_in_use) || bytes == 0 || bytes > total_) return false;
    heap_bytes_ = bytes;
    return true;
  }

  bool find(const void* address, Allocation& out) {
    const std::lock_guard lock(mutex_);
    const auto a = reinterpret_cast<std::uintptr_t>(address);
    const Allocation* best = nullptr;
    auto nearer = [&](const std::map<std::uintptr_t, Allocation>& from) {
      const auto above = from.upper_bound(a);
      if (above != from.begin()) {
        const Allocation& below = std::prev(above)->second;
        if (best == nullptr || below.address > best->address) best = &below;
      }
    };
    nearer(freed_);
    nearer(living_);  // last: the same address may have been freed and allocated again
    if (best == nullptr || a >= best->address + best->bytes + kPiece) {
      const auto above = living_.upper_bound(a);
      if (above == living_.end() || above->first - a > kPiece) return false;
      best = &above->second;
    }
    out = *best;
    return true;
  }

  void release_all(int device) {
    const std::lock_guard lock(mutex_);
    DeviceUse& use = use_of(device);
    for (auto it = living_.begin(); it != living_.end();) {
      const Allocation a = it->second;
      if (a.kind == MemoryKind::pinned || a.device != device) {
        ++it;
        continue;
      }
      it = living_.erase(it);
      if (check != nullptr) check->freed(reinterpret_cast<void*>(a.address), a.bytes);
      if (a.kind == MemoryKind::heap) continue;  // freed with the heap
      use.bytes -= a.bytes;
      part_of(a.kind, device).give_back(a.address, a.bytes);
    }
    if (use.heap.begin != 0)
      part_of(MemoryKind::heap, device).give_back(use.heap.begin, heap_bytes_);
    use.heap = {};
  }

  void protect(int device, int access) {
    const std::lock_guard lock(mutex_);
    part_of(MemoryKind::device, device).protect(access);
  }

  template <class F>
  void each_living(F&& f) {
    const std::lock_guard lock(mutex_);
    for (const auto& entry : living_) f(entry.second);
  }

  void call_begins() {
    const std::lock_guard lock(mutex_);
    for (DeviceUse& use : uses_) use.left = use.bytes;
  }

  void info(std::size_t* free_bytes, std::size_t* total) {
    const std::lock_guard lock(mutex_);
    *free_bytes = total_ - use_of(current_device()).bytes;
    *total = total_;
  }

  char* shared(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (next_shared_ + bytes > range_.shared_end) stop_process("too many host threads");
    char* out = reinterpret_cast<char*>(next_shared_);
    next_shared_ += bytes;
    mprotect(out, bytes, PROT_READ | PROT_WRITE);
    return out;
  }

  bool is_shared(const void* p) const {
    const auto a = reinterpret_cast<std::uintptr_t>(p);
    return a >= range_.begin && a < range_.shared_end;
  }

  const DeviceRange& range() const { return range_; }

 private:
  /// If the call by itself needs the memory, a GPU must decide the case. If earlier calls leaked
  /// it, that is a finding, because leaks grow with every call and exhaust a GPU's memory, too.
  void report_missing_room(const DeviceUse& use, std::size_t bytes, const void* site) const {
    if (bytes > device::kGlobalMemory || use.bytes + bytes > device::kGlobalMemory) return;
    const std::size_t left = std::min(use.left, use.bytes), own = use.bytes - left;
    const bool grows = own + bytes <= total_;
    report({.kind = grows ? "leak" : "not_emulated",
            .severity = grows ? "warning" : "error",
            .message = "This allocation of " + std::to_string(bytes) + " bytes has no room in " +
                       std::to_string(total_) + ": " +
                       (grows ? "earlier calls left " + std::to_string(left) + " behind."
                              : "the call holds " + std::to_string(own) +
                                    " already. It fits a GPU of 80 GiB, not this machine."),
            .site = site});
  }

  /// Marks the allocation as freed.
  const Allocation& end(std::map<std::uintptr_t, Allocation>::iterator living, const void* site) {
    Allocation& allocation = freed_[living->first] = living->second;
    living_.erase(living);
    allocation.freed = true;
    allocation.freed_at = site;
    void* const pointer = reinterpret_cast<void*>(allocation.address);
    if (check != nullptr) check->freed(pointer, allocation.bytes);
    return allocation;
  }

  /// An address between the heap's living allocations, or 0.
  std::uintptr_t heap_gap(DeviceHeap& heap, std::size_t size) {
    std::uintptr_t at = heap.begin;
    for (auto next = living_.lower_bound(heap.begin);; ++next) {
      const bool last = next == living_.end() || next->first >= heap.begin + heap_bytes_;
      const std::uintptr_t end = last ? heap.begin + heap_bytes_ : next->first;
      if (end - at >= size) {
        heap.free.clear();  // some free places overlap the new allocation
        return at;
      }
      if (last) return 0;
      at = end + round_up(next->second.bytes, kHeapAlignment) + kHeapGap;
    }
  }

  DeviceUse& use_of(int device) { return uses_[static_cast<std::size_t>(device)]; }

  /// Pinned and managed memory is in one part, because host code and every device use it.
  AddressAllocator& part_of(MemoryKind kind, int device) {
    const bool is_own = kind == MemoryKind::device || kind == MemoryKind::heap;
    return parts_.size() > 1 && is_own ? parts_[static_cast<std::size_t>(device)] : parts_.back();
  }

  std::mutex mutex_;
  DeviceRange range_;
  std::vector<AddressAllocator> parts_;
  std::vector<DeviceUse> uses_;
  std::uintptr_t next_shared_ = 0;
  std::size_t total_ = 0;  // of each device
  std::map<std::uintptr_t, Allocation> living_, freed_;
  std::size_t heap_bytes_ = 8 << 20;  // of each device
};

}  // namespace

const DeviceRange& device_range() { return Memory::instance().range(); }
char* reserve_shared_memory(std::size_t bytes) { return Memory::instance().shared(bytes); }
bool is_shared_memory(const void* address) { return Memory::instance().is_shared(address); }
bool find_allocation(const void* address, Allocation& out) {
  return Memory::instance().find(address, out);
}

bool device_accessible(const void* address, std::size_t bytes) {
  Allocation a;
  if (device_range().contains(address)) {
    if (!find_allocation(address, a) || a.freed) return false;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= a.address && at + bytes <= a.address + a.bytes;
  }
  return symbol_contains(address, bytes);
}

void each_allocation(const std::function<void(const Allocation&)>& use) {
  Memory::instance().each_living(use);
}

void free_everything(int device) { Memory::instance().release_all(device); }
void close_memory_of(int device) { Memory::instance().protect(device, PROT_NONE); }
void open_memory_of(int device) { Memory::instance().protect(device, PROT_READ | PROT_WRITE); }

std::size_t heap_size() { return Memory::instance().heap_bytes(); }
cudaError_t set_heap_size(std::size_t bytes) {
  return Memory::instance().set_heap_bytes(bytes) ? cudaSuccess : cudaErrorInvalidValue;
}
void* heap_take(std::size_t bytes, const void* site) {
  return Memory::instance().heap_take(bytes, site);
}
bool heap_give_back(void* pointer, const void* site) {
  return Memory::instance().heap_give_back(pointer, site);
}

namespace {

/// Implements free and delete of device functions.
void give_back(void* pointer, const char* function, const void* site) {
  if (pointer == nullptr || heap_give_back(pointer, site)) return;
  report_bad_free(pointer, function, site);
  set_sticky_error(cudaErrorLaunchFailure);
  current_worker->abandon_kernel();
}

}  // namespace

void* heap_malloc(std::size_t bytes) {
  if (current_worker == nullptr) return std::malloc(bytes);
  return bytes == 0 ? nullptr : heap_take(bytes, __builtin_return_address(0));
}

void heap_free(void* pointer) {
  if (current_worker == nullptr) return std::free(pointer);
  give_back(pointer, "free", __builtin_return_address(0));
}

void* heap_new(std::size_t bytes) {
  if (current_worker == nullptr) return ::operator new(bytes);
  return heap_take(bytes == 0 ? 1 : bytes, __builtin_return_address(0));
}

void heap_delete(void* pointer) {
  if (current_worker == nullptr) return ::operator delete(pointer);
  give_back(pointer, "delete", __builtin_return_address(0));
}

cudaError_t allocate(void** pointer, std::size_t bytes, MemoryKind kind) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (pointer == nullptr) return finish(cudaErrorInvalidValue);
  if (bytes == 0) {
    *pointer = nullptr;
    return finish(cudaSuccess);
  }
  return finish(Memory::instance().allocate(pointer, bytes, kind, __builtin_return_address(0)));
}

cudaError_t allocate_pitched(void** pointer, std::size_t* pitch, std::size_t width,
                             std::size_t height, std::size_t depth) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (pointer == nullptr || pitch == nullptr) return finish(cudaErrorInvalidValue);
  *pitch = round_up(width, 512);
  return finish(Memory::instance().allocate(pointer, *pitch * height * depth, MemoryKind::device,
                                            __builtin_return_address(0)));
}

}  // namespace opgrade_emulation

using namespace opgrade_emulation;

cudaError_t cudaFree(void* pointer) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (pointer == nullptr) return finish(cudaSuccess);
  finish_all({__func__, __builtin_return_address(0), false});
  const cudaError_t error = Memory::instance().release(pointer, true, __builtin_return_address(0));
  if (error != cudaSuccess) report_bad_free(pointer, "cudaFree", __builtin_return_address(0));
  return finish(error);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (pointer == nullptr) return finish(cudaSuccess);
  const void* const site = __builtin_return_address(0);
  finish_stream(stream, {__func__, site, false});
  const cudaError_t error = Memory::instance().release(pointer, true, site);
  if (error != cudaSuccess) report_bad_free(pointer, "cudaFreeAsync", site);
  return finish(error, site);
}

cudaError_t cudaFreeHost(void* pointer) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (pointer == nullptr) return finish(cudaSuccess);
  finish_all({__func__, __builtin_return_address(0), false});
  const cudaError_t error = Memory::instance().release(pointer, false, __builtin_return_address(0));
  if (error != cudaSuccess) report_bad_free(pointer, "cudaFreeHost", __builtin_return_address(0));
  return finish(error);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  if (free_bytes == nullptr || total_bytes == nullptr) return finish(cudaErrorInvalidValue);
  Memory::instance().info(free_bytes, total_bytes);
  return finish(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (attributes == nullptr) return finish(cudaErrorInvalidValue);
  *attributes = {cudaMemoryTypeUnregistered, 0, nullptr, const_cast<void*>(pointer)};
  Allocation a;
  if (device_range().contains(pointer) && find_allocation(pointer, a) && !a.freed) {
    attributes->type = a.kind == MemoryKind::device    ? cudaMemoryTypeDevice
                       : a.kind == MemoryKind::managed ? cudaMemoryTypeManaged
                                                       : cudaMemoryTypeHost;
    attributes->device = a.device;
    attributes->devicePointer = const_cast<void*>(pointer);
    if (a.kind == MemoryKind::device) attributes->hostPointer = nullptr;
  } else if (symbol_contains(pointer, 1)) {
    *attributes = {cudaMemoryTypeDevice, current_device(), const_cast<void*>(pointer), nullptr};
  }
  return finish(cudaSuccess);
}

/// For the grader's harness: what is allocated now counts as left by earlier calls.
extern "C" __attribute__((visibility("default"))) void opgrade_emulation_call_begins(void) {
  Memory::instance().call_begins();
  next_call();
}

/// For the grader's harness: fills device memory that the harness gives to a submission, and marks
/// it as unwritten for the checks.
extern "C" __attribute__((visibility("default"))) void opgrade_emulation_poison(void* address,
                                                                                std::size_t bytes) {
  const HostTurn turn;
  std::memset(address, variation().fill, bytes);
  if (check != nullptr) check->unwritten(address, bytes);
}
