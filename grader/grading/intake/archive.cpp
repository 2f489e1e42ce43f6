#include "grader/grading/intake/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <locale.h>

#include <algorithm>
#include <optional>
#include <set>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"

namespace opgrade {
namespace {

constexpr std::int64_t kRatioFrom = std::int64_t{1} << 20;
constexpr const char* kKinds = "Hand in a folder, a .zip or a .tar (.gz, .bz2, .xz, .zst).";

/// One locale for the whole program, because threads that open and free locales of their own meet
/// in the C library.
locale_t utf8_locale() {
  static const locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
  return utf8;
}

/// libarchive translates names into the locale's encoding and drops what does not fit. In UTF-8
/// names arrive as they are.
class Utf8Names {
 public:
  Utf8Names() {
    if (utf8_locale() != locale_t{}) before_ = ::uselocale(utf8_locale());
  }
  ~Utf8Names() {
    if (before_ != locale_t{}) ::uselocale(before_);
  }
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;

 private:
  locale_t before_{};
};

struct CloseArchive {
  void operator()(archive* a) const { archive_read_free(a); }
};
using ArchivePtr = std::unique_ptr<archive, CloseArchive>;

/// The formats and compressions of submissions. libarchive also knows lists of files of the host
/// (mtree), foreign programs as filters, and a dozen rare formats. These stay off.
ArchivePtr open_archive(std::string_view bytes) {
  ArchivePtr reader(archive_read_new());
  archive* const a = reader.get();
  if (a == nullptr) throw Error("libarchive cannot be set up", "check the free memory");
  archive_read_support_format_tar(a);
  archive_read_support_format_zip_seekable(a);  // reads the directory at the end, as unzip does
  for (const int filter : {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ,
                           ARCHIVE_FILTER_LZMA, ARCHIVE_FILTER_ZSTD}) {
    archive_read_support_filter_by_code(a, filter);
  }
  if (archive_read_open_memory(a, bytes.data(), bytes.size()) != ARCHIVE_OK) return nullptr;
  return reader;
}

Refusal refusal(const std::string& reason, const std::string& hint) {
  return {"the archive " + reason, hint};
}

std::string error_of(archive* a) {
  const char* const text = archive_error_string(a);
  return printable_line(text != nullptr ? text : "unknown reason");
}

/// The path without "." and empty parts, or why it is refused.
tl::expected<std::string, Refusal> clean_path(const std::string& path,
                                              const ArchiveLimits& limits) {
  const std::string shown = printable_line(path);
  const auto refuse = [&](const std::string& what) {
    return tl::unexpected(refusal(fmt::format("holds {}, {}", shown, what),
                                  "Pack your folder anew, with paths that start in it."));
  };
  if (path.size() > limits.path) {
    return refuse(fmt::format("a path of more than {} bytes", limits.path));
  }
  if (path.starts_with('/')) return refuse("an absolute path");
  std::string clean;
  int parts = 0;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") return refuse("a path that leaves the archive");
    if (part.size() > limits.name) {
      return refuse(fmt::format("a name of more than {} bytes", limits.name));
    }
    if (++parts > limits.depth + 1) {
      return refuse(fmt::format("more than {} folders deep", limits.depth));
    }
    clean += (clean.empty() ? "" : "/") + part;
  }
  return clean;
}

class ArchiveReader {
 public:
  ArchiveReader(archive* a, std::int64_t packed_bytes, const ArchiveLimits& limits)
      : archive_(a), packed_bytes_(packed_bytes), limits_(limits) {}

  /// Moves on to the next entry; null at the end.
  tl::expected<archive_entry*, Refusal> next() {
    archive_entry* entry = nullptr;
    const int code = archive_read_next_header(archive_, &entry);
    if (const auto beyond = beyond_limits()) return tl::unexpected(*beyond);
    if (code == ARCHIVE_EOF) return nullptr;
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN) return tl::unexpected(damaged());
    if (++entries_ > limits_.entries) {
      return tl::unexpected(refusal(fmt::format("has more than {} entries", limits_.entries),
                                    "Pack your own sources only."));
    }
    return entry;
  }

  /// Reads the entry's bytes, the first `keep` of them into `kept`. Returns the length of all.
  tl::expected<std::int64_t, Refusal> read(std::int64_t keep, std::string& kept) {
    std::int64_t length = 0;
    for (;;) {
      const void* block = nullptr;
      std::size_t bytes = 0;
      std::int64_t offset = 0;  // beyond `length` in a file with holes
      const int code = archive_read_data_block(archive_, &block, &bytes, &offset);
      if (code == ARCHIVE_EOF) break;
      if (code != ARCHIVE_OK && code != ARCHIVE_WARN) return tl::unexpected(damaged());
      unpacked_ += static_cast<std::int64_t>(bytes);
      if (const auto beyond = beyond_limits()) return tl::unexpected(*beyond);
      if (offset < length) return tl::unexpected(damaged());
      if (offset <= keep && static_cast<std::int64_t>(bytes) <= keep - offset) {
        kept.resize(static_cast<std::size_t>(offset), '\0');
        kept.append(static_cast<const char*>(block), bytes);
      }
      length = offset + static_cast<std::int64_t>(bytes);
    }
    return length;
  }

