/// One computation for which a submission is called: a convolution, a matrix product.
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

/// Only begin() changes a problem, and a problem reads no clock and no file. A problem of a
/// lecturer's task gets its inputs and right outputs from a separate object, ReferenceAnswers.
class Problem {
 public:
  virtual ~Problem() = default;

  /// The sizes, in the order in which the adapter reads them.
  virtual const Coordinates& sizes() const = 0;

  /// The output first, then the inputs.
  virtual std::vector<BufferShape> buffers() const = 0;

  /// The sizes as text for a message.
  virtual std::string label() const { return text_of(sizes()); }

  /// Fills the inputs. Equal random numbers give equal inputs on every machine.
  virtual void fill(const Values& values, std::mt19937_64& random) const = 0;

  /// Called before the first call, when the inputs are filled. Inputs that refresh() leaves alone
  /// are the same in all calls.
  virtual void begin(const Values&) {}

  /// Sets the content of the output before a call, if that is not opgrade's poison. `zeros`: zeros
  /// instead of poison.
  virtual void set_output(const Values& /*values*/, bool /*zeros*/, int /*threads*/) const {}

  /// True if some of the output holds poison before a call. Such an output may be wrong because it
  /// relies on zeros.
  virtual bool poisons_output() const { return true; }

  /// Makes the inputs fresh. Nothing that a submission worked out from earlier inputs may help with
  /// the new ones, and an honest call must take as long with both.
  virtual void refresh(const Values& values, int threads) const = 0;

  /// The output's parts, which can be checked one by one: images, rows.
  virtual int parts() const = 0;

  /// The same computation for the first parts only: each of its inputs is the beginning of this
  /// problem's.
  virtual std::unique_ptr<Problem> first_parts(int count) const = 0;

  /// Checks every element of the given parts, or of all parts if `parts` is empty, against a
  /// double-precision reference. Fills CheckReport::place.
  virtual CheckReport check(const Values& values, double tolerance, std::span<const int> parts,
                            int threads) const = 0;

  /// The coordinates of an output's element in the task's terms; zeros for a negative index.
  virtual Coordinates place_of(std::int64_t index) const = 0;

  /// One sentence on the likely mistake behind a failed check of these values, or empty.
  virtual Hint explain(const Values& values, const CheckReport& report) const = 0;

  /// Number of floating-point operations.
  virtual double flops() const = 0;

  /// Bytes of the inputs, read once, and of the output, written once.
  double bytes() const {
    std::size_t bytes = 0;
    for (const auto& buffer : buffers()) bytes += buffer.size().bytes();
    return static_cast<double>(bytes);
  }

  /// How the referee on a GPU (gpu/referee.hpp) checks the problem: each call gets fresh signs in
  /// one input, and the output is compared with a DeviceTruth. Input and output are the buffers
  /// that the adapter shares.
  struct OnDevice {
    std::string_view truth;           ///< name of the DeviceTruth
    Coordinates sizes;                ///< sizes as the DeviceTruth takes them
    std::vector<std::size_t> inputs;  ///< numbers of the buffers it takes, the fresh one first
    double terms = 1;  ///< an element's error may be tolerance * sqrt(terms) of its scale
  };
  /// nullopt if the referee cannot check the problem: then Op Time contains the copies to the
  /// device and back.
  virtual std::optional<OnDevice> on_device() const { return std::nullopt; }

  /// For problems whose inputs the host makes and whose output the host checks in each call: one
  /// allocation that the adapter shares, with a copy of the output at its start.
  struct Arena {
    std::size_t bytes = 0;
    /// For each buffer, the offset of its copy in bytes, a multiple of its elements' alignment;
    /// nullopt for a buffer without a copy.
    std::vector<std::optional<std::size_t>> starts;
    /// Data that the function reads and writes on the host: inputs, and parts of the output as
    /// (first byte, number of bytes).
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
