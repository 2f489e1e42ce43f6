#include "grader/grading/pipeline/submission_source.hpp"

#include <algorithm>

#include "grader/grading/intake/stage_files.hpp"

namespace opgrade {

report::SourceOf source_of(const std::filesystem::path& submission,
                           std::shared_ptr<const Config> config) {
  return [submission, config = std::move(config), files = std::optional<std::vector<TakenFile>>()](
             const std::string& path) mutable -> std::optional<std::string> {
    if (!files) files = files_of(take_stage_files(submission, *config));
    const auto found = std::ranges::find(*files, path, &TakenFile::name);
    return found == files->end() ? std::nullopt : std::optional(found->bytes);
  };
}

}  // namespace opgrade
