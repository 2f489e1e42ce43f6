/// A trained model of a task: problems in which each input comes from the output of the problem
/// before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "grader/task/interface/problem.hpp"

namespace opgrade {

/// A model as a config names it.
struct ModelName {
  std::filesystem::path folder;  ///< folder of the config; a value with a slash is relative to it
  std::string network, weights;  ///< a value without a slash names one of opgrade's own

  /// Paths at which the files must be.
  std::filesystem::path network_file() const;
  std::filesystem::path weights_file() const;
};

/// One pass of a model over a batch: what the grader computes between the problems.
class ModelPass {
 public:
  virtual ~ModelPass() = default;

  /// Fills the inputs of problem `i`. The first input is only filled if i is 0, because forward()
  /// has written it for all others.
  virtual void fill(std::size_t i, const Values& values) = 0;

  /// Computes the first input of the next problem from the output of problem `i`. `next` is empty
  /// after the last problem.
  virtual void forward(std::size_t i, std::span<const float> output, std::span<float> next) = 0;

  /// Number of right predictions. Call it after forward() had the last output.
  virtual std::int64_t right() const = 0;
};

/// Safe to use from several threads at once.
class Model {
 public:
  virtual ~Model() = default;

  /// Why the model cannot run a batch of that size; empty if it can.
  virtual std::string complaint(int batch) const = 0;

  /// In the order in which a pass runs them.
  virtual std::vector<NamedProblem> problems(int batch) const = 0;

  /// The model's problems at batches for which no submission was tuned; a call stays below `flops`.
  virtual std::vector<NamedProblem> random_batches(int count, double flops,
                                                   std::mt19937_64& random) const = 0;

  /// For each of the first images, whether the model predicts its label if the grader itself
  /// computes the problems. Takes seconds for 10,000 images. Throws Error if the model cannot run
  /// the batch.
  virtual std::vector<bool> right_images(int images, int threads) const = 0;

  /// `threads`: number that the grader uses between the problems. The model must outlive the pass.
  /// Throws Error if the model cannot run the batch.
  virtual std::unique_ptr<ModelPass> pass(int batch, int threads) const = 0;
};

/// The models of a task, each loaded once. Safe to use from several threads at once.
class Models {
 public:
  virtual ~Models() = default;

  /// Throws UsageError naming the file that is missing or wrong, Error if the inputs cannot be
  /// made.
  virtual const Model& get(const ModelName& name) = 0;
};

}  // namespace opgrade
