/// Finds settings and files that would lead git out of a student's folder.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <tl/expected.hpp>

namespace opgrade::course {

using GitSettings = std::multimap<std::string, std::string>;
/// Reads a config's own settings, without those of files that it includes.
using ReadGitSettings =
    std::function<tl::expected<GitSettings, std::string>(const std::filesystem::path&)>;

/// True if `folder` has something named .git that git takes for a repository or its address, or
/// looks like a bare repository.
bool is_git_repository(const std::filesystem::path& folder);

struct GitFolder {
  std::filesystem::path path;  ///< has HEAD, objects and refs
  GitSettings settings;
};

/// The folder of git's files in a repository, or the repository itself if it is bare. The error
/// names what leads to another folder, and what to do.
tl::expected<GitFolder, std::string> own_git_folder(const std::filesystem::path& repository,
                                                    const ReadGitSettings& read_settings);

}  // namespace opgrade::course
