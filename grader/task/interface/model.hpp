/// A trained model of a task: problems of which each one's input comes from the output before it.
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
  std::filesystem::path folder;  ///< of the config; a value with a slash is relative to it
  std::string network, weights;  ///< else the name of one of opgrade's own

  /// Where the files must lie.
  std::filesystem::path network_file() const;
  std::filesystem::path weights_file() const;
};

/// One pass of a model over a batch: what the grader computes between the problems.
class ModelPass {
 public:
  virtual ~ModelPass() = default;

  /// Fills the inputs of problem `i`; the first input only where i is 0. forward() has written it
  /// in all others.
  virtual void fill(std::size_t i, const Values& values) = 0;

  /// From the output of problem `i` to the first input of the next, which is empty after the last.
  virtual void forward(std::size_t i, std::span<const float> output, std::span<float> next) = 0;

  /// Right predictions, once the last output went through forward().
  virtual std::int64_t right() const = 0;
};

/// Safe to use from several threads at once.
class Model {
 public:
  virtual ~Model() = default;

  /// Why the model cannot run a batch of that size; empty where it can.
  virtual std::string complaint(int batch) const = 0;

  /// In the order in which a pass runs them.
  virtual std::vector<NamedProblem> problems(int batch) const = 0;

  /// Its problems at batches that no submission was tuned for; a call stays below `flops`.
  virtual std::vector<NamedProblem> random_batches(int count, double flops,
                                                   std::mt19937_64& random) const = 0;

  /// For each of the first images, whether the model predicts its label when the grader itself
  /// computes its problems. Takes seconds for 10,000 images. Throws Error where the model cannot
  /// run the batch.
  virtual std::vector<bool> right_images(int images, int threads) const = 0;

  /// `threads`: of the grader, between the problems. The model must outlive it. Throws Error where
  /// the model cannot run the batch.
  virtual std::unique_ptr<ModelPass> pass(int batch, int threads) const = 0;
};

/// The models of a task, each loaded once. Safe to use from several threads at once.
class Models {
 public:
  virtual ~Models() = default;

  /// Throws UsageError naming the file that is missing or wrong, Error where the inputs cannot be
  /// had.
  virtual const Model& get(const ModelName& name) = 0;
};

}  // namespace opgrade
