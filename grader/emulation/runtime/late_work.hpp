/// Work that the host gives to the device without waiting for it: launches, copies, host functions.
/// By default it is done in the call that gives it. With Variation::late it is done as late as CUDA
/// allows, and streams that nothing orders run in the reverse order of the calls. So a program that
/// does not wait for what it uses has other outputs.
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
  bool changed = false;  ///< false: they are only read
};

struct Work {
  const char* name = "";       ///< name of the kernel, or of the function that gives it
  const void* site = nullptr;  ///< site of that call
  const char* file = "";       ///< if there is no site
  int line = 0;
  bool is_kernel = false;  ///< a kernel may use any variable of the program
  std::vector<UsedBytes> uses{};
  std::function<cudaError_t()> perform{};
};

/// A position in a stream: all work that was given before it is done before it.
struct GivenWork;
using Mark = std::shared_ptr<GivenWork>;

/// The work of one stream that is not done yet, in the order of the calls.
struct WorkQueue;

/// Does the work, or keeps it for later and returns cudaSuccess. If CUDA returns from a copy only
/// when it is done, such as a copy of host memory that is not pinned, the copy is done here, after
/// the stream's earlier work.
cudaError_t give(cudaStream_t stream, Work work);

/// The stream's position after the work given so far; null unless work is late.
Mark mark_in(cudaStream_t stream);
/// Work that the stream is given from here on is done after `mark`.
void wait_in(cudaStream_t stream, const Mark& mark);

/// A call that returns only after work is done.
struct Wait {
  const char* function;
  const void* site;
  bool only_waits;  ///< waiting is the purpose of the call
};
void finish_until(const Mark& mark, const Wait& wait);
/// For a default stream, finishes all streams that wait for it.
void finish_stream(cudaStream_t stream, const Wait& wait);
void finish_device(int device, const Wait& wait);
void finish_all(const Wait& wait);

/// Reports the work whose delay most likely changed outputs, if any was delayed. The grader uses
/// this finding if outputs are wrong.
void report_missing_wait();

}  // namespace opgrade_emulation
