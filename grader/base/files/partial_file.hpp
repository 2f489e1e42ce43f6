/// A file under a temporary name until it is complete.
#pragma once

#include <filesystem>

namespace opgrade {

/// Readers never see half a file, because it is written next to its final name and renamed by
/// `commit`. Without a commit (an exception, a full disk) the temporary file is removed, and an
/// existing file under the final name stays.
class PartialFile {
 public:
  explicit PartialFile(
      std::filesystem::path final_path);  ///< Throws Error if the folder does not exist.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::filesystem::path& path() const { return temporary_; }
  void commit();  ///< Flushes to disk and renames. Throws Error.
  /// Flushes to disk and gives the file its name only if no file has it: exactly one of several
  /// writers succeeds. Returns false if there is a file already, which stays. Flushes the folder
  /// too. Throws Error.
  bool commit_new();

 private:
  void flush() const;

  std::filesystem::path final_, temporary_;
};

}  // namespace opgrade
