/// Takes the files of a submission that the config names, and nothing else.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "grader/base/core/reason.hpp"
#include "grader/grading/intake/tree.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

struct TakenFile {
  std::string name;  ///< below its folder: "tile.h", "lib/tile.h"
  std::string bytes;
};

/// The files for one stage, read into memory: what is built is what was read, whatever happens to
/// the folder meanwhile.
struct TakenFiles {
  std::string folder;  ///< as the config names it; "." for the top
  std::vector<TakenFile> files;
  std::vector<LeftOutFile> left_out{};  ///< for hints; incomplete if there are thousands
  std::string inner{};  ///< the submission's one inner folder, if `folder` lies in that one
};

/// Where the sources of one exercise of several lie.
struct ExercisePlace {
  std::string folder;  ///< empty: the exercise is the only one
  bool or_top = true;  ///< its sources may lie next to the others', because their names are its own
};

/// A folder of a submission, below its own or its one inner folder.
struct Place {
  std::string inner, folder;
  std::string path() const;
};

/// The path of `taken.folder` in the submission; "." for the submission's own folder.
std::string path_of(const TakenFiles& taken);

/// A submission, opened once for all stages. A file that several stages take is read once, so that
/// all of them, and the fingerprint, see the same bytes.
class Submission {
 public:
  /// `submission` is a folder or an archive (archive.hpp, which refuses more); the same files with
  /// the same fingerprint are taken from both. `sources` lists the sources of all stages. Throws
  /// Error if the disk does not give what it holds.
  static tl::expected<Submission, Refusal> open(const std::filesystem::path& submission,
                                                const FilesConfig& rules,
                                                const std::vector<std::string>& sources);

  /// Opens an archive in memory in the same way.
  static tl::expected<Submission, Refusal> of_archive(std::string_view archive,
                                                      const FilesConfig& rules,
                                                      const std::vector<std::string>& sources);

  /// Looks in each of `rules.folders` for all of `sources`, then in the same folders below the one
  /// that holds all files (SubmissionTree::inner). The first folder that has them wins. If none has
  /// them, they are taken from the only other folder that does. Files that the course hands out may
  /// be absent (handed_out.hpp).
  /// The folder's files that match `rules.take` come along, also from folders below it. Only
  /// regular files are taken: links, devices and pipes are refused if they are named and left out
  /// otherwise. In folders below, files beyond the limits are left out too.
  ///
  /// One exercise of several is searched in these folders below its own folder, then in these
  /// folders, and nowhere else, because another folder may be another exercise's.
  tl::expected<TakenFiles, Refusal> take(const std::vector<std::string>& sources,
                                         const ExercisePlace& exercise = {});

 private:
  Submission(SubmissionTree tree, FilesConfig rules)
      : tree_(std::move(tree)), rules_(std::move(rules)) {}

  const tl::expected<std::string, Refusal>& read(const SubmissionFolder& folder,
                                                 const std::string& path, const std::string& name);
  tl::expected<TakenFiles, Refusal> take_from(const Place& place,
                                              const std::vector<std::string>& sources);
  tl::expected<void, Refusal> take_folder(const SubmissionFolder& folder,
                                          const std::vector<std::string>& sources,
                                          TakenFiles& taken);
  void take_below(const SubmissionFolder& top, TakenFiles& taken);
  void take_one(const SubmissionFolder& folder, const std::string& place, const std::string& name,
                std::size_t& bytes, TakenFiles& taken);
  Refusal missing(const std::vector<std::string>& sources, const ExercisePlace& exercise) const;

  SubmissionTree tree_;
  FilesConfig rules_;
  std::map<std::string, tl::expected<std::string, Refusal>> read_;  ///< by path in the submission
};

/// Submission::open() and take() for one stage.
tl::expected<TakenFiles, Refusal> take_files(const std::filesystem::path& submission,
                                             const FilesConfig& rules,
                                             const std::vector<std::string>& sources);

/// SHA-256 over names and bytes, in name order.
std::string fingerprint(const std::vector<TakenFiles>& stages);

}  // namespace opgrade
