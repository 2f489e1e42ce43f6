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

/// Writes a file that only its owner can read, and that appears whole. `key` names what it holds.
/// Throws Error if the disk is full.
void write_set(const std::filesystem::path& file, const std::string& key, const StaffOutput& set,
               int threads);

/// Memory into which sets are read, one after another, because finding new memory takes as long as
/// filling it. Safe to use from several threads at once.
class SetMemory : public std::enable_shared_from_this<SetMemory> {
 public:
  /// So many bytes. Those of `blank` pieces are blank, and stay so; the others are whatever is
  /// there.
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

/// Returns nullopt if there is no such file, if another user could have written it, if it has
/// another key, or if it is damaged. The file may disappear while the set is used.
std::optional<StaffOutput> read_set(const std::filesystem::path& file, const std::string& key,
                                    SetMemory& memory, int threads);

}  // namespace opgrade
