#include "grader/emulation/runtime/check/race_text.hpp"

#include <utility>

#include "grader/emulation/runtime/check/orderly.hpp"

namespace opgrade_emulation {

const char place_in_object = 0;

namespace {

bool in_same_line(const SourceLine& one, const SourceLine& other) {
  return one.line == other.line && one.file == other.file;
}

std::string in_line(const SourceLine& place, const SourceLine& here) {
  if (place.line == 0) return "";
  return in_same_line(place, here) ? " in the same line" : " in " + line_in_words(place, here);
}

/// Advice for a read and a write without a barrier in between. If a barrier stands between their
/// lines, the missing one is at the end of the loop's round.
std::string barrier_advice(std::uint32_t earlier_site, const void* here) {
  const SourceLine earlier = place_at(earlier_site), now = source_line(here);
  if (earlier.line == 0 || earlier.file != now.file) return "";
  if (in_same_line(earlier, now))
    return " If threads update one element, use atomicAdd. If a thread reads a neighbour's, wait "
           "at "
           "a __syncthreads() in each round of the loop, or between the read and the write.";
  return " Add one between these lines. If one is there already, the two are in different rounds "
         "of "
         "a loop: add one at the end of the round.";
}

std::string memory_at(std::uintptr_t address) {
  return is_shared(address) ? "a __shared__ variable" : "global memory";
}

}  // namespace

const char* verb(Access access) {
  return is_read(access)           ? "reads"
         : access == Access::write ? "writes"
                                   : "changes by an atomic operation";
}

bool is_shared(std::uintptr_t address) {
  return is_shared_memory(reinterpret_cast<const void*>(address));
}

SourceLine place_at(std::uint32_t site) {
  return site == 0 ? SourceLine() : source_line(&place_in_object + static_cast<std::int32_t>(site));
}

std::string thread_text(Cell cell) {
  const unsigned thread = static_cast<unsigned>(cell & kThreadMask);
  const dim3& block = current_worker->launch()->block;
  return "thread (" + std::to_string(thread % block.x) + "," +
         std::to_string(thread / block.x % block.y) + "," +
         std::to_string(thread / block.x / block.y) + ")";
}

std::string text_of_race(std::uintptr_t address, Cell cell, std::uint32_t site, Access access,
                         bool other_block, const void* here) {
  const bool by_write = (cell & kLastWrites) != 0, by_atomic = (cell & kAtomic) != 0;
  const std::string line = in_line(place_at(site), source_line(here));
  const std::string earlier = by_atomic  ? "changed by an atomic operation"
                              : by_write ? "wrote"
                                         : "read";
  const bool of_block = is_of_block(access) || (cell & kOfBlock) != 0;
  std::string text =
      std::string("The thread ") + verb(access) + " " + memory_at(address) + " that ";
  if (other_block && is_atomic(access) && of_block)
    return text + "another block " + earlier + line +
           ", and an operation whose name ends with _block is atomic among the threads of its "
           "block alone. Use the one without _block.";
  if (other_block) {
    const bool written = (cell & kWritten) != 0;
    return text + "another block " +
           (by_atomic ? earlier
            : written ? "wrote"
                      : "read") +
           line +
           "; blocks of one launch run in any order. Use an atomic operation such as atomicAdd, "
           "or a second launch.";
  }
  if ((cell & (kManyWarps | kSameWarp)) != 0) {
    text += "other threads of the block" +
            (by_atomic ? " " : ", " + thread_text(cell) + " among them, ") + earlier + line +
            ", and no __syncthreads() orders the two.";
  } else {
    text += thread_text(cell) + " of the same block " + earlier + line +
            ", and no __syncthreads() orders the two.";
  }
  if (is_read(access) == by_write) text += barrier_advice(site, here);
  return text;
}

std::string text_of_mixed_race(std::uintptr_t address, Access plain, SourceLine plain_place,
                               bool other_block, std::uint32_t atomic_site) {
  std::string text = std::string("The thread ") + verb(plain) + " " + memory_at(address) +
                     (other_block ? " that other blocks" : " that other threads of the block") +
                     " change by an atomic operation" +
                     in_line(place_at(atomic_site), plain_place) + ", and nothing orders the two.";
  if (is_shared(address)) return text + " Add a __syncthreads() between them.";
  text += plain == Access::write
              ? " Set it before this launch: by cudaMemset, or by a kernel of its own."
              : " Read it in a second launch, or take the value that the atomic operation returns.";
  return other_block
             ? text
             : text + " If no other block uses it, a __syncthreads() between them is enough.";
}

void report_of(const uint3& block, const uint3& thread, Finding finding) {
  const uint3 now_block = std::exchange(blockIdx, block);
  const uint3 now_thread = std::exchange(threadIdx, thread);
  report(std::move(finding));
  blockIdx = now_block;
  threadIdx = now_thread;
}

}  // namespace opgrade_emulation
