#include "grader/intake/stage_files.hpp"

#include "grader/tasks/registry.hpp"

namespace opgrade {

namespace {

std::vector<std::string> all_sources(const Config& config) {
  std::vector<std::string> sources;
  for (const auto& stage : config.stages) {
    const auto own = sources_of(config, stage);
    sources.insert(sources.end(), own.begin(), own.end());
  }
  return sources;
}

StageFiles take_from(tl::expected<Submission, Refusal> opened, const Config& config) {
  StageFiles files;
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

}  // namespace

std::vector<std::string> sources_of(const Config& config, const StageConfig& stage) {
  if (!stage.sources.empty()) return stage.sources;
  return {std::string(find_interface(config.interface).source(stage.device))};
}

StageFiles take_stage_files(const std::filesystem::path& submission, const Config& config) {
  return take_from(Submission::open(submission, config.files, all_sources(config)), config);
}

std::optional<Refusal> nothing_to_grade(std::string_view archive, const Config& config) {
  std::optional<Refusal> why;
  auto opened = Submission::of_archive(archive, config.files, all_sources(config));
  for (const auto& files : take_from(std::move(opened), config).stages) {
    if (files) return std::nullopt;
    if (!why)
      why = files.error();
    else if (why->reason.find(files.error().reason) == std::string::npos)
      why->reason += "; " + files.error().reason;
  }
  return why;
}

}  // namespace opgrade
