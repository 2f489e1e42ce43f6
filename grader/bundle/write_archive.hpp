/// Writes .zip and .tar archives: the same files give the same bytes.
#pragma once

#include <string>
#include <vector>

namespace opgrade {

struct BundledFile {
  std::string path;  ///< in the archive
  std::string bytes;
  bool executable = false;
  bool secret = false;  ///< for its owner alone
};

enum class ArchiveFormat { zip, tar };

/// Throws Error when libarchive cannot write.
std::string write_archive(const std::vector<BundledFile>& files, ArchiveFormat format);

}  // namespace opgrade
