/// Distinguishes loads that the outputs depend on from useless loads: if a run in which the loads
/// of one site get other values has right outputs, then no output needs these values.
#pragma once

#include <array>

#include "grader/emulation/runtime/count/counts.hpp"
#include "grader/emulation/runtime/variation.hpp"

namespace opgrade_emulation {

/// Must not call functions of the C library, such as memcpy(), because their hooks call this class.
class Spoiler {
 public:
  Spoiler() {
    const Variation& wanted = variation();
    if (wanted.spoiled_space == 0) return;
    const Space space = wanted.spoiled_space == 's'   ? Space::shared
                        : wanted.spoiled_space == 'c' ? Space::constant
                                                      : Space::global;
    site_ = AccessSite(__ehdr_start + wanted.spoiled_place, space, Use::load).word();
  }

  bool spoils(AccessSite site) const { return site.word() == site_; }
  bool has_spoiled() const { return count_ > 0; }

  /// Makes the next load take another value from that address. restore() must be called before any
  /// load of another instruction.
  void spoil(std::uintptr_t address, unsigned bytes) {
    if (count_ == spoiled_.size()) return;
    Spoiled& one = spoiled_[count_++];
    one.memory = reinterpret_cast<unsigned char*>(address);
    one.bytes = bytes;
    for (unsigned i = 0; i < bytes; ++i) one.after[i] = one.memory[i] ^= change(i, bytes);
  }
  /// Keeps what a store has written meanwhile.
  void restore() {
    while (count_ > 0) {
      const Spoiled& one = spoiled_[--count_];
      bool same = true;
      for (unsigned i = 0; i < one.bytes; ++i) same &= one.memory[i] == one.after[i];
      for (unsigned i = 0; same && i < one.bytes; ++i) one.memory[i] ^= change(i, one.bytes);
    }
  }

 private:
  struct Spoiled {
    unsigned char* memory;
    unsigned bytes;
    std::array<unsigned char, 16> after;
  };

  /// The change gives a number of any format another exponent, an index another value, and text
  /// another character.
  static unsigned char change(unsigned byte, unsigned bytes) {
    constexpr unsigned char kWord[] = {0, 0, 0x40, 0x3f}, kHalf[] = {0, 0x3d};
    return bytes >= 4 ? kWord[byte % 4] : bytes == 2 ? kHalf[byte] : 0x55;
  }

  std::uint64_t site_ = 0;  ///< 0 is the site of no load
  std::array<Spoiled, 32> spoiled_;
  unsigned count_ = 0;
};

}  // namespace opgrade_emulation
