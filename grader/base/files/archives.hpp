/// Writes archives, so that the same files give the same bytes, and knows archives by their names.
#pragma once

#include <string>
#include <vector>

namespace opgrade {

struct ArchivedFile {
  std::string path;  ///< in the archive
  std::string bytes;
  bool executable = false;
  bool secret = false;  ///< readable by its owner alone
};

enum class ArchiveFormat {
  zip,
  tar,
  pax,  ///< a tar that allows names in any locale and of any length
};

/// Throws Error if libarchive cannot write.
std::string write_archive(const std::vector<ArchivedFile>& files, ArchiveFormat format);

/// The ending of the name: ".zip", ".tar.gz" and the like; empty if the file is no archive.
/// Includes formats that opgrade cannot read, so that the student is told about them.
std::string archive_ending(const std::string& file_name);

}  // namespace opgrade
