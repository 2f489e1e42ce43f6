/// Takes the files of a submission that the config names, and nothing else.
#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "grader/config/config.hpp"
#include "grader/intake/tree.hpp"

namespace opgrade {

struct TakenFile {
  std::string name;  ///< within its folder, without a path
  std::string bytes;
};

/// The files for one stage, read into memory: what is built is what was read, whatever happens to
/// the folder meanwhile.
struct TakenFiles {
  std::string folder;  ///< where in the submission, as the student sees it; "." for the top
  std::vector<TakenFile> files;
};

/// Looks in each of `rules.folders` for all of `sources`; the first folder that has them wins, and
/// its files that match `rules.take` come along. Only regular files are taken: links, devices and
/// pipes are refused when named and ignored otherwise. `submission` is a folder or an archive
/// (archive.hpp, which refuses more); files of the same bytes are taken from both. Throws Error
/// when the disk does not give what it holds.
tl::expected<TakenFiles, Refusal> take_files(const std::filesystem::path& submission,
                                             const FilesConfig& rules,
                                             const std::vector<std::string>& sources);

/// SHA-256 over names and bytes, in name order.
std::string fingerprint(const std::vector<TakenFiles>& stages);

}  // namespace opgrade
