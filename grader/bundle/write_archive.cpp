#include "grader/bundle/write_archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <memory>

#include "grader/core/error.hpp"

namespace opgrade {
namespace {

struct FreeWriter {
  void operator()(archive* a) const { archive_write_free(a); }
};
struct FreeEntry {
  void operator()(archive_entry* e) const { archive_entry_free(e); }
};

void expect_ok(int result, archive* a) {
  if (result == ARCHIVE_OK) return;
  const char* reason = archive_error_string(a);
  throw Error(fmt::format("cannot pack the bundle: {}", reason != nullptr ? reason : "?"),
              "Check the free memory.");
}

}  // namespace

std::string write_archive(const std::vector<BundledFile>& files, ArchiveFormat format) {
  std::string bytes;
  const std::unique_ptr<archive, FreeWriter> writer(archive_write_new());
  archive* const a = writer.get();
  if (a == nullptr) throw Error("libarchive cannot be set up", "Check the free memory.");
  expect_ok(format == ArchiveFormat::zip ? archive_write_set_format_zip(a)
                                         : archive_write_set_format_ustar(a),
            a);
  expect_ok(archive_write_set_bytes_in_last_block(a, 1), a);
  const auto append = [](archive*, void* to, const void* block, std::size_t size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(block), size);
    return static_cast<la_ssize_t>(size);
  };
  expect_ok(archive_write_open(a, &bytes, nullptr, append, nullptr), a);
  for (const BundledFile& file : files) {
    const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), file.path.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), file.secret ? 0600 : file.executable ? 0755 : 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.bytes.size()));
    archive_entry_set_mtime(entry.get(), 315532800, 0);  // 1980, where zip's times begin
    expect_ok(archive_write_header(a, entry.get()), a);
    if (archive_write_data(a, file.bytes.data(), file.bytes.size()) !=
        static_cast<la_ssize_t>(file.bytes.size()))
      expect_ok(ARCHIVE_FATAL, a);
  }
  expect_ok(archive_write_close(a), a);
  return bytes;
}

}  // namespace opgrade
