/// A student's repository as git may read it.
///
/// Git follows what a repository's own files name: another folder (commondir), other objects
/// (alternates), other packs (an index of packs), other configs (include), programs. So git never
/// sees these files. It reads a folder of the grader's, which has the student's branches and, of
/// the student's objects, only loose ones and packs.
#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "grader/base/core/temp_dir.hpp"

namespace opgrade::course {

class GitView {
 public:
  /// The error names what leads out of the student's folder, and what to do. `repository` holds
  /// .git, or is bare.
  static tl::expected<GitView, std::string> of(const std::filesystem::path& repository);

  /// Runs git with these arguments. Returns what it prints, or its error.
  tl::expected<std::string, std::string> git(const std::vector<std::string>& arguments) const;

 private:
  GitView() = default;
  TempDir folder_{"opgrade-git-"};
};

}  // namespace opgrade::course
