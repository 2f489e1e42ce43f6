/// Reads .zip and .tar archives into memory. Nothing is unpacked to disk. No archive can make this
/// slow, large or wrong: an irregular entry is a Refusal.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "grader/grading/intake/tree.hpp"

namespace opgrade {

/// A submission is some source files of a few KiB. The bounds leave room for a build folder packed
/// by mistake. They keep the worst archive below a second and some 100 MiB.
struct ArchiveLimits {
  std::int64_t archive_bytes = std::int64_t{16} << 20;
  std::int64_t unpacked_bytes = std::int64_t{64} << 20;  ///< all that is unpacked on the way
  /// Unpacked to packed, checked from 1 MiB on. Deflate reaches 1032 on zeros, text about 10.
  std::int64_t ratio = 200;
  int entries = 10'000;
  int depth = 16;            ///< folders above a file
  std::size_t name = 255;    ///< bytes between two slashes, as in Linux' own file systems
  std::size_t path = 4'000;  ///< bytes in all, less than Linux' PATH_MAX
};

struct ArchiveFile {
  std::string path;       ///< "src/a.cu": no "." or "..", no empty part
  std::int64_t size = 0;  ///< more than the cap: too large, `bytes` is empty
  std::string bytes;      ///< of a wanted file
};

/// The regular files of an archive: those that `wanted` accepts by their last part, and the others
/// by their paths, with empty bytes. Reads zip, and tar that is plain or compressed by gzip, bzip2,
/// xz, lzma or zstd.
///
/// An archive is refused as a whole if it holds an absolute path or one with "..", a symbolic or
/// hard link, a device or a pipe. It is also refused if a wanted file is encrypted or occurs twice,
/// if it is damaged, or if it is beyond `limits`. Throws Error if libarchive cannot be set up.
tl::expected<std::vector<ArchiveFile>, Refusal> read_archive(
    std::string_view archive, const std::function<bool(const std::string&)>& wanted,
    std::int64_t max_file_bytes, const ArchiveLimits& limits = {});

SubmissionTree archive_tree(std::vector<ArchiveFile> files);

}  // namespace opgrade
