#include "grader/grading/intake/stage_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "grader/task/config/config_task.hpp"
#include "grader/task/config/student_files.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade {

namespace {

/// Drops the files that staff's own replace. If a task gives all but one function of some sources,
/// only the stage's sources and handed out files stay.
tl::expected<TakenFiles, Refusal> with_given(TakenFiles taken, const Config& config,
                                             const StageConfig& stage,
                                             const std::vector<std::string>& sources) {
  const FolderTask* const task = folder_task_of(config, stage);
  if (task == nullptr) return taken;
  std::erase_if(taken.files, [&](const TakenFile& file) { return task->builds_own(file.name); });
  std::vector<TakenFile> built;
  bool given = false;
  for (const auto& file : taken.files) {
    const bool is_handed_out = config.files.find_handed_out(file.name) != nullptr;
    if (std::ranges::find(sources, file.name) == sources.end() && !is_handed_out) continue;
    try {
      auto text = task->given_with(file.name, file.bytes);
      given |= text.has_value();
      built.push_back({file.name, text ? std::move(*text) : file.bytes});
    } catch (const std::invalid_argument& e) {
      return tl::unexpected(
          Refusal{fmt::format("{}: {}", file.name, e.what()), "start again from the given file"});
    }
  }
  if (given) taken.files = std::move(built);
  return taken;
}

double points_of(const StageConfig& stage) {
  Config alone;
  alone.stages = {stage};
  return alone.max_points();
}

/// If no other exercise has a source of the same name, the name tells the exercise as well.
ExercisePlace place_in(const Config& config, const StageConfig& stage,
                       const std::vector<std::string>& sources) {
  const auto has_one_of_them = [&](const StageConfig& other) {
    const auto names = sources_of(config, other);
    return other.folder != stage.folder &&
           std::ranges::find_first_of(names, sources) != names.end();
  };
  if (stage.folder.empty() || stage.folder == ".") return {};
  return {stage.folder, std::ranges::none_of(config.stages, has_one_of_them)};
}

StageFiles take_from(tl::expected<Submission, Refusal> opened, const Config& config) {
  StageFiles files;
  std::vector<TakenFiles> all;
  for (const auto& stage : config.stages) {
    if (opened) {
      const auto sources = sources_of(config, stage);
      auto taken = opened->take(sources, place_in(config, stage, sources));
      files.stages.push_back(taken ? with_given(std::move(*taken), config, stage, sources)
                                   : std::move(taken));
    } else {
      files.stages.push_back(tl::unexpected(opened.error()));
    }
    if (files.stages.back()) all.push_back(*files.stages.back());
  }
  if (!all.empty()) files.sha256 = fingerprint(all);
  return files;
}

}  // namespace

StageFiles take_stage_files(const std::filesystem::path& submission, const Config& config) {
  return take_from(Submission::open(submission, config.files, sources_of(config)), config);
}

std::string content_of(const StageFiles& taken) {
  if (taken.sha256.empty()) return "";
  std::string text = taken.sha256;
  for (const auto& stage : taken.stages)
    text += '\n' + (stage ? path_of(*stage) : stage.error().reason + stage.error().hint);
  return text;
}

std::optional<Refusal> nothing_to_grade(std::string_view archive, const Config& config) {
  std::optional<Refusal> why;
  auto opened = Submission::of_archive(archive, config.files, sources_of(config));
  for (const auto& files : take_from(std::move(opened), config).stages) {
    if (files) return std::nullopt;
    if (!why)
      why = files.error();
    else if (why->reason.find(files.error().reason) == std::string::npos)
      why->reason += "; " + files.error().reason;
  }
  return why;
}

std::vector<MissingFiles> missing_in(std::string_view archive, const Config& config) {
  std::vector<MissingFiles> missing;
  auto opened = Submission::of_archive(archive, config.files, sources_of(config));
  const StageFiles taken = take_from(std::move(opened), config);
  for (std::size_t i = 0; i < config.stages.size(); ++i) {
    const StageConfig& stage = config.stages[i];
    if (!taken.stages[i])
      missing.push_back({stage.title.empty() ? stage.name : stage.title, points_of(stage),
                         taken.stages[i].error().reason});
  }
  return missing;
}

std::vector<TakenFile> files_of(const StageFiles& taken) {
  std::vector<TakenFile> all;
  for (const auto& stage : taken.stages) {
    if (!stage) continue;
    const std::string at = path_of(*stage);
    for (const TakenFile& file : stage->files) {
      const std::string name = at == "." ? file.name : at + "/" + file.name;
      if (std::ranges::find(all, name, &TakenFile::name) == all.end())
        all.push_back({name, file.bytes});
    }
  }
  return all;
}

}  // namespace opgrade
