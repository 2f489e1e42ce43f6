#include "grader/emulation/runtime/address_allocator.hpp"

#include <sys/mman.h>

#include <cstring>

namespace opgrade_emulation {
namespace {

std::size_t next_multiple(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

}  // namespace

void AddressAllocator::open(std::uintptr_t begin, std::uintptr_t end, bool exact,
                            unsigned char fill) {
  begin_ = begin;
  exact_ = exact;
  fill_ = fill;
  users_.assign((end - begin) / kPiece, 0);
  free_[begin] = users_.size() * kPiece;
}

std::size_t AddressAllocator::size_taken(std::size_t bytes) {
  return bytes <= kPiece / 2 ? next_multiple(bytes, kAlignment) : next_multiple(bytes, kPiece);
}

std::uintptr_t AddressAllocator::take(std::size_t bytes) {
  const std::size_t size = exact_ ? next_multiple(bytes, kPiece) + kPiece : size_taken(bytes);
  const std::size_t alignment = size < kPiece ? kAlignment : kPiece;
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const std::uintptr_t address = next_multiple(it->first, alignment);
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

void AddressAllocator::give_back(std::uintptr_t address, std::size_t bytes) {
  if (exact_) return unmap(address, bytes);  // and never again
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

bool AddressAllocator::map(std::uintptr_t begin, std::size_t bytes) {
  const std::size_t last = (begin + bytes - 1 - begin_) / kPiece;
  for (std::size_t piece = (begin - begin_) / kPiece; piece <= last; ++piece) {
    void* address = reinterpret_cast<void*>(begin_ + piece * kPiece);
    if (users_[piece]++ > 0) continue;
    if (mprotect(address, kPiece, PROT_READ | PROT_WRITE) != 0) return false;
    // The room around a small allocation, too. A large one takes whole pieces.
    if (bytes < kPiece && !exact_) std::memset(address, fill_, kPiece);
  }
  return true;
}

void AddressAllocator::unmap(std::uintptr_t begin, std::size_t bytes) {
  const std::size_t last = (begin + bytes - 1 - begin_) / kPiece;
  for (std::size_t piece = (begin - begin_) / kPiece; piece <= last; ++piece) {
    if (--users_[piece] > 0) continue;
    mmap(reinterpret_cast<void*>(begin_ + piece * kPiece), kPiece, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }
}

}  // namespace opgrade_emulation
