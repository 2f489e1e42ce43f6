#include "grader/emulation/runtime/fault.hpp"
#include "grader/emulation/runtime/hooks.hpp"
#include "grader/emulation/runtime/variation.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {
namespace {

template <class Fold>
unsigned long long fold(Fiber* const* lanes, unsigned mask, Fold combine) {
  unsigned long long sum = 0;
  bool first = true;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const unsigned long long value = lanes[__builtin_ctz(rest)]->value;
    sum = first ? value : combine(sum, value);
    first = false;
  }
  return sum;
}

unsigned long long common_result(WarpOperation operation, Fiber* const* lanes, unsigned mask) {
  using U = unsigned long long;
  switch (operation) {
    case WarpOperation::add:
      return fold(lanes, mask, [](U a, U b) { return a + b; });
    case WarpOperation::minimum:
      return fold(lanes, mask, [](U a, U b) { return a < b ? a : b; });
    case WarpOperation::maximum:
      return fold(lanes, mask, [](U a, U b) { return a > b ? a : b; });
    case WarpOperation::minimum_signed:
      return fold(lanes, mask, [](U a, U b) { return (long long)a < (long long)b ? a : b; });
    case WarpOperation::maximum_signed:
      return fold(lanes, mask, [](U a, U b) { return (long long)a > (long long)b ? a : b; });
    case WarpOperation::bit_and:
      return fold(lanes, mask, [](U a, U b) { return a & b; });
    case WarpOperation::bit_or:
      return fold(lanes, mask, [](U a, U b) { return a | b; });
    case WarpOperation::bit_xor:
      return fold(lanes, mask, [](U a, U b) { return a ^ b; });
    case WarpOperation::ballot: {
      unsigned bits = 0;
      for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        if (lanes[lane]->value != 0) bits |= 1u << lane;
      }
      return bits;
    }
    case WarpOperation::match_all: {
      const unsigned long long first = lanes[__builtin_ctz(mask)]->value;
      for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
        if (lanes[__builtin_ctz(rest)]->value != first) return 0;
      }
      return mask;
    }
    default:
      return mask;
  }
}

unsigned equal_lanes(Fiber* const* lanes, unsigned mask, unsigned long long value) {
  unsigned equal = 0;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if (lanes[lane]->value == value) equal |= 1u << lane;
  }
  return equal;
}

}  // namespace

unsigned long long Worker::exchange(WarpOperation operation, unsigned mask,
                                    unsigned long long value, int lane, const void* site) {
  keep_order_no_longer();
  Fiber& self = *current_;
  const unsigned number = self.thread / 32;
  Warp& warp = warps_[number];
  waiting_[self.thread] = Waiting::warp;
  self.operation = operation;
  self.mask = mask;
  self.value = value;
  self.lane = lane;
  self.site = site;
  const unsigned own = 1u << (self.thread % 32);
  if (operation != WarpOperation::active && (mask & own) == 0 && check != nullptr)
    check->warp_diverged(self);
  self.mask |= own;
  fiber_of_[self.thread] = &self;
  warp.waiting |= 1u << (self.thread % 32);
  const unsigned lanes = self.mask & warp.exists & ~warp.done;
  if (operation != WarpOperation::active && warp_complete(self, lanes)) {
    perform(number, lanes, operation, true);
  } else {
    suspend();
  }
  return self.value;
}

void Worker::collective(void (*perform)(void** lanes), void* mine, const void* site) {
  collective_ = perform;
  exchange(WarpOperation::collective, ~0u, reinterpret_cast<unsigned long long>(mine), 0, site);
}

/// True if all `lanes` wait in the same operation as the fiber.
bool Worker::warp_complete(const Fiber& fiber, unsigned lanes) const {
  const unsigned number = fiber.thread / 32;
  if ((warps_[number].waiting & lanes) != lanes) return false;
  for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
    const Fiber& other = *fiber_of_[number * 32 + static_cast<unsigned>(__builtin_ctz(rest))];
    if (other.operation != fiber.operation) return false;
    if (other.mask != fiber.mask &&
        (other.mask & warps_[number].exists & ~warps_[number].done) != lanes)
      return false;
  }
  return true;
}

/// Performs the operations of a warp that have all their lanes. Returns false if there is none.
bool Worker::perform_complete(unsigned number) {
  Warp& warp = warps_[number];
  bool performed = false;
  for (unsigned rest = warp.waiting; rest != 0;) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    const Fiber& fiber = *fiber_of_[number * 32 + lane];
    const unsigned lanes = fiber.mask & warp.exists & ~warp.done;
    rest &= ~(1u << lane);
    if (fiber.operation == WarpOperation::active || !warp_complete(fiber, lanes)) continue;
    perform(number, lanes, fiber.operation, false);
    performed = true;
    rest &= ~lanes;
  }
  return performed;
}

