#include "grader/grading/pipeline/stage_tools.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "grader/base/core/temp_dir.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/grading/cases/plan/chain_calls.hpp"
#include "grader/grading/cases/rerun/case_profile.hpp"
#include "grader/grading/cases/rerun/sanitize_run.hpp"
#include "grader/grading/cases/rerun/tool_run.hpp"
#include "grader/grading/pipeline/stage_problems.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// Runs the tools of the CUDA toolkit.
void sanitize_first(const GradingBench& bench, const StageContext& stage, const StageBuild& build,
                    StageDevice& device, StageReport& report, std::vector<Note>& notes) {
  const auto sanitizer = find_sanitizer(*bench.machine.tools().cuda_root);
  if (!sanitizer) {
    notes.push_back(notes::NoComputeSanitizer{});
    return;
  }
  bench.options.listen(events::SanitizerStarted{report.name});
  SanitizeResult result;
  try {
    const CaseContext context{
        .stage = stage, .built = {.submission = build.submission()}, .on = device.take(stage)};
    device.run([&] {
      result = sanitize(context, *sanitizer, bench.options.tool_time);
      return result.problems.empty() && result.findings.empty();
    });
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    notes.push_back(notes::SanitizerNotRun{report.name, e.what()});
    return;
  }
  notes.insert(notes.end(), result.problems.begin(), result.problems.end());
  if (result.problems.empty() && result.findings.empty())
    notes.push_back(notes::SanitizerFoundNothing{report.name});
  add_findings(report.cases.front(), result.findings);
}

struct WatchedProblem {
  std::unique_ptr<Problem> problem;
  std::string case_id{};  ///< of the case whose layer it is; empty for the task's small sizes
};

/// The network's layer with the most work at the smallest batch; the task's small sizes if the
/// stage has no network.
WatchedProblem problem_to_watch(const Selection& selection, const StageConfig& stage_config,
                                const StageContext& stage) {
  const std::string id = selection.to_profile(stage_config, stage.device);
  if (!id.empty()) {
    const Case shown = case_of(stage_config, id);
    if (const auto* const network = std::get_if<NetworkCase>(&shown.kind)) {
      auto layers =
          model_of(stage.models, stage.config, network->config->model).problems(kSmallestBatch);
      const auto most = std::ranges::max_element(
          layers, {}, [](const NamedProblem& layer) { return layer.problem->flops(); });
      if (most != layers.end()) return {std::move(most->problem), id};
    }
  }
  return {stage.task.problem(stage.task.control_sizes())};
}

/// Writes the sources as they were compiled, readable by the sandbox's user.
void write_sources(const TakenFiles& files, const fs::path& folder) {
  fs::permissions(folder,
                  fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read |
                      fs::perms::others_exec,
                  fs::perm_options::add);
  for (const TakenFile& file : files.files) {
    fs::create_directories((folder / file.name).parent_path());
    write_file(folder / file.name, file.bytes);
  }
}

void run_around(const GradingBench& bench, const StageConfig& stage_config,
                const StageContext& stage, StageBuild& build, StageDevice& device,
                std::vector<Note>& notes) {
  const ToolWish& wish = bench.options.tool;
  const auto files = tool_files(bench.config, bench.selection, *wish.tool);
  const std::string title(wish.tool->title);
  const auto add = [&](Note note) {
    notes.push_back(files.size() < 2 ? std::move(note)
                                     : of_stage(std::move(note), stage_config.name));
  };
  const auto found = find_tool(*wish.tool, bench.machine.tools().cuda_root);
  if (auto why = why_unusable(*wish.tool, found, stage.device)) return add(*std::move(why));
  try {
    if (build.plain().report.outcome != Outcome::passed) return;  // the report says so
    const CaseContext context{
        .stage = stage, .built = {.submission = build.submission()}, .on = device.take(stage)};
    const auto [problem, case_id] = problem_to_watch(bench.selection, stage_config, stage);
    const TempDir sources("opgrade-sources-");
    write_sources(build.files(), sources.path());
    const ToolJob job{wish,
                      *found,
                      *problem,
                      sources.path(),
                      {bench.options.tool_file_bytes, bench.options.tool_time.value_or(kToolTime)},
                      files.at(stage_config.name)};
    ToolRun ran;
    const auto begin = std::chrono::steady_clock::now();
    device.run([&] {
      ran = run_under_tool(context, job);
      return ran.file.has_value();
    });
    device.give_back();
    if (ran.problem) return add(*std::move(ran.problem));
    try {
      if (bench.options.keep_tool_file) bench.options.keep_tool_file(*ran.file);
    } catch (const std::exception& e) {
      return add(notes::ToolFileNotKept{.tool = title, .words = e.what()});
    }
    add(notes::ToolWatched{
        .tool = title, .call = problem->label(), .file = ran.file->name, .watched = case_id});
    const auto left = job.limits.time - (std::chrono::steady_clock::now() - begin);
    auto lines =
        lines_in(context, job, ran.file->bytes, std::chrono::floor<std::chrono::seconds>(left));
    if (!lines.empty())
      add(notes::ToolSamples{
          .tool = title, .kernel = wish.kernel, .lines = std::move(lines), .watched = case_id});
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    add(notes::ToolFailed{.tool = title, .words = e.what()});
  }
}

}  // namespace

std::map<std::string, std::string> tool_files(const Config& config, const Selection& selection,
                                              const DeviceTool& tool) {
  std::vector<std::string> stages;
  for (const StageConfig& stage : config.stages)
    if (stage.device == Device::cuda && selection.any_of(stage)) stages.push_back(stage.name);
  const auto names = tool_file_names(tool, stages);
  std::map<std::string, std::string> files;
  for (std::size_t i = 0; i < stages.size(); ++i) files.emplace(stages[i], names[i]);
  return files;
}

void run_tools(const GradingBench& bench, const StageConfig& stage_config,
               const StageContext& stage, StageBuild& build, StageDevice& device,
               StageReport& report, std::vector<Note>& notes) {
  if (report.cases.empty()) return;
  if (bench.options.sanitize && stage.device == Device::cuda)
    sanitize_first(bench, stage, build, device, report, notes);
  if (bench.options.tool.tool != nullptr && stage.device != Device::cpu)
    run_around(bench, stage_config, stage, build, device, notes);
}

}  // namespace opgrade
