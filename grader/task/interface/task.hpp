/// A task is what is graded: interfaces, sizes, problems. Intake, build, run, measure, score and
/// report know a task only through this header. docs/new-task.md says how to add one.
#pragma once

#include <filesystem>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/coordinates.hpp"
#include "grader/base/core/events.hpp"
#include "grader/base/core/gpu_rates.hpp"
#include "grader/task/interface/interface.hpp"
#include "grader/task/interface/model.hpp"
#include "grader/task/interface/problem.hpp"
#include "grader/task/interface/reference_code.hpp"

namespace opgrade {

/// A size that a config gives for a case.
struct SizeName {
  std::string_view name;
  bool required = true;  ///< else 1 if the config does not give it
};

/// Something that a task needs on this machine: a line of `opgrade doctor`.
struct Requirement {
  bool met = false;
  std::string name, state;
  std::string advice;  ///< what to do if it is not met
};

class Task {
 public:
  virtual ~Task() = default;

  virtual std::string_view id() const = 0;

  /// The name of the computation of a call, for messages: "in the convolution call".
  virtual std::string_view operation() const = 0;

  /// The student's names of the buffers, for messages: "x, k or y".
  virtual std::string_view buffer_names() const = 0;

  virtual std::span<const Interface> interfaces() const = 0;

  virtual std::span<const SizeName> size_names() const = 0;

  /// Why there is no problem of these sizes, each at least 1; empty if there is one.
  virtual std::string complaint(const Coordinates&) const { return {}; }

  /// Why a call of these sizes cannot be made through the interface; empty if it can.
  virtual std::string interface_complaint(const Interface&, const Coordinates&) const { return {}; }

  /// Why a call of these sizes cannot be timed on a GPU, where only one input is fresh; empty if it
  /// can.
  virtual std::string gpu_timing_complaint(const Coordinates&) const { return {}; }

  /// The kind of operations that Problem::flops() counts.
  virtual Operations operations() const { return Operations::fp32; }

  /// `staff`: for a lecturer's task, whose problem cannot make inputs or check outputs without it.
  virtual std::unique_ptr<Problem> problem(const Coordinates& sizes,
                                           const StaffWork& staff) const = 0;
  std::unique_ptr<Problem> problem(const Coordinates& sizes) const { return problem(sizes, {}); }

  /// Sizes for which no submission was tuned, small enough for plain loops. They cover the kinds
  /// that matter, whatever the seed.
  virtual std::vector<Coordinates> random_sizes(int count, const Interface& interface,
                                                std::mt19937_64& random) const = 0;

  /// Small and uneven sizes, for tools that watch every access and for the self-test of a device.
  virtual Coordinates control_sizes() const = 0;

  /// True if a config may name models, whose networks' layers are this task's problems.
  virtual bool has_networks() const { return false; }

  /// The task's models; null if it has none. Data sets lie in `data_folder`; missing ones are made
  /// there.
  virtual std::unique_ptr<Models> models(const std::filesystem::path& /*data_folder*/,
                                         Listener /*listen*/) const {
    return nullptr;
  }

  virtual std::vector<Requirement> requirements(
      const std::filesystem::path& /*data_folder*/) const {
    return {};
  }
};

}  // namespace opgrade
