// Stands in for CUDA's cooperative_groups.h.
#pragma once
#pragma GCC system_header

#include "cuda_runtime.h"
#include "opgrade_emulation/async_copy.hpp"
#include "opgrade_emulation/synchronize.hpp"

namespace opgrade_emulation {
void synchronize_grid();
}

namespace cooperative_groups {

using opgrade_emulation::WarpOperation;

#define OPGRADE_FUNCTION(name, result)              \
  template <class T>                                \
  struct name {                                     \
    T operator()(T a, T b) const { return result; } \
  };
OPGRADE_FUNCTION(plus, a + b)
OPGRADE_FUNCTION(less, b < a ? b : a)
OPGRADE_FUNCTION(greater, a < b ? b : a)
OPGRADE_FUNCTION(bit_and, a& b)
OPGRADE_FUNCTION(bit_or, a | b)
OPGRADE_FUNCTION(bit_xor, a ^ b)
#undef OPGRADE_FUNCTION

/// All threads of the block.
class thread_block {
 public:
  __attribute__((always_inline)) inline void sync() const { __syncthreads(); }
  static unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
  /// Does nothing. A thread that has arrived meets the others only when it waits.
  struct arrival_token {};
  arrival_token barrier_arrive() const { return {}; }
  __attribute__((always_inline)) inline void barrier_wait(arrival_token&&) const { sync(); }
};
inline thread_block this_thread_block() { return {}; }

template <unsigned kThreads = 1024>
struct block_tile_memory {};
template <unsigned kThreads>
inline thread_block this_thread_block(block_tile_memory<kThreads>&) {
  return {};
}

/// Some lanes of one warp; rank and size count within them.
class coalesced_group {
 public:
  explicit coalesced_group(unsigned mask) : mask_(mask) {}
  __attribute__((always_inline)) inline void sync() const { __syncwarp(mask_); }
  unsigned num_threads() const { return (unsigned)__builtin_popcount(mask_); }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const {
    return (unsigned)__builtin_popcount(mask_ & ((1u << opgrade_emulation::lane_id()) - 1));
  }
  template <class T>
  T shfl(T value, int rank) const {
    return opgrade_emulation::shuffle(mask_, value, lane_of(rank % (int)size()));
  }
  template <class T>
  T shfl_up(T value, unsigned delta) const {
    const int rank = (int)thread_rank() - (int)delta;
    return opgrade_emulation::shuffle(mask_, value, lane_of(rank < 0 ? (int)thread_rank() : rank));
  }
  template <class T>
  T shfl_down(T value, unsigned delta) const {
    const int rank = (int)(thread_rank() + delta);
    return opgrade_emulation::shuffle(mask_, value,
                                      lane_of(rank >= (int)size() ? (int)thread_rank() : rank));
  }
  int any(int p) const { return __any_sync(mask_, p); }
  int all(int p) const { return ballot(p) == (size() == 32 ? ~0u : (1u << size()) - 1); }
  unsigned ballot(int p) const { return pack(__ballot_sync(mask_, p)); }
  template <class T>
  unsigned match_any(T v) const {
    return pack(__match_any_sync(mask_, v));
  }
  template <class T>
  unsigned match_all(T v, int& predicate) const {
    return pack(__match_all_sync(mask_, v, &predicate));
  }
  unsigned opgrade_mask() const { return mask_; }

 protected:
  int lane_of(int rank) const {
    unsigned rest = mask_;
    while (rank-- > 0) rest &= rest - 1;
    return rest == 0 ? 0 : __builtin_ctz(rest);
  }
  unsigned pack(unsigned bits) const {
    unsigned out = 0, at = 0;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, ++at)
      out |= (bits >> __builtin_ctz(rest) & 1u) << at;
    return out;
  }
  unsigned mask_;
};
inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/// `kSize` neighbouring lanes, a power of two. Tiles of several warps are not emulated.
template <unsigned kSize, class Parent = void>
class thread_block_tile : public coalesced_group {
  static_assert(kSize != 0 && (kSize & (kSize - 1)) == 0 && kSize <= 512,
                "a tile has 1, 2, 4, ... or 512 threads");

 public:
  __attribute__((always_inline)) inline thread_block_tile()
      : coalesced_group((kSize >= 32 ? ~0u : ((1u << (kSize & 31)) - 1))
                        << (opgrade_emulation::lane_id() / kSize * kSize)) {
    if constexpr (kSize > 32) opgrade_emulation::not_emulated("tiles of several warps");
  }
  template <class P>
  thread_block_tile(const thread_block_tile<kSize, P>&) : thread_block_tile() {}
  static constexpr unsigned num_threads() { return kSize; }
  static constexpr unsigned size() { return kSize; }
  static unsigned thread_rank() { return opgrade_emulation::lane_id() % kSize; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / kSize; }
  static unsigned meta_group_size() { return (thread_block::size() + kSize - 1) / kSize; }
  template <class T>
  T shfl(T value, int rank) const {
    return opgrade_emulation::shuffle_index(mask_, value, rank, (int)kSize);
  }
  template <class T>
  T shfl_up(T value, unsigned d) const {
    return opgrade_emulation::shuffle_up(mask_, value, d, (int)kSize);
  }
  template <class T>
  T shfl_down(T value, unsigned d) const {
    return opgrade_emulation::shuffle_down(mask_, value, d, (int)kSize);
  }
  template <class T>
  T shfl_xor(T value, unsigned b) const {
    return opgrade_emulation::shuffle_xor(mask_, value, (int)b, (int)kSize);
  }
};

