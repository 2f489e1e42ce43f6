/// Packs files into the archive that becomes a submission. The same files always give the same
/// bytes.
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

/// A larger file is left out, because intake accepts no such source.
inline constexpr std::uintmax_t kMaxPackedFile = 1 << 20;
/// The limit for all files together. Intake accepts archives up to 16 MiB (ArchiveLimits).
inline constexpr std::uintmax_t kMaxPacked = 12 << 20;
inline constexpr std::size_t kMaxPackedFiles = 9'000;

/// A document that the assignment wants may be larger than a source: as large as the whole archive.
inline bool is_too_large(std::uintmax_t bytes, std::string_view file_name,
                         std::string_view document) {
  return bytes > (!document.empty() && file_name == document ? kMaxPacked : kMaxPackedFile);
}

/// A tar with sorted names and without times and owners. Throws Error if libarchive fails.
std::string pack(const std::map<std::string, std::string>& files);

struct PackedFolder {
  std::string bytes;
  std::vector<std::string> taken;
  /// Time of the newest file in `taken`.
  std::chrono::file_clock::time_point newest = std::chrono::file_clock::time_point::min();
  std::vector<std::string> left_out;  ///< files that were left out, each with the reason
};

/// Packs the regular files of a folder that the assignment names, without those of .git. No
/// symbolic link is followed. The error says why the folder cannot be packed. `document`: the name
/// of the assignment's document, or empty.
tl::expected<PackedFolder, std::string> pack_folder(
    const std::filesystem::path& folder,
    const std::function<bool(const std::string& file_name)>& is_named =
        [](const auto&) { return true; },
    const std::string& document = "");

}  // namespace opgrade::course
