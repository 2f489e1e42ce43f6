/// Archives that opgrade writes: the same files give the same bytes. And how archives are named.
#pragma once

#include <string>
#include <vector>

namespace opgrade {

struct ArchivedFile {
  std::string path;  ///< in the archive
  std::string bytes;
  bool executable = false;
  bool secret = false;  ///< for its owner alone
};

enum class ArchiveFormat {
  zip,
  tar,
  pax,  ///< a tar of names in any locale and of any length
};

/// Throws Error when libarchive cannot write.
std::string write_archive(const std::vector<ArchivedFile>& files, ArchiveFormat format);

/// ".zip", ".tar.gz" and the like where the name ends in it; empty for other files. Kinds that
/// opgrade does not read are among them: the student handed something in, and is told.
std::string archive_ending(const std::string& file_name);

}  // namespace opgrade
