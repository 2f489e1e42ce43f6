#include "grader/course/pack.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "grader/core/error.hpp"
#include "grader/core/printable.hpp"
#include "grader/core/text_parts.hpp"
#include "grader/course/result_files.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

void require(archive* a, int code) {
  if (code != ARCHIVE_OK)
    throw Error(fmt::format("libarchive cannot pack a submission: {}", archive_error_string(a)),
                "check the free memory");
}

la_ssize_t append(archive*, void* to, const void* block, std::size_t length) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(block), length);
  return static_cast<la_ssize_t>(length);
}

}  // namespace

std::string pack(const std::map<std::string, std::string>& files) {
  std::string bytes;
  const auto free_archive = [](archive* a) { archive_write_free(a); };
  const std::unique_ptr<archive, decltype(free_archive)> owner(archive_write_new(), free_archive);
  archive* const a = owner.get();
  if (a == nullptr) throw Error("libarchive cannot be set up", "check the free memory");
  require(a, archive_write_set_format_pax_restricted(a));
  // Names are bytes: students have other locales than the grader.
  require(a, archive_write_set_options(a, "hdrcharset=BINARY"));
  require(a, archive_write_open2(a, &bytes, nullptr, append, nullptr, nullptr));
  for (const auto& [name, content] : files) {
    const auto free_entry = [](archive_entry* e) { archive_entry_free(e); };
    const std::unique_ptr<archive_entry, decltype(free_entry)> entry(archive_entry_new(),
                                                                     free_entry);
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_mtime(entry.get(), 0, 0);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    require(a, archive_write_header(a, entry.get()));
    if (archive_write_data(a, content.data(), content.size()) < 0) require(a, ARCHIVE_FATAL);
  }
  require(a, archive_write_close(a));
  return bytes;
}

tl::expected<PackedFolder, std::string> pack_folder(const fs::path& folder) {
  PackedFolder packed;
  std::map<std::string, std::string> files;
  std::uintmax_t total = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().lexically_relative(folder).string();
    const fs::file_status status = entry->symlink_status(error);
    if (error) break;
    const auto leave_out = [&](const std::string& why) {
      packed.left_out.push_back(fmt::format("{} ({})", printable_line(name), why));
    };
    if (fs::is_directory(status)) {
      if (entry->path().filename() == ".git") entry.disable_recursion_pending();
    } else if (fs::is_symlink(status)) {
      leave_out("a symbolic link");
    } else if (!fs::is_regular_file(status)) {
      leave_out("no regular file");
    } else if (const auto size = entry->file_size(error); !error && size > kMaxPackedFile) {
      leave_out(fmt::format("{} KiB", size >> 10));
    } else if (!error) {
      total += size;
      if (total > kMaxPacked || files.size() >= kMaxPackedFiles) {
        return tl::unexpected(fmt::format(
            "the folder holds more than {} MiB or {} files; remove what is not source code",
            kMaxPacked >> 20, kMaxPackedFiles));
      }
      packed.newest = std::max(packed.newest, entry->last_write_time(error));
      files.emplace(name, text_of_file(entry->path()));
    }
    if (error) break;
  }
  if (error) return tl::unexpected("the folder cannot be read: " + error.message());
  if (files.empty()) return tl::unexpected<std::string>("the folder holds no files");
  packed.bytes = pack(files);
  return packed;
}

std::string archive_ending(const std::string& file_name) {
  const std::string name = lowercase(file_name);
  static constexpr std::array<std::string_view, 14> kEndings{
      ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tgz", ".tbz", ".tbz2",
      ".txz",    ".tar",     ".zip",    ".7z",      ".rar", ".gz",  ".xz"};
  for (const auto ending : kEndings)
    if (name.size() > ending.size() && name.ends_with(ending)) return std::string(ending);
  return "";
}

}  // namespace opgrade::course
