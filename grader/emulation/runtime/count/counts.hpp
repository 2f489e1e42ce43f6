/// What the threads of a launch did, counted as a GPU's warps would execute it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>

/// The submission's first byte in memory; the linker defines it.
extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));

namespace opgrade_emulation {

/// An instruction's distance from the submission's first byte, which is the same in every process.
inline std::uint64_t place_in_code(const void* site) {
  return reinterpret_cast<std::uintptr_t>(site) - reinterpret_cast<std::uintptr_t>(__ehdr_start);
}

enum class Space : unsigned char { global, shared, constant };
enum class Use : unsigned char { load, store, atomic };

/// One instruction of the source, in a word: the return address of its hook, with space and use in
/// the upper bits.
class AccessSite {
 public:
  AccessSite(const void* site, Space space, Use use)
      : word_(reinterpret_cast<std::uintptr_t>(site) | std::uint64_t(space) << 62 |
              std::uint64_t(use) << 60) {}
  const void* site() const { return reinterpret_cast<const void*>(word_ << 4 >> 4); }
  Space space() const { return static_cast<Space>(word_ >> 62); }
  Use use() const { return static_cast<Use>(word_ >> 60 & 3); }
  std::uint64_t word() const { return word_; }
  auto operator<=>(const AccessSite&) const = default;

 private:
  std::uint64_t word_;
};

struct AccessCounts {
  std::uint64_t requests = 0;          ///< instructions of warps
  std::uint64_t lanes = 0;             ///< active lanes of the requests
  std::uint64_t bytes = 0;             ///< of all lanes
  std::uint64_t sectors = 0;           ///< sectors of 32 bytes, for global memory
  std::uint64_t least_sectors = 0;     ///< sectors if the same bytes had no gaps
  std::uint64_t wavefronts = 0;        ///< passes: shared memory's banks, distinct constants
  std::uint64_t least_wavefronts = 0;  ///< passes without conflicts
  std::uint64_t crowd = 0;             ///< lanes at the busiest address of each request, summed
  std::uint64_t exchanged = 0;         ///< loaded words of shared memory that another thread wrote
  std::uintptr_t array = 0;  ///< for global memory: the allocation that the last request used

  void add(const AccessCounts& more) {
    requests += more.requests;
    lanes += more.lanes;
    bytes += more.bytes;
    sectors += more.sectors;
    least_sectors += more.least_sectors;
    wavefronts += more.wavefronts;
    least_wavefronts += more.least_wavefronts;
    crowd += more.crowd;
    exchanged += more.exchanged;
    array = more.array;
  }
};

/// Loads of one allocation, in elements of four bytes.
struct ArrayCounts {
  std::uint64_t bytes = 0;      ///< of the allocation
  std::uint64_t loads = 0;      ///< by threads
  std::uint64_t of_blocks = 0;  ///< different elements that a block loads, summed over blocks
  std::uint64_t of_grids = 0;   ///< different elements that a launch loads, summed over launches
};

struct LaunchCounts {
  static constexpr int kArithmetic = 4;  ///< add, multiply, fused, divide
  std::map<AccessSite, AccessCounts> sites;
  std::map<std::uintptr_t, ArrayCounts> arrays;
  std::uint64_t arithmetic[2][kArithmetic] = {};         ///< by threads: float, double
  std::uint64_t barriers = 0;                            ///< by blocks
  std::uint64_t shuffles = 0, votes = 0, fragments = 0;  ///< by warps
  std::uint64_t threads = 0, idle = 0;  ///< idle: without any access to global or shared memory
  std::uint64_t exchanged = 0;  ///< words of shared memory that a thread loads and another wrote
  std::uint64_t moved = 0, moved_words = 0;  ///< Reuse::moved
  std::uint64_t same_address = 0;  ///< the most atomic operations on one address of global memory
};

}  // namespace opgrade_emulation
