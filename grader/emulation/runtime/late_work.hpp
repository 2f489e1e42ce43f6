/// Work that the host gives to the device and does not wait for: launches, copies, host functions.
/// It is done in the call that gives it. With Variation::late it is done as late as CUDA allows,
/// and streams that nothing orders in the reverse order of the calls, so that a program which does
/// not wait for what it uses has other outputs.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "opgrade_emulation/api.hpp"

namespace opgrade_emulation {

struct UsedBytes {
  const void* begin = nullptr;
  std::size_t bytes = 0;
  bool changed = false;  ///< false: they are read alone
};

struct Work {
  const char* name = "";       ///< of the kernel, or of the function that gives it
  const void* site = nullptr;  ///< of that call
  const char* file = "";       ///< where there is no site
  int line = 0;
  bool is_kernel = false;  ///< it may use any variable of the program
  std::vector<UsedBytes> uses{};
  std::function<cudaError_t()> perform{};
};

/// Where in its stream some work stands: all that was given before it is done before it.
struct GivenWork;
using Mark = std::shared_ptr<GivenWork>;

/// The work of one stream that is not done yet, in the order of the calls.
struct WorkQueue;

/// Does the work, or keeps it: then cudaSuccess. A copy from which CUDA does not return before it
/// is done, such as one of host memory that is not pinned, is done after what the stream was given
/// before.
cudaError_t give(cudaStream_t stream, Work work);

/// What the stream was given so far; null unless work is late.
Mark mark_in(cudaStream_t stream);
/// What the stream is given from here on is done after `mark`.
void wait_in(cudaStream_t stream, const Mark& mark);

/// A call that comes back after work is done.
struct Wait {
  const char* function;
  const void* site;
  bool only_waits;  ///< which is what it is called for
};
void finish_until(const Mark& mark, const Wait& wait);
/// Of a default stream: of all streams that wait for it.
void finish_stream(cudaStream_t stream, const Wait& wait);
void finish_device(int device, const Wait& wait);
void finish_all(const Wait& wait);

/// A finding that names the work whose delay is likeliest to have changed outputs, if any was
/// delayed. The grader uses it if outputs are wrong.
void report_missing_wait();

}  // namespace opgrade_emulation
