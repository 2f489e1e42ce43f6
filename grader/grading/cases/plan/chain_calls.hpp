/// A model's problems one after another: each by the submission, on the output of the one before.
#pragma once

#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/cases/plan/case_calls.hpp"
#include "grader/grading/run/chain_tensors.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/interface/model.hpp"

namespace opgrade {

/// The model that the config calls `name`. Throws UsageError if it cannot be had.
const Model& model_of(Models* models, const Config& config, const std::string& name);

/// The shapes of a model's calls.
std::vector<CallShape> call_shapes(const std::vector<NamedProblem>& problems);

/// The calls of a timed case: a model's, or one with the case's sizes and values from `random`.
/// `stage`, its models and `wanted` must outlive the result.
MakeCalls calls_of(const StageContext& stage, const CaseConfig& wanted, std::mt19937_64 random);

class ChainCalls final : public CaseCalls {
 public:
  struct Options {
    int threads = 1;
    TensorStore* store = nullptr;  ///< where its tensors come from; null: they are its own
  };

  /// `model` must outlive this object. Throws Error if the model cannot run the case.
  ChainCalls(const Model& model, const CaseConfig& wanted, Options options);

  void begin() override;
  std::size_t count() const override { return problems_.size(); }
  const std::string& name() const override { return problems_[current_].name; }
  const Problem& problem() const override { return *problems_[current_].problem; }
  CallTensors& tensors() override { return tensors_->now(); }
  void use_output() override;
  void advance() override;
  std::vector<NamedProblem> with_parts(int most) const override;
  void release(TensorStore* store) override;
  std::optional<double> accuracy() const override;

 private:
  bool is_last() const { return current_ + 1 == problems_.size(); }

  const CaseConfig wanted_;
  const Options options_;
  const std::unique_ptr<ModelPass> pass_;
  const std::vector<NamedProblem> problems_;
  std::size_t current_ = 0;
  std::unique_ptr<ChainTensors> tensors_;
};

}  // namespace opgrade
