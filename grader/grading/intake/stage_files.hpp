/// A submission's files for all stages of a config, from one reading.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "grader/grading/intake/intake.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// The hash is that of the files that are built.
struct StageFiles {
  std::vector<tl::expected<TakenFiles, Refusal>> stages;  ///< as in the config
  std::string sha256;                                     ///< empty if the files of all stages are
                                                          ///< refused
};

/// Opens the folder or archive once. Throws Error if the disk does not give what it holds.
StageFiles take_stage_files(const std::filesystem::path& submission, const Config& config);

/// The files of all stages, each once, by their paths in reports.
std::vector<TakenFile> files_of(const StageFiles& taken);

/// A text that is equal for equal files in equal folders; empty if no stage has its files.
std::string content_of(const StageFiles& taken);

/// A stage whose files are not all in an archive.
struct MissingFiles {
  std::string stage;  ///< its title
  double points = 0;  ///< of the stage
  std::string reason;
};
std::vector<MissingFiles> missing_in(std::string_view archive, const Config& config);

/// Why no stage finds its files in the archive; nullopt if one does.
std::optional<Refusal> nothing_to_grade(std::string_view archive, const Config& config);

}  // namespace opgrade