  /// True if skipped entries are unpacked on the way, as in a compressed tar.
  bool unpacks_all() const {
    return (archive_format(archive_) & ARCHIVE_FORMAT_BASE_MASK) != ARCHIVE_FORMAT_ZIP;
  }

 private:
  Refusal damaged() const {
    const std::string text = error_of(archive_);
    if (entries_ == 0) {
      return {fmt::format("the submission is neither a folder nor a readable archive: {}", text),
              kKinds};
    }
    return refusal(fmt::format("is damaged: {}", text), "Pack it anew, and try to unpack it.");
  }

  std::optional<Refusal> beyond_limits() const {
    // Filter 0 is the last decompressor: headers and padding of a tar count as well.
    const std::int64_t unpacked =
        std::max<std::int64_t>(unpacked_, archive_filter_bytes(archive_, 0));
    if (unpacked > limits_.unpacked_bytes) {
      return refusal(fmt::format("unpacks to more than {} MiB", limits_.unpacked_bytes >> 20),
                     "Pack your own sources only.");
    }
    if (unpacked > kRatioFrom && unpacked / limits_.ratio > packed_bytes_) {
      return refusal(fmt::format("unpacks to more than {} times its size", limits_.ratio),
                     "Pack your own sources only.");
    }
    return std::nullopt;
  }

  archive* archive_;
  std::int64_t packed_bytes_;
  const ArchiveLimits& limits_;
  std::int64_t unpacked_ = 0;
  int entries_ = 0;
};

/// A path that is a file and, for another file, a folder; empty if there is none.
std::string file_and_folder(const std::vector<ArchiveFile>& files) {
  std::set<std::string_view> paths;
  for (const ArchiveFile& file : files) paths.insert(file.path);
  for (const std::string_view path : paths) {
    const std::string below = std::string(path) + "/";
    const auto next = paths.lower_bound(below);
    if (next != paths.end() && next->starts_with(below)) return std::string(path);
  }
  return "";
}

/// The kind of an entry that is neither a regular file nor a folder.
std::string not_taken(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr) return "a hard link";
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
    case AE_IFDIR:
      return {};
    case AE_IFLNK:
      return "a symbolic link";
    default:
      return "neither a file nor a folder";
  }
}

}  // namespace

tl::expected<std::vector<ArchiveFile>, Refusal> read_archive(
    std::string_view bytes, const std::function<bool(const std::string&)>& wanted,
    std::int64_t max_file_bytes, const ArchiveLimits& limits) {
  const auto packed_bytes = static_cast<std::int64_t>(bytes.size());
  if (packed_bytes > limits.archive_bytes) {
    return tl::unexpected(refusal(fmt::format("has {} MiB, more than the {} MiB that are taken",
                                              packed_bytes >> 20, limits.archive_bytes >> 20),
                                  "Pack your own sources only."));
  }
  const Utf8Names names;
  const ArchivePtr opened = open_archive(bytes);
  if (!opened) {
    return tl::unexpected(
        Refusal{"the submission is neither a folder nor a readable archive", kKinds});
  }
  ArchiveReader reader(opened.get(), packed_bytes, limits);
  std::vector<ArchiveFile> files;
  std::set<std::string> seen;
  for (;;) {
    const auto entry = reader.next();
    if (!entry) return tl::unexpected(entry.error());
    if (*entry == nullptr) break;
    const char* const raw = archive_entry_pathname(*entry);
    if (raw == nullptr) {
      return tl::unexpected(refusal("holds a name that cannot be read", "Pack it anew."));
    }
    auto path = clean_path(raw, limits);
    if (!path) return tl::unexpected(path.error());
    const std::string shown = printable_line(*path);
    if (const std::string what = not_taken(*entry); !what.empty()) {
      return tl::unexpected(refusal(fmt::format("holds {}, which is {}", shown, what),
                                    "Hand in the files themselves."));
    }
    if (archive_entry_filetype(*entry) == AE_IFDIR) continue;

    ArchiveFile file{*path, 0, {}};
    const bool take = wanted(path->substr(path->rfind('/') + 1));
    if (take && !seen.insert(*path).second) {
      return tl::unexpected(
          refusal(fmt::format("holds {} twice", shown), "Pack it anew: only one can be graded."));
    }
    if (take && archive_entry_is_encrypted(*entry) != 0) {
      return tl::unexpected(refusal("is encrypted", "Pack it without a password."));
    }
    if (take || reader.unpacks_all()) {
      const auto length = reader.read(take ? max_file_bytes : -1, file.bytes);
      if (!length) return tl::unexpected(length.error());
      // A hole at the end has no block.
      file.size = std::max<std::int64_t>(*length, archive_entry_size(*entry));
      if (file.size > max_file_bytes) file.bytes.clear();
      if (take && !file.bytes.empty()) file.bytes.resize(static_cast<std::size_t>(file.size));
    }
    files.push_back(std::move(file));
  }
  if (const std::string both = file_and_folder(files); !both.empty())
    return tl::unexpected(
        refusal(fmt::format("holds {} as a file and as a folder", printable_line(both)),
                "Pack your folder anew."));
  return files;
}

}  // namespace opgrade