void Worker::perform(unsigned number, unsigned lanes, WarpOperation operation, bool self_goes_on) {
  if (check != nullptr) check->warp_operation(operation);
  Warp& warp = warps_[number];
  Fiber** fibers = fiber_of_ + number * 32;
  unsigned long long results[32] = {};
  if (operation == WarpOperation::collective) {
    void* pointers[32] = {};
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      pointers[lane] = reinterpret_cast<void*>(fibers[lane]->value);
    }
    collective_(pointers);
  } else if (operation == WarpOperation::shuffle) {
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      const unsigned from = static_cast<unsigned>(fibers[lane]->lane) & 31u;
      const bool there = (lanes >> from & 1u) != 0;
      if (!there && check != nullptr) check->warp_diverged(*fibers[lane]);
      results[lane] = there ? fibers[from]->value : 0;  // CUDA leaves it undefined
    }
  } else if (operation == WarpOperation::match_any) {
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      results[lane] = equal_lanes(fibers, lanes, fibers[lane]->value);
    }
  } else {
    const unsigned long long result = common_result(operation, fibers, lanes);
    for (unsigned long long& r : results) r = result;
  }
  for (unsigned rest = lanes; rest != 0;) {
    const int lane = variation().reversed ? 31 - __builtin_clz(rest) : __builtin_ctz(rest);
    rest &= ~(1u << lane);
    Fiber* fiber = fibers[lane];
    fiber->value = results[lane];
    waiting_[fiber->thread] = Waiting::no;
    if (!self_goes_on || fiber != current_) make_ready(fiber);
  }
  warp.waiting &= ~lanes;
  if (operation == WarpOperation::barrier && check != nullptr)
    check->warp_synchronized(*this, number);
}

/// Called if no thread can run. Either lanes ask for the active mask, or a warp operation names
/// lanes that never arrive. Hardware would not stop for missing lanes, so the present ones
/// continue. A lane that asks for the mask is not missing: another operation that names it waits
/// until it has the mask.
void Worker::resolve_standstill() {
  for (unsigned w = 0; w * 32 < launch_->threads; ++w) {
    Warp& warp = warps_[w];
    if (warp.waiting == 0) continue;
    if (perform_complete(w)) return;
    unsigned asking = 0, named = 0;  // lanes
    for (unsigned rest = warp.waiting; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      const Fiber& fiber = *fiber_of_[w * 32 + static_cast<unsigned>(lane)];
      if (fiber.operation == WarpOperation::active)
        asking |= 1u << lane;
      else
        named |= fiber.mask;
    }
    // Lanes that ask for the active mask come last, because others may still join them, unless
    // these wait for them.
    const unsigned first = (asking & named) != 0    ? asking & named
                           : warp.waiting != asking ? warp.waiting & ~asking
                                                    : asking;
    Fiber* const leader = fiber_of_[w * 32 + static_cast<unsigned>(__builtin_ctz(first))];
    unsigned group = 0;
    for (unsigned rest = warp.waiting; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      const Fiber* fiber = fiber_of_[w * 32 + static_cast<unsigned>(lane)];
      const bool same = fiber->operation == leader->operation && fiber->mask == leader->mask;
      const bool together =
          leader->operation == WarpOperation::active ? fiber->site == leader->site : same;
      if (fiber->operation == leader->operation && together) group |= 1u << lane;
    }
    if (leader->operation != WarpOperation::active && check != nullptr)
      check->warp_diverged(*leader);
    perform(w, group, leader->operation, false);
    return;
  }
  if (at_grid_ > 0)
    stop_kernel("barrier_divergence",
                "Some threads of the block wait at this grid.sync() and others at a "
                "__syncthreads(); a GPU waits forever.",
                cudaErrorLaunchTimeout, grid_site_);
  abandon_kernel();  // cannot happen: a barrier is released when the last thread reaches it or ends
}

}  // namespace opgrade_emulation

using namespace opgrade_emulation;

void __syncthreads() {
  if (current_worker != nullptr) current_worker->barrier(0, __builtin_return_address(0));
}

void __syncwarp(unsigned mask) {
  if (current_worker != nullptr)
    current_worker->exchange(WarpOperation::barrier, mask, 0, 0, __builtin_return_address(0));
}

unsigned __activemask() {
  if (current_worker == nullptr) return 1;
  return static_cast<unsigned>(
      current_worker->exchange(WarpOperation::active, 0, 0, 0, __builtin_return_address(0)));
}

namespace opgrade_emulation {

int vote_in_block(Vote vote, int predicate) {
  if (current_worker == nullptr) return predicate;
  current_worker->barrier(predicate, __builtin_return_address(0));
  return current_worker->vote(vote);
}

unsigned long long exchange(WarpOperation operation, unsigned mask, unsigned long long value,
                            int lane) {
  if (current_worker == nullptr) return value;
  return current_worker->exchange(operation, mask, value, lane, __builtin_return_address(0));
}

void warp_collective(void (*perform)(void** lanes), void* mine) {
  if (current_worker != nullptr)
    current_worker->collective(perform, mine, __builtin_return_address(0));
}

unsigned lane_id() { return current_worker == nullptr ? 0 : current_worker->thread_number() % 32; }

}  // namespace opgrade_emulation
