/// One computation that a submission is called for: a convolution, a matrix product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/base/core/coordinates.hpp"
#include "grader/base/core/grade.hpp"
#include "grader/base/core/typed_bytes.hpp"

namespace opgrade {

/// A dense row-major tensor.
struct BufferShape {
  std::string name;  ///< as the student's function calls it
  std::vector<std::int64_t> extents;
  ElementType::Id type = ElementType::Id::f32;

  BufferSize size() const {
    return {std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>()),
            type};
  }
};

/// The values of a problem's buffers, in the order of Problem::buffers().
using Values = std::vector<TypedBytes>;

/// Only begin() changes it, and it reads no clock or file. That of a lecturer's task has its inputs
/// and right outputs from an object of its own, ReferenceAnswers.
class Problem {
 public:
  virtual ~Problem() = default;

  /// In the order in which the adapter reads them.
  virtual const Coordinates& sizes() const = 0;

  /// The output first, then the inputs.
  virtual std::vector<BufferShape> buffers() const = 0;

  /// The sizes for a message.
  virtual std::string label() const { return text_of(sizes()); }

  /// Fills the inputs. The same numbers give the same inputs on every machine.
  virtual void fill(const Values& values, std::mt19937_64& random) const = 0;

  /// Before the first call, when the inputs are filled. Inputs that refresh() leaves alone are
  /// those for all calls.
  virtual void begin(const Values&) {}

  /// Gives the output what it holds before a call, where that is not opgrade's poison; `zeros`:
  /// zeros in place of poison.
  virtual void set_output(const Values& /*values*/, bool /*zeros*/, int /*threads*/) const {}

  /// True if some of the output holds poison before a call, so that zeros may be what it lacks.
  virtual bool poisons_output() const { return true; }

  /// Makes the inputs fresh. Nothing that a submission worked out from earlier inputs may help with
  /// the new ones, and an honest call takes as long with both.
  virtual void refresh(const Values& values, int threads) const = 0;

  /// The output's parts, which can be checked one by one: images, rows.
  virtual int parts() const = 0;

  /// The same computation of the first parts alone: each of its inputs is the start of this one's.
  virtual std::unique_ptr<Problem> first_parts(int count) const = 0;

  /// Checks every element of the given parts, or of all where `parts` is empty, against a
  /// double-precision reference. Fills CheckReport::place.
  virtual CheckReport check(const Values& values, double tolerance, std::span<const int> parts,
                            int threads) const = 0;

  /// The place of an element of the output in the task's coordinates; zeros for a negative index.
  virtual Coordinates place_of(std::int64_t index) const = 0;

  /// One sentence on the likely mistake behind a failed check of the same values, or empty.
  virtual Hint explain(const Values& values, const CheckReport& report) const = 0;

  /// Floating-point operations.
  virtual double flops() const = 0;

  /// Inputs read once and the output written once.
  double bytes() const {
    std::size_t bytes = 0;
    for (const auto& buffer : buffers()) bytes += buffer.size().bytes();
    return static_cast<double>(bytes);
  }

  /// How the referee on a GPU (gpu/referee.hpp) checks it: each call gets fresh signs in one input,
  /// and the output is compared with a DeviceTruth. Both are the buffers that the adapter
  /// shares.
  struct OnDevice {
    std::string_view truth;           ///< name of the DeviceTruth
    Coordinates sizes;                ///< as that takes them
    std::vector<std::size_t> inputs;  ///< numbers of the buffers it takes, the fresh one first
    double terms = 1;  ///< an element's error may be tolerance * sqrt(terms) of its scale
  };
  /// Nothing where the referee cannot: then Op Time contains the copies to the device and back.
  virtual std::optional<OnDevice> on_device() const { return std::nullopt; }

  /// Where the host makes the inputs of each call and checks its output: one allocation that the
  /// adapter shares, with a copy of the output at its start.
  struct Arena {
    std::size_t bytes = 0;
    /// For each buffer, the byte where its copy starts, a multiple of its elements' alignment;
    /// nothing for one without a copy.
    std::vector<std::optional<std::size_t>> starts;
    /// What the function reads and writes on the host: inputs, and parts of the output (byte and
    /// number of bytes).
    std::vector<std::size_t> host_inputs;
    std::vector<std::pair<std::size_t, std::size_t>> host_output;
  };
  virtual std::optional<Arena> arena() const { return std::nullopt; }
};

/// A problem with its name in reports: "conv1", "random shape".
struct NamedProblem {
  std::string name;
  std::unique_ptr<Problem> problem;
};

}  // namespace opgrade
