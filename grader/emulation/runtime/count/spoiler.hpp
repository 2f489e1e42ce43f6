/// Tells loads that the outputs depend on from loads whose values no output needs: in a run in
/// which the loads of one site get other values, the outputs then stay right.
#pragma once

#include <array>

#include "grader/emulation/runtime/count/counts.hpp"
#include "grader/emulation/runtime/variation.hpp"

namespace opgrade_emulation {

/// Calls no function of the C library, such as memcpy(), because their hooks call this.
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

  /// The next load takes another value from there. Until restore(), which must come before any
  /// load that is not of the same instruction.
  void spoil(std::uintptr_t address, unsigned bytes) {
    if (count_ == spoiled_.size()) return;
    Spoiled& one = spoiled_[count_++];
    one.memory = reinterpret_cast<unsigned char*>(address);
    one.bytes = bytes;
    for (unsigned i = 0; i < bytes; ++i) one.after[i] = one.memory[i] ^= change(i, bytes);
  }
  /// Leaves what a store has written meanwhile.
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

  /// Another exponent for a number of any format, another index, another character.
  static unsigned char change(unsigned byte, unsigned bytes) {
    constexpr unsigned char kWord[] = {0, 0, 0x40, 0x3f}, kHalf[] = {0, 0x3d};
    return bytes >= 4 ? kWord[byte % 4] : bytes == 2 ? kHalf[byte] : 0x55;
  }

  std::uint64_t site_ = 0;  ///< fits no load
  std::array<Spoiled, 32> spoiled_;
  unsigned count_ = 0;
};

}  // namespace opgrade_emulation
