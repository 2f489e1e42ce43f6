#include "grader/base/files/archives.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <array>
#include <ctime>
#include <memory>
#include <string_view>

#include "grader/base/core/error.hpp"
#include "grader/base/core/text_parts.hpp"

namespace opgrade {
namespace {

constexpr std::time_t k1980 = 315532800;  // the first date that zip can store

struct FreeWriter {
  void operator()(archive* a) const { archive_write_free(a); }
};
struct FreeEntry {
  void operator()(archive_entry* e) const { archive_entry_free(e); }
};

void expect_ok(int result, archive* a) {
  if (result == ARCHIVE_OK) return;
  const char* reason = archive_error_string(a);
  throw Error(fmt::format("libarchive cannot pack files: {}", reason != nullptr ? reason : "?"),
              "check the free memory");
}

}  // namespace

std::string write_archive(const std::vector<ArchivedFile>& files, ArchiveFormat format) {
  std::string bytes;
  const std::unique_ptr<archive, FreeWriter> writer(archive_write_new());
  archive* const a = writer.get();
  if (a == nullptr) throw Error("libarchive cannot be set up", "check the free memory");
  const bool is_pax = format == ArchiveFormat::pax;
  expect_ok(is_pax                         ? archive_write_set_format_pax_restricted(a)
            : format == ArchiveFormat::zip ? archive_write_set_format_zip(a)
                                           : archive_write_set_format_ustar(a),
            a);
  // Names are stored as bytes, because students have other locales than the grader.
  if (is_pax) expect_ok(archive_write_set_options(a, "hdrcharset=BINARY"), a);
  if (!is_pax) expect_ok(archive_write_set_bytes_in_last_block(a, 1), a);
  const auto append = [](archive*, void* to, const void* block, std::size_t size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(block), size);
    return static_cast<la_ssize_t>(size);
  };
  expect_ok(archive_write_open(a, &bytes, nullptr, append, nullptr), a);
  for (const ArchivedFile& file : files) {
    const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), file.path.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), file.secret ? 0600 : file.executable ? 0755 : 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.bytes.size()));
    archive_entry_set_mtime(entry.get(), is_pax ? 0 : k1980, 0);
    expect_ok(archive_write_header(a, entry.get()), a);
    if (archive_write_data(a, file.bytes.data(), file.bytes.size()) !=
        static_cast<la_ssize_t>(file.bytes.size()))
      expect_ok(ARCHIVE_FATAL, a);
  }
  expect_ok(archive_write_close(a), a);
  return bytes;
}

std::string archive_ending(const std::string& file_name) {
  const std::string name = lowercase(file_name);
  static constexpr std::array<std::string_view, 20> kEndings{
      ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tar.lzma", ".tgz", ".tbz",
      ".tbz2",   ".txz",     ".tlz",    ".tar",     ".zip",      ".7z",  ".rar",
      ".gz",     ".bz2",     ".xz",     ".lzma",    ".zst",      ".z"};
  for (const auto ending : kEndings)
    if (name.size() > ending.size() && name.ends_with(ending)) return std::string(ending);
  return "";
}

}  // namespace opgrade
