/// A network as the course runs it: each convolution by the submission, on the output of the layers
/// before it, everything else by the grader.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/app/case_calls.hpp"
#include "grader/app/case_run.hpp"
#include "grader/app/layer_tensors.hpp"
#include "grader/app/model_store.hpp"
#include "grader/config/config.hpp"
#include "grader/network/network.hpp"
#include "grader/tasks/conv/conv_problem.hpp"

namespace opgrade {

/// The problems of these convolutions.
std::vector<NamedProblem> problems_of(const std::vector<ConvLayer>& convs);

/// The calls of a timed case: a model's, or one with the case's sizes and values from `random`.
/// `context`, `wanted` and `models` must outlive it.
MakeCalls calls_of(const CaseContext& context, const CaseConfig& wanted, ModelStore& models,
                   std::mt19937_64 random);

class NetworkCalls final : public CaseCalls {
 public:
  struct Options {
    int threads = 1;
    bool ahead = false;              ///< see LayerTensors
    bool reduced_precision = false;  ///< the stage's tolerance is wide
  };

  /// `model` must outlive it. Throws Error where the model cannot run the case.
  NetworkCalls(const Model& model, const CaseConfig& wanted, Options options);

  void begin() override;
  std::size_t count() const override { return convs_.size(); }
  const std::string& name() const override { return convs_[current_].name; }
  const Problem& problem() const override { return *problem_; }
  CallTensors& tensors() override { return layers_->now(); }
  void use_output() override;
  void advance() override;
  std::vector<NamedProblem> profiled(bool few) const override;
  void release(Leftovers* leftovers) override;
  void judge(CaseReport& report) const override;

 private:
  void begin_problem();
  bool is_last() const { return current_ + 1 == convs_.size(); }

  const Model& model_;
  const CaseConfig wanted_;
  const Options options_;
  const std::vector<ConvLayer> convs_;
  std::size_t current_ = 0;
  std::unique_ptr<LayerTensors> layers_;
  std::optional<ConvProblem> problem_;
  std::vector<float> logits_;
};

}  // namespace opgrade
