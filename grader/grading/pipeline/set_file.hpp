/// Inputs of a call and the right outputs for them, as a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "grader/task/interface/reference_code.hpp"

namespace opgrade {

/// That only its owner can read, and that appears whole. `key` names what it holds. Throws Error
/// where the disk is full.
void write_set(const std::filesystem::path& file, const std::string& key, const StaffOutput& set,
               int threads);

/// Where sets are read to, one after another: to find memory anew takes as long as to fill it. Safe
/// to use from several threads at once.
class SetMemory : public std::enable_shared_from_this<SetMemory> {
 public:
  /// So many bytes. Those of `blank` pieces are blank, and stay so; others are whatever is there.
  std::shared_ptr<std::byte> take(std::size_t bytes, std::vector<std::size_t> blank);

 private:
  struct Block {
    std::size_t bytes;
    std::vector<std::size_t> blank;  ///< where its blank pieces begin
    std::shared_ptr<std::byte> begin;
  };

  std::mutex guard_;
  std::vector<Block> free_;
};

/// Nothing where there is no such file, or where another user could have written it, it has another
/// key, or is damaged. The file may go while the set is used.
std::optional<StaffOutput> read_set(const std::filesystem::path& file, const std::string& key,
                                    SetMemory& memory, int threads);

}  // namespace opgrade
