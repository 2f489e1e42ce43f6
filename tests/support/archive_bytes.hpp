/// Makes archives for tests, honest and hostile ones.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opgrade::test {

struct Packed {
  std::string path;
  std::string bytes = {};
  unsigned type = AE_IFREG;
  std::string link = {};                        ///< target of a symbolic link
  std::string hard_link = {};                   ///< target of a hard link
  std::optional<std::int64_t> hole_up_to = {};  ///< the file is that long, its end is a hole
};

/// `format` is "zip" or a kind of tar ("gnutar", "pax"), `filter` a compression or "none".
inline std::string pack(const std::vector<Packed>& files, const char* format = "zip",
                        const char* filter = "none", const char* password = nullptr) {
  std::string bytes;
  archive* const a = archive_write_new();
  EXPECT_EQ(archive_write_set_format_by_name(a, format), ARCHIVE_OK) << archive_error_string(a);
  if (std::string(filter) != "none") {
    EXPECT_EQ(archive_write_add_filter_by_name(a, filter), ARCHIVE_OK) << archive_error_string(a);
  }
  archive_write_set_bytes_per_block(a, 0);
  archive_write_set_option(a, nullptr, "hdrcharset", "BINARY");
  if (password != nullptr) {
    archive_write_set_options(a, "zip:encryption=traditional");
    archive_write_set_passphrase(a, password);
  }
  archive_write_open2(
      a, &bytes, nullptr,
      [](archive*, void* to, const void* block, std::size_t length) -> la_ssize_t {
        static_cast<std::string*>(to)->append(static_cast<const char*>(block), length);
        return static_cast<la_ssize_t>(length);
      },
      nullptr, nullptr);
  for (const Packed& file : files) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, file.path.c_str());
    archive_entry_set_filetype(entry, file.type);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<std::int64_t>(file.bytes.size()));
    if (!file.link.empty()) archive_entry_set_symlink(entry, file.link.c_str());
    if (!file.hard_link.empty()) archive_entry_set_hardlink(entry, file.hard_link.c_str());
    if (file.hole_up_to) {
      archive_entry_set_size(entry, *file.hole_up_to);
      archive_entry_sparse_add_entry(entry, 0, static_cast<std::int64_t>(file.bytes.size()));
    }
    EXPECT_GE(archive_write_header(a, entry), ARCHIVE_WARN)
        << file.path << ": " << archive_error_string(a);
    if (!file.bytes.empty()) archive_write_data(a, file.bytes.data(), file.bytes.size());
    archive_entry_free(entry);
  }
  EXPECT_EQ(archive_write_close(a), ARCHIVE_OK) << archive_error_string(a);
  archive_write_free(a);
  return bytes;
}

}  // namespace opgrade::test
