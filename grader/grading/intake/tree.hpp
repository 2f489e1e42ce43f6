/// The files of a submission as intake sees them, whether they lie in a folder or in an archive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "grader/base/core/fd.hpp"

namespace opgrade {

/// Why a submission is not accepted: the student's to fix.
struct Refusal {
  std::string reason;
  std::string hint;
};

/// One folder of a submission.
class SubmissionFolder {
 public:
  virtual ~SubmissionFolder() = default;
  virtual bool has(const std::string& name) const = 0;
  virtual std::vector<std::string> names() const = 0;    ///< sorted
  virtual std::vector<std::string> folders() const = 0;  ///< those of `names()` that are folders
  /// One of folders(), or "." for the folder itself; null if it cannot be opened.
  virtual std::unique_ptr<SubmissionFolder> open(const std::string& name) const = 0;
  /// The bytes of a regular file of at most `cap` bytes.
  virtual tl::expected<std::string, Refusal> read(const std::string& name,
                                                  std::int64_t cap) const = 0;
};

class SubmissionTree {
 public:
  explicit SubmissionTree(std::unique_ptr<SubmissionFolder> top);

  /// The folder `below` the submission's own folder, which is "."; null if there is none.
  std::unique_ptr<SubmissionFolder> open(const std::filesystem::path& below) const;

  /// The one folder that holds all files, as in the archive of a folder; empty if there is none.
  /// Files that operating systems add do not count.
  const std::string& inner() const { return inner_; }

 private:
  std::unique_ptr<SubmissionFolder> top_;
  std::string inner_;
};

/// The folder below `top`, opened step by step; null if one of the steps is gone or a link.
std::unique_ptr<SubmissionFolder> open_below(const SubmissionFolder& top,
                                             const std::filesystem::path& path);

/// The refusal of a file that has too many bytes.
Refusal too_large(const std::string& name, std::int64_t bytes, std::int64_t cap);

/// The first `size` bytes of a file, or all of a shorter one. Throws Error if the disk fails.
std::string bytes_of(const Fd& file, std::int64_t size);

/// A folder on disk. No symbolic link below it is followed.
tl::expected<SubmissionTree, Refusal> open_folder_tree(const std::filesystem::path& folder);

}  // namespace opgrade
