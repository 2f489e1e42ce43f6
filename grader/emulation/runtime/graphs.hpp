/// Streams, and the graphs that are captured from them.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "grader/emulation/runtime/late_work.hpp"
#include "opgrade_emulation/api.hpp"

namespace opgrade_emulation {

/// The operations of a captured stream, in the order of the calls: the work of a graph's launch.
using Steps = std::vector<std::function<cudaError_t()>>;

struct Capture {
  cudaStream_t origin;
  std::shared_ptr<Steps> steps = std::make_shared<Steps>();
  bool broken = false;  ///< a call that a capturing stream does not allow has broken it
};

/// Returns false for the default streams.
bool is_handle(cudaStream_t stream);
/// The capture that a stream takes part in; null if there is none.
const std::shared_ptr<Capture>& capture_of(cudaStream_t stream);
/// True if any stream is being captured.
bool any_capture();

/// Adds work to the stream's capture if it has one, else gives it to the stream.
inline cudaError_t in_stream(cudaStream_t stream, Work work) {
  const auto& capture = capture_of(stream);
  if (capture == nullptr) return give(stream, std::move(work));
  capture->steps->push_back(std::move(work.perform));
  return cudaSuccess;
}

}  // namespace opgrade_emulation

struct CUstream_st {
  int priority = 0;
  std::shared_ptr<opgrade_emulation::Capture> capture;
  int device = 0;
  bool is_non_blocking = false;  ///< no order between it and the legacy default stream
  std::shared_ptr<opgrade_emulation::WorkQueue> queue;  ///< see late_work.hpp
};
