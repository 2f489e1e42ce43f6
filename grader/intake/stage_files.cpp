#include "grader/intake/stage_files.hpp"

#include "grader/tasks/registry.hpp"

namespace opgrade {

std::vector<std::string> sources_of(const Config& config, const StageConfig& stage) {
  if (!stage.sources.empty()) return stage.sources;
  return {std::string(find_interface(config.interface).source(stage.device))};
}

StageFiles take_stage_files(const std::filesystem::path& submission, const Config& config) {
  std::vector<std::string> sources;
  for (const auto& stage : config.stages) {
    const auto own = sources_of(config, stage);
    sources.insert(sources.end(), own.begin(), own.end());
  }
  StageFiles files;
  auto opened = Submission::open(submission, config.files, sources);
  std::vector<TakenFiles> all;
  for (const auto& stage : config.stages) {
    if (opened) {
      files.stages.push_back(opened->take(sources_of(config, stage)));
    } else {
      files.stages.push_back(tl::unexpected(opened.error()));
    }
    if (files.stages.back()) all.push_back(*files.stages.back());
  }
  if (!all.empty()) files.sha256 = fingerprint(all);
  return files;
}

}  // namespace opgrade