/// Any of the groups above, if the size is known only at run time.
class thread_group {
 public:
  thread_group(const thread_block&) : size_(0) {}
  thread_group(const coalesced_group& g) : size_(g.size()), mask_(g.opgrade_mask()) {}
  void sync() const { size_ == 0 ? __syncthreads() : __syncwarp(mask_); }
  unsigned size() const { return size_ == 0 ? thread_block::size() : size_; }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const {
    return size_ == 0 ? thread_block::thread_rank() : coalesced_group(mask_).thread_rank();
  }

 private:
  unsigned size_;
  unsigned mask_ = ~0u;
};

template <unsigned kSize, class Parent>
inline thread_block_tile<kSize, Parent> tiled_partition(const Parent&) {
  return {};
}
inline thread_group tiled_partition(const thread_group&, unsigned size) {
  const unsigned first = opgrade_emulation::lane_id() / size * size;
  return coalesced_group((size >= 32 ? ~0u : (1u << size) - 1) << first);
}
inline coalesced_group binary_partition(const coalesced_group& g, bool predicate) {
  const unsigned yes = __ballot_sync(g.opgrade_mask(), predicate);
  return coalesced_group(predicate ? yes : g.opgrade_mask() & ~yes);
}
template <class Label>
inline coalesced_group labeled_partition(const coalesced_group& g, Label label) {
  return coalesced_group(__match_any_sync(g.opgrade_mask(), label));
}

/// All threads of the launch. Only a cooperative launch can synchronise several blocks.
class grid_group {
 public:
  __attribute__((always_inline)) inline void sync() const { opgrade_emulation::synchronize_grid(); }
  bool is_valid() const { return true; }
  static unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x *
                            (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  static unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  static unsigned long long size() { return num_blocks() * thread_block::size(); }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static dim3 block_index() { return blockIdx; }
  static dim3 group_dim() { return gridDim; }
  static dim3 dim_blocks() { return gridDim; }
};
inline grid_group this_grid() { return {}; }

template <class G>
__attribute__((always_inline)) inline void sync(const G& g) {
  g.sync();
}

template <class G, class T, class F>
inline T reduce(const G& g, T value, F combine) {
  for (unsigned step = 1; step < g.size(); step *= 2) {
    const T other = g.shfl(value, (int)(g.thread_rank() + step));
    const bool there = g.thread_rank() % (2 * step) == 0 && g.thread_rank() + step < g.size();
    if (there) value = combine(value, other);
  }
  return g.shfl(value, 0);
}
template <class G, class T, class F>
inline T inclusive_scan(const G& g, T value, F combine) {
  for (unsigned step = 1; step < g.size(); step *= 2) {
    const T other = g.shfl_up(value, step);
    if (g.thread_rank() >= step) value = combine(other, value);
  }
  return value;
}
template <class G, class T>
inline T inclusive_scan(const G& g, T value) {
  return inclusive_scan(g, value, plus<T>());
}
template <class G, class T, class F>
inline T exclusive_scan(const G& g, T value, F combine) {
  const T all = inclusive_scan(g, value, combine);
  const T before = g.shfl_up(all, 1);
  return g.thread_rank() == 0 ? T() : before;
}
template <class G, class T>
inline T exclusive_scan(const G& g, T value) {
  return exclusive_scan(g, value, plus<T>());
}

template <class G, class F, class... A>
inline void invoke_one(const G& g, F&& f, A&&... arguments) {
  if (g.thread_rank() == 0) f(arguments...);
}
template <class G, class F, class... A>
inline auto invoke_one_broadcast(const G& g, F&& f, A&&... arguments) -> decltype(f(arguments...)) {
  decltype(f(arguments...)) result{};
  if (g.thread_rank() == 0) result = f(arguments...);
  return g.shfl(result, 0);
}

/// The group's threads share the copy; after wait() each thread may read all of it.
template <class G, class T, class U>
inline void memcpy_async(const G& g, T* to, const U* from, size_t bytes) {
  const size_t words = bytes / sizeof(T);
  for (size_t i = g.thread_rank(); i < words; i += g.size()) {
    if (__builtin_expect(opgrade_emulation::copies_are_late(), false))
      opgrade_emulation::copy_late(to + i, from + i, sizeof(T), sizeof(T));
    else
      to[i] = from[i];
  }
}
template <class G>
__attribute__((always_inline)) inline void wait(const G& g) {
  opgrade_emulation::await_all_copies();
  g.sync();
}
/// Waits for all of the thread's copies, including the last `kStages`.
template <unsigned kStages, class G>
__attribute__((always_inline)) inline void wait_prior(const G& g) {
  opgrade_emulation::await_all_copies();
  g.sync();
}

}  // namespace cooperative_groups
