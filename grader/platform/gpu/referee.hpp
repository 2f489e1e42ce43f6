/// The referee: the grader's access to a submission's memory on the GPU. It writes inputs that the
/// process has not seen before its timed call, and checks the output in place.
///
/// How it works: CUDA IPC crosses the sandbox.
/// - After the prolog the submission's process names y and x on the device; the grader opens them.
/// - Before each call it writes a fresh input into x, poisons y, and flushes the L2 cache. Its own
///   kernel keeps the device (hold) until the clock starts (release).
/// - After the reply another kernel of the grader's reads y at secret places (prove_done). The
///   clock stops when that one has run.
/// So no work that ran before the call can know the input. No work of the submission runs unseen
/// between writing the input and the start of the clock (intrusion). The output must be complete
/// when the clock stops (output_stayed). Then y is compared with the double-precision outputs.
///
/// For a convolution, y is the output and x is the fresh input. k is not replaced: the weights are
/// a network's and never change, so a prolog may store them in constant memory, rounded or
/// reordered. About every seventh real submission has no k on the device.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/coordinates.hpp"
#include "grader/base/core/grade.hpp"

namespace opgrade {

/// A device tensor of another process: CUDA's IPC handle (64 bytes) and the tensor's offset.
struct SharedDeviceTensor {
  std::span<const char> handle;
  unsigned long long offset = 0;
};

/// A problem as the referee checks it.
struct DeviceProblem {
  std::string_view truth;  ///< name of the DeviceTruth that computes it
  Coordinates sizes;
  /// Host memory: the output, the input that is fresh in each call, then the other inputs. It must
  /// outlive the last check().
  std::vector<std::span<const float>> buffers;
  const float* fresh_on_device = nullptr;  ///< set by the referee
};

/// Any thread may use it, but only one at a time.
class Referee {
 public:
  virtual ~Referee() = default;

  /// The UUID of its device, in the form of CUDA_VISIBLE_DEVICES. The submission gets the same
  /// device.
  virtual const std::string& uuid() const = 0;

  /// Call before a case: records the free device memory.
  virtual void begin_case() = 0;

  /// Call after a case, when the submission's process has ended. Runs a kernel whose result is
  /// known. Then waits until the memory is free again, all but 512 MiB or 1/32. Throws Error if the
  /// device is not usable.
  virtual void prove_usable() = 0;

  /// Free device memory now.
  virtual std::int64_t free_memory() = 0;

  /// Copies the pristine inputs to the grader's own device memory. Throws Error if there is not
  /// enough.
  virtual void load(DeviceProblem problem) = 0;

  /// Replaces load() if the host makes the inputs and checks the outputs: x is an allocation of so
  /// many bytes, a multiple of four, and y its start. prepare(kAsLoaded) then writes all of it.
  virtual void load_arena(std::size_t bytes, std::size_t output_bytes) = 0;
  /// Sets what the next call finds in the arena from byte `at` on.
  virtual void set(std::size_t at, std::span<const std::byte> values) = 0;
  /// Call after a call, instead of check().
  virtual void read_output(std::span<std::byte> to) = 0;

  /// Opens the submission's tensors. Returns false if they cannot be opened or are too small.
  virtual bool attach(const SharedDeviceTensor& y, const SharedDeviceTensor& x) = 0;
  virtual void detach() = 0;

  /// Poisons y, and leaves x and k as the submission's prolog made them.
  virtual void poison() = 0;

  /// For prepare and check: the input as it was loaded.
  static constexpr std::uint64_t kAsLoaded = 0;

  /// Call before a call: y gets the poison, or zeros if the interface promises zeros. When hold()
  /// begins, x gets the loaded input with the signs of the seed `signs` (core/sign_flips.hpp).
  enum class Start { poison, zeros };
  virtual void prepare(std::uint64_t signs, Start start) = 0;

  /// Writes x, fills the L2 cache with other data, and occupies the device: no kernel of another
  /// process runs until release(). Returns when all that is done.
  virtual void hold() = 0;
  virtual void release() = 0;

  /// Call after hold(), on the same thread. Runs a kernel that reads the attached y at secret
  /// places, and returns when it has run. Without an attached y, reads memory of the grader. Throws
  /// Error if the device no longer works.
  virtual void prove_done() = 0;

  /// Call after a call. Returns the time for which other work had the device between hold() and
  /// release(), or zero.
  virtual std::chrono::nanoseconds intrusion() = 0;

  /// Call after check(). True if y at those places is still as prove_done() saw it.
  virtual bool output_stayed() = 0;

  /// Call after a call: compares every element with the output for that input. An element passes
  /// only within `bound` times the scale of its part: the part's largest |y|, or more
  /// (DeviceTruth).
  virtual CheckReport check(double bound, std::uint64_t signs) = 0;

  /// sum_checked() starts to sum the y that check() copied, with the secret `key`
  /// (core/keyed_sum.hpp), while the host sums its own y. sum_of_checked() returns the sum.
  virtual void sum_checked(std::uint64_t key) = 0;
  virtual std::uint64_t sum_of_checked() = 0;

  /// True if the device still works for the grader.
  virtual bool answers() = 0;

  /// Loads the CUDA part. Returns the devices that CUDA_VISIBLE_DEVICES shows, in its order; none
  /// if opgrade was built without CUDA or no device answers.
  static std::vector<GpuId> devices();

  /// Opens the device at that index of devices(). Throws Error if that fails.
  static std::unique_ptr<Referee> make(int device);
};

/// Throws Error if there is a referee and its device no longer answers, because then the device
/// caused the submission's failure.
void check_device(Referee* referee);

}  // namespace opgrade
