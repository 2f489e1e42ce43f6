/// A vendor's convolution, whole batches at a time: the yardstick that a submission is to beat.
#pragma once

#include <memory>
#include <string>

#include "grader/baseline/stopwatch.hpp"
#include "reference/conv_shape.hpp"

namespace opgrade {

/// Milliseconds in the course's terms, without the library's one-time planning.
struct ConvTimes {
  double op = 0;     ///< the convolution alone
  double layer = 0;  ///< with copies to and from the library's memory and layout
  std::string how;   ///< the library's name of the algorithm
};

class ConvLibrary {
 public:
  virtual ~ConvLibrary() = default;
  virtual std::string name() const = 0;

  /// How many images one call should get at most.
  virtual int images_at_once() const = 0;

  /// y = conv(x, k) in ConvShape's layouts, float32, host memory. Steps are recorded under `layer`.
  /// Throws Error where the library refuses.
  virtual ConvTimes convolve(const std::string& layer, const ConvShape& shape, const float* x,
                             const float* k, float* y, Stopwatch& stopwatch) = 0;
};

/// Either throws Error with a hint where opgrade was built without the library, or the machine
/// lacks the device.
std::unique_ptr<ConvLibrary> make_onednn(int threads);
std::unique_ptr<ConvLibrary> make_cudnn();

}  // namespace opgrade
