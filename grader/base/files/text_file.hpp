/// Whole files in memory.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace opgrade {

constexpr std::uintmax_t kMaxWrittenByHand = 16 << 20;

/// The whole file, or why it cannot be read and what to do.
tl::expected<std::string, std::string> read_text_file(const std::filesystem::path& file,
                                                      std::uintmax_t max_bytes = kMaxWrittenByHand);

/// Reads a file of any size. Throws Error.
std::string text_of_file(const std::filesystem::path& file);

/// Writes a file that no reader knows yet, and flushes it to the disk. Throws Error.
void write_whole(const std::filesystem::path& file, std::string_view text, mode_t rights = 0644);

/// Writes a file so that a reader sees the old or the new one, never a part. Throws Error.
void write_file(const std::filesystem::path& file, std::string_view text, mode_t rights = 0644);

}  // namespace opgrade
