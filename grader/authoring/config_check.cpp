#include "grader/authoring/config_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>

#include "grader/grading/cases/plan/chain_calls.hpp"
#include "grader/grading/score/score_stage.hpp"

namespace opgrade {

std::vector<std::string> model_problems(const Config& config, Models* models) {
  std::vector<std::string> problems;
  std::map<std::string, int> largest;  // by model: the largest batch that requires an accuracy
  const auto for_each_case = [&](const auto& visit) {
    for (const auto& stage : config.stages)
      for (const auto& wanted : stage.cases)
        if (std::holds_alternative<NetworkCase>(timed_kind(wanted)))
          visit(case_id(stage, wanted), wanted, model_of(models, config, wanted.model));
  };
  for_each_case([&](const std::string& id, const CaseConfig& wanted, const Model& model) {
    if (const auto complaint = model.complaint(wanted.batch); !complaint.empty()) {
      problems.push_back(fmt::format("{}: {}", id, complaint));
    } else if (wanted.accuracy) {
      int& most = largest[wanted.model];
      most = std::max(most, wanted.batch);
    }
  });
  const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::map<std::string, std::vector<bool>> right;
  for (const auto& [name, images] : largest)
    right[name] = model_of(models, config, name).right_images(images, threads);
  for_each_case([&](const std::string& id, const CaseConfig& wanted, const Model& model) {
    if (!wanted.accuracy || !model.complaint(wanted.batch).empty()) return;
    const auto& images = right[wanted.model];
    const auto count = std::count(images.begin(), images.begin() + wanted.batch, true);
    if (count == std::llround(*wanted.accuracy * wanted.batch)) return;
    problems.push_back(
        fmt::format("{}: 'accuracy' is {:.6g}, but the model "
                    "'{}' has {:.6g} ({} of {} images)",
                    id, *wanted.accuracy, wanted.model, static_cast<double>(count) / wanted.batch,
                    count, wanted.batch));
  });
  return problems;
}

}  // namespace opgrade
