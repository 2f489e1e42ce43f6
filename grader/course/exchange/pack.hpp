/// Packs files into the one archive that stands for a submission, the same bytes for the same
/// files.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace opgrade::course {

/// The bytes of a file of a larger size are left out: intake takes no such source.
inline constexpr std::uintmax_t kMaxPackedFile = 1 << 20;
/// The limit for all files together. Intake takes archives of 16 MiB (ArchiveLimits).
inline constexpr std::uintmax_t kMaxPacked = 12 << 20;
inline constexpr std::size_t kMaxPackedFiles = 9'000;

/// A document that the assignment wants is larger than a source, and may have all of the room.
inline bool is_too_large(std::uintmax_t bytes, std::string_view file_name,
                         std::string_view document) {
  return bytes > (!document.empty() && file_name == document ? kMaxPacked : kMaxPackedFile);
}

/// A tar with sorted names and without times and owners. Throws Error when libarchive fails.
std::string pack(const std::map<std::string, std::string>& files);

struct PackedFolder {
  std::string bytes;
  std::vector<std::string> taken;
  std::chrono::file_clock::time_point newest =
      std::chrono::file_clock::time_point::min();  ///< of the files taken
  std::vector<std::string> left_out;               ///< with the reason
};

/// The regular files of a folder but those of .git, as far as the assignment names them. No
/// symbolic link is followed. The error says why the folder cannot be packed. `document`: the name
/// of the assignment's document, or empty.
tl::expected<PackedFolder, std::string> pack_folder(
    const std::filesystem::path& folder,
    const std::function<bool(const std::string& file_name)>& is_named =
        [](const auto&) { return true; },
    const std::string& document = "");

}  // namespace opgrade::course
