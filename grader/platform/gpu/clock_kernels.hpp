/// The kernels at both ends of a timed call: the first occupies the device until the clock starts,
/// the second reads the output when the clock stops.
///
/// Both are in one file, so that CUDA loads them as one module. CUDA loads a module at the first
/// launch of one of its kernels, and the proof of the first call must not wait for that.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace opgrade {

/// What a holding kernel records about itself.
struct DeviceWatch {
  unsigned long long pause;  ///< ns; longest time between two of its steps
  unsigned waiting;          ///< blocks that have done their part of the preparation
};

/// Writes `count` elements of the input to x and `line_count` lines of 16 bytes. Then writes `turn`
/// to words[HostWords::kStarted], and occupies the device until words[HostWords::kOrder] holds
/// `turn`. `processors`: the number of the device's multiprocessors.
void launch_hold(int processors, float* x, const float* input, long long count, int4* lines,
                 long long line_count, int value, volatile unsigned* words, unsigned turn,
                 DeviceWatch* watch);

/// The number of outputs that the proof reads.
constexpr int kProofPlaces = 4096;

/// Writes `turn` to words[HostWords::kProven] when it runs, and copies y at the places of `key` to
/// seen.
void launch_look_at_output(const volatile float* y, long long count, std::uint64_t key, float* seen,
                           volatile unsigned* words, unsigned turn);

/// Adds to *changes the number of these places at which y differs now, bit for bit.
void launch_count_changes(const float* y, long long count, std::uint64_t key, const float* seen,
                          int* changes);

}  // namespace opgrade
