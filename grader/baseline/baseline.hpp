/// A whole network whose convolutions a library computes, as in the course's first milestone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grader/baseline/conv_library.hpp"
#include "grader/tasks/conv/network_models.hpp"

namespace opgrade {

struct BaselineLayer {
  std::string name;
  ConvShape shape;  ///< for the whole batch
  ConvTimes ms;     ///< summed over the batch
};

struct BaselineResult {
  std::vector<BaselineLayer> layers;
  std::int64_t correct = 0;
  int images = 0;
  double accuracy() const { return static_cast<double>(correct) / images; }
};

/// Runs the first `images` images of the model's data set, in the library's preferred batches.
/// `threads` are for the layers between the convolutions. Throws Error: more images than there are.
BaselineResult run_baseline(const NetworkModel& model, ConvLibrary& library, int images,
                            int threads, Stopwatch& stopwatch);

}  // namespace opgrade
