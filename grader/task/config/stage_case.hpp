/// The cases of a stage as values, and their ids: "m3/high/10000", "m3/narrow", "m3/random",
/// "m3/batches", "m3/fixed". No other file builds or parses an id.
#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "grader/task/config/config.hpp"

namespace opgrade {

/// Calls that are timed, if the device can measure times.
struct TimedCase {
  const CaseConfig* config;
};
/// The layers of a model, on a batch of images.
struct NetworkCase : TimedCase {};
/// One problem with the sizes that the config lists.
struct SizesCase : TimedCase {};

/// Problems with random values, which are only checked.
struct RandomBatchesCase {
  const RandomBatchesConfig* config;
};
struct RandomShapesCase {
  const RandomShapesConfig* config;
};
struct FixedShapesCase {
  const FixedShapesConfig* config;
};

using CaseKind =
    std::variant<NetworkCase, SizesCase, RandomBatchesCase, RandomShapesCase, FixedShapesCase>;

/// One case of a stage. Points into the stage's config, which must outlive it.
struct Case {
  std::string id;
  CaseKind kind;

  template <class Kind>
  bool is() const {
    return std::holds_alternative<Kind>(kind);
  }
  /// Calls `timed` with the CaseConfig of a timed case, or `checked` with any other kind of case.
  template <class Timed, class Checked>
  auto visit(Timed&& timed, Checked&& checked) const {
    return std::visit(
        [&](const auto& one) {
          if constexpr (std::derived_from<std::decay_t<decltype(one)>, TimedCase>)
            return timed(*one.config);
          else
            return checked(one);
        },
        kind);
  }
  bool is_timed() const {
    return visit([](const CaseConfig&) { return true; }, [](const auto&) { return false; });
  }
};

/// The kind of a case that the config lists.
std::variant<NetworkCase, SizesCase> timed_kind(const CaseConfig& listed);

/// All cases of a stage: the shapes first, then the listed cases in the config's order.
std::vector<Case> cases_of(const StageConfig& stage);

/// The case with this id. Ids of reports come from the config, so any other id, such as that of a
/// report that is not filled yet, stands for random shapes.
Case case_of(const StageConfig& stage, const std::string& id);

/// The id of a listed case, or of the case that a rule names by model and batch.
std::string case_id(const StageConfig& stage, const auto& named) {
  return stage.name + "/" + case_name(named.model, named.batch);
}
std::string random_id(const StageConfig& stage);
std::string batches_id(const StageConfig& stage);
std::string fixed_id(const StageConfig& stage);

/// True if `name` is the id, or a part of the id from its start up to one of its slashes.
bool is_named(const std::string& id, const std::string& name);

}  // namespace opgrade
