/// The referee: the grader's access to a submission's memory on the GPU. It writes inputs that the
/// process has not seen before its timed call, and checks the output in place.
///
/// How it works: CUDA IPC crosses the sandbox.
/// - After the prolog the submission's process names y and x on the device; the grader opens them.
/// - Before each call it writes a fresh input into x, poisons y, and flushes the L2 cache. Its own
///   kernel keeps the device (hold) until the clock starts (release).
/// - After the reply another kernel of the grader's reads y at secret places (prove_done). The
///   clock stops when that one has run.
/// So nothing that ran before the call can know the input. No work of the submission runs unseen
/// between writing the input and the start of the clock (intrusion). The output must be complete
/// when the clock stops (output_stayed). Then y is compared with the
/// double-precision outputs.
///
/// In the words of a convolution: y is the output, x the input that is fresh. k is left alone. The
/// weights are a network's and stay, so a prolog may have them in constant memory, rounded or in
/// another order. About every seventh real submission has no k on the device.
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
  std::string_view truth;  ///< name of what computes it (device_truth.hpp)
  Coordinates sizes;
  /// Host memory: the output, the input that each call gets anew, the other inputs. It outlives the
  /// last check().
  std::vector<std::span<const float>> buffers;
  const float* fresh_on_device = nullptr;  ///< set by the referee
};

/// May be used by any thread, but by one at a time.
class Referee {
 public:
  virtual ~Referee() = default;

  /// The UUID of its device, as CUDA_VISIBLE_DEVICES takes it. The submission gets the same one.
  virtual const std::string& uuid() const = 0;

  /// Before a case: notes the free device memory.
  virtual void begin_case() = 0;

  /// After a case, when the submission's process is gone. Runs a kernel whose result is known. Then
  /// waits until the memory is back, all but 512 MiB or 1/32. Throws Error when the device is not
  /// usable.
  virtual void prove_usable() = 0;

  /// Free device memory now.
  virtual std::int64_t free_memory() = 0;

  /// Copies the pristine inputs to the grader's own device memory. Throws Error when that is short.
  virtual void load(DeviceProblem problem) = 0;

  /// In place of load(), where the host makes the inputs and checks the outputs: x is an allocation
  /// of so many bytes, a multiple of four, and y its start. prepare(kAsLoaded) then writes all of
  /// it.
  virtual void load_arena(std::size_t bytes, std::size_t output_bytes) = 0;
  /// What the next call finds from byte `at` of the arena on.
  virtual void set(std::size_t at, std::span<const std::byte> values) = 0;
  /// After a call, in place of check().
  virtual void read_output(std::span<std::byte> to) = 0;

  /// Opens the submission's tensors. False when they cannot be opened or are too small.
  virtual bool attach(const SharedDeviceTensor& y, const SharedDeviceTensor& x) = 0;
  virtual void detach() = 0;

  /// Poisons y, and leaves x and k as the submission's prolog made them.
  virtual void poison() = 0;

  /// For prepare and check: the input as it was loaded.
  static constexpr std::uint64_t kAsLoaded = 0;

  /// Before a call: y gets the poison, or zeros where the interface promises those. When hold()
  /// begins, x gets the loaded input with the signs of the seed `signs` (core/sign_flips.hpp).
  enum class Start { poison, zeros };
  virtual void prepare(std::uint64_t signs, Start start) = 0;

  /// Writes x, gives the L2 cache other data, and keeps the device: no kernel of another process
  /// runs until release(). Returns when all that is done.
  virtual void hold() = 0;
  virtual void release() = 0;

  /// After hold(), by the same thread. Runs a kernel that reads the attached y (without one, memory
  /// of the grader's) at secret places; returns when it has run. Throws Error when the device no
  /// longer works.
  virtual void prove_done() = 0;

  /// After a call: the time for which other work had the device between hold() and release(); zero
  /// without any.
  virtual std::chrono::nanoseconds intrusion() = 0;

  /// After check(): whether y is at those places as prove_done() saw it.
  virtual bool output_stayed() = 0;

  /// After a call: compares every element with the output for that input. An element passes only
  /// within `bound` times the scale of its part: the part's largest |y|, or more (DeviceTruth).
  virtual CheckReport check(double bound, std::uint64_t signs) = 0;

  /// Starts adding up the y that check() copied, with the secret `key` (core/keyed_sum.hpp), while
  /// the host does the same with its own; then the sum.
  virtual void sum_checked(std::uint64_t key) = 0;
  virtual std::uint64_t sum_of_checked() = 0;

  /// True if the device still works for the grader.
  virtual bool answers() = 0;

  /// Loads the CUDA part. The devices that CUDA_VISIBLE_DEVICES shows, in its order; none where
  /// opgrade was built without CUDA or no device answers.
  static std::vector<GpuId> devices();

  /// Starts to work with the device at that place of devices(). Throws Error when it cannot.
  static std::unique_ptr<Referee> make(int device);
};

/// Throws Error when there is a referee and its device no longer answers: the device then caused
/// the submission's failure.
void check_device(Referee* referee);

}  // namespace opgrade
