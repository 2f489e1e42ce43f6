/// Checks plain accesses to words that threads change by atomic operations.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "grader/emulation/runtime/check/context.hpp"
#include "grader/emulation/runtime/findings.hpp"

namespace opgrade_emulation {

/// A cell stores the atomic operations of a word, and this class stores the plain access before
/// them. Otherwise a thread's own atomic operation would hide its store from later checks.
class MixedAccesses {
 public:
  void begin_launch() { plain_.clear(); }

  /// Returns the new cell after an access, if the access or the cell is atomic and this launch used
  /// the cell before. Reports a race. `site` is where the cell changed last.
  Cell judge(Cell cell, std::uintptr_t address, unsigned bytes, Access access, std::uint32_t site,
             const void* here);

  /// Called when the bytes of a word get cells of their own.
  void split(std::uintptr_t word);

  /// A plain read that only decides whether to try an atomic operation is no mistake, because the
  /// attempt reads the word again. Whether an attempt follows is known only later, sometimes only
  /// from another thread. Therefore racing reads are reported at the end of the launch, except
  /// reads in a line that an attempt followed.
  void report_reads();

 private:
  struct Plain {
    Cell cell = 0;
    std::uint32_t site = 0;
  };
  struct Read {
    std::string text;
    const void *site = nullptr, *caller = nullptr;
    uint3 block{}, thread{};
  };
  using Line = std::pair<std::string, int>;

  Cell judge_atomic(Cell cell, std::uintptr_t address, Access access, std::uint32_t site,
                    const void* here);
  Cell judge_plain(Cell cell, std::uintptr_t address, unsigned bytes, Access access,
                   std::uint32_t site, const void* here);
  void judge_earlier(const Plain& plain, std::uintptr_t address, Access access, const void* here);
  void hold_back(Read read);
  void attempt(std::uintptr_t address, const Plain* before);
  const Plain* find(std::uintptr_t address) const;

  std::unordered_map<std::uintptr_t, Plain> plain_;
  std::map<const void*, Read> reads_;  ///< the first racing read of each site, held back
  std::pair<std::uintptr_t, const void*> last_read_[kMaxThreads] = {};
  std::set<Line> deciding_;  ///< lines whose read was followed by an attempt
};
extern MixedAccesses mixed_accesses;

}  // namespace opgrade_emulation
