/// The calls that a timed case makes, and what their outputs add up to.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/cases/layer/tensor_store.hpp"
#include "grader/grading/run/call_tensors.hpp"
#include "grader/task/interface/problem.hpp"

namespace opgrade {

/// Problems one after another: a network's layers, of which each feeds the next, or a single one.
class CaseCalls {
 public:
  virtual ~CaseCalls() = default;

  /// Makes the buffers of the first problem and fills them, while the submission's process starts.
  virtual void begin() = 0;

  virtual std::size_t count() const = 0;

  /// The current problem, its name and its buffers.
  virtual const std::string& name() const = 0;
  virtual const Problem& problem() const = 0;
  virtual CallTensors& tensors() = 0;

  /// Reads the current problem's output from its buffers.
  virtual void use_output() {}

  /// Goes on to the next problem, after use_output().
  virtual void advance() {}

  /// All problems; those of a model have no more than `most` parts.
  virtual std::vector<NamedProblem> with_parts(int most) const = 0;

  /// Returns the buffers: to `store`, or frees them at once if that is null.
  virtual void release(TensorStore* store) = 0;

  /// After all outputs were used: the share of images whose class is right, if there are classes.
  virtual std::optional<double> accuracy() const { return std::nullopt; }
};

using MakeCalls = std::function<std::unique_ptr<CaseCalls>()>;

/// One problem with random inputs.
class SingleCall final : public CaseCalls {
 public:
  SingleCall(NamedProblem problem, std::mt19937_64 random)
      : problem_(std::move(problem)), random_(random) {}

  void begin() override;
  std::size_t count() const override { return 1; }
  const std::string& name() const override { return problem_.name; }
  const Problem& problem() const override { return *problem_.problem; }
  CallTensors& tensors() override { return *tensors_; }
  std::vector<NamedProblem> with_parts(int most) const override;
  void release(TensorStore* store) override;

 private:
  NamedProblem problem_;
  std::mt19937_64 random_;
  std::unique_ptr<CallTensors> tensors_;
};

}  // namespace opgrade
