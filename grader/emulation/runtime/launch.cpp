#include <signal.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

#include "grader/emulation/runtime/device.hpp"
#include "grader/emulation/runtime/devices.hpp"
#include "grader/emulation/runtime/fault.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/graphs.hpp"
#include "grader/emulation/runtime/hooks.hpp"
#include "grader/emulation/runtime/late_work.hpp"
#include "grader/emulation/runtime/launch_counts.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/source_lines.hpp"
#include "grader/emulation/runtime/state.hpp"
#include "grader/emulation/runtime/variation.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {
namespace {

std::size_t wanted_threads() {
  if (check != nullptr)
    return 1;  // so that the checks find the same in every run, and early accesses first
  if (variation().interleaved) return 2;
  const char* text = std::getenv("OPGRADE_EMULATION_THREADS");
  const long number = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
  if (number > 0) return static_cast<std::size_t>(number < 256 ? number : 256);
  const unsigned processors = std::thread::hardware_concurrency();
  return processors > 0 ? processors : 1;
}

// A smaller launch ends before another thread has woken up.
constexpr std::uint64_t kWorthSharing = 4096;

/// Starts its threads at the first launch that has work for them: OPGRADE_EMULATION_THREADS in
/// total, by default one per processor. If no more can be started, the existing ones do the work.
class Pool {
 public:
  static Pool& instance() {
    static Pool* pool = [] {
      auto* made = new Pool;
      std::atexit([] { instance().stop(); });
      return made;
    }();
    return *pool;
  }

  /// Runs every block of the launch; the calling thread takes part.
  void execute(Launch& launch) {
    const std::lock_guard one(one_launch_);
    const KernelTurn turn(launch.device);
    if (launch.cooperative) return execute_cooperatively(launch);
    thread_local Worker* const callers = new Worker;  // its stacks belong to this host thread
    workers_[0] = callers;
    const bool interleaved = variation().interleaved;
    const bool shared = launch.blocks > 1 && wanted_ > 1 &&
                        (interleaved || launch.blocks * launch.threads >= kWorthSharing);
    const std::uint64_t chunk = interleaved ? 1 : launch.blocks / (wanted_ * 8);
    launch.chunk = static_cast<unsigned>(chunk < 1 ? 1 : chunk > 64 ? 64 : chunk);
    if (shared) {
      {
        const std::lock_guard lock(mutex_);
        start_threads();
        launch.meeting.expect(static_cast<unsigned>(workers_.size()));
        launch_ = &launch;
        ++generation_;
      }
      wake_.notify_all();
    }
    workers_[0]->run(launch, workers_);
    if (!shared) return;
    std::unique_lock lock(mutex_);
    launch_ = nullptr;  // threads that have not taken the launch by now are not needed
    idle_.wait(lock, [this] { return active_ == 0; });
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  Pool() : wanted_(wanted_threads()) { workers_.push_back(nullptr); }
  void start_threads() {
    sigset_t all, before;
    sigfillset(&all);  // signals to the process are for the threads that the submission knows
    for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
      sigdelset(&all, s);  // raised by the thread's own code
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (workers_.size() < wanted_) {
      workers_.push_back(new Worker);
      try {
        threads_.emplace_back([this, number = workers_.size() - 1] { work(number); });
      } catch (const std::system_error&) {  // a limit on processes
        workers_.pop_back();
        wanted_ = workers_.size();
      }
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void work(std::size_t number) {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return stopping_ || (launch_ != nullptr && generation_ != seen); });
      if (stopping_) return;
      seen = generation_;
      Launch& launch = *launch_;
      ++active_;
      lock.unlock();
      workers_[number]->run(launch, workers_);
      lock.lock();
      if (--active_ == 0) idle_.notify_all();
    }
  }

  std::mutex one_launch_;
  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::vector<Worker*> workers_;  // [0] belongs to the thread whose launch it is
  std::vector<std::thread> threads_;
  Launch* launch_ = nullptr;
  std::uint64_t generation_ = 0;
  std::size_t active_ = 0;
  std::size_t wanted_;
  bool stopping_ = false;
};

thread_local Configuration* pending = nullptr;
thread_local Kernel** asked_for = nullptr;  // set while identify() seeks an address's kernel
std::mutex slots_mutex;

/// Finds the kernel of an address by calling it without a launch.
Kernel* identify(const void* function) {
  Kernel* found = nullptr;
  asked_for = &found;
  reinterpret_cast<void (*)()>(const_cast<void*>(function))();
  asked_for = nullptr;
  return found;
}

int blocks_per_multiprocessor(const Kernel& kernel, int threads, std::size_t shared_bytes) {
  const int warps = (threads + 31) / 32;
  const int by_threads = device::kMaxThreadsPerMultiprocessor / (warps * 32);
  const std::size_t each =
      shared_bytes + static_cast<std::size_t>(kernel.static_shared()) + device::kSharedReserved;
  const int by_shared = static_cast<int>(device::kSharedPerMultiprocessor / each);
  return std::min({by_threads, by_shared, static_cast<int>(device::kMaxBlocksPerMultiprocessor)});
}

/// Empty if a GPU would run the launch; else why a GPU refuses it.
std::string refusal(const Kernel& kernel, const Configuration& c, cudaError_t& error) {
  error = cudaErrorInvalidResourceHandle;
  if (const int device = device_of(c.stream); device != current_device())
    return "the stream is of device " + std::to_string(device) + ", and the current device is " +
           std::to_string(current_device()) + ": call cudaSetDevice(" + std::to_string(device) +
           ") first";
  error = cudaErrorInvalidConfiguration;
  const unsigned block[3] = {c.block.x, c.block.y, c.block.z};
  const unsigned grid[3] = {c.grid.x, c.grid.y, c.grid.z};
  for (int i = 0; i < 3; ++i) {
    if (block[i] == 0) return "the block is " + text_of(c.block) + " threads: none at all";
    if (grid[i] == 0) return "the grid is " + text_of(c.grid) + " blocks: none at all";
    if (block[i] > device::kMaxBlock[i])
      return "the block is " + text_of(c.block) + " threads; the limits are 1024 x 1024 x 64";
    if (grid[i] > device::kMaxGrid[i])
      return "the grid is " + text_of(c.grid) +
             " blocks; the limits are 2147483647 x 65535 x 65535";
  }
  const unsigned long long threads = 1ull * block[0] * block[1] * block[2];
  if (threads > device::kMaxThreadsPerBlock)
    return "the block is " + text_of(c.block) + " = " + std::to_string(threads) +
           " threads; the limit is 1024";
  error = cudaErrorInvalidValue;
  if (threads > static_cast<unsigned long long>(kernel.max_threads))
    return "the block is " + text_of(c.block) + " = " + std::to_string(threads) +
           " threads; the kernel's __launch_bounds__ allows " + std::to_string(kernel.max_threads);
  const int most_dynamic = kernel.max_dynamic_shared();
  if (most_dynamic < 0 || c.shared > static_cast<std::size_t>(most_dynamic))
    return std::to_string(c.shared) +
           " bytes of dynamic shared memory are asked for; the limit is " +
           std::to_string(most_dynamic) +
           (kernel.static_shared() > 0
                ? " beside the kernel's own " + std::to_string(kernel.static_shared()) + " bytes"
                : "") +
           (c.shared + static_cast<std::size_t>(kernel.static_shared()) <=
                    device::kSharedPerBlockOptIn
                ? " until cudaFuncSetAttribute(kernel, "
                  "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) raises it"
                : "");
  if (!c.cooperative) return "";
  error = cudaErrorCooperativeLaunchTooLarge;
  const unsigned long long blocks = 1ull * grid[0] * grid[1] * grid[2];
  const unsigned long long most =
      1ull * device::kMultiprocessors *
      blocks_per_multiprocessor(kernel, static_cast<int>(threads), c.shared);
  if (blocks > most)
    return "a cooperative launch of " + std::to_string(blocks) + " blocks; at most " +
           std::to_string(most) + " of them run at the same time";
  return "";
}

/// Addresses in the parameters of the coming launch through which the kernel can only read.
thread_local std::vector<const void*> read_only;

/// The device memory that a kernel's parameters point to.
std::vector<UsedBytes> memory_in(const std::vector<std::max_align_t>& parameters) {
  std::vector<UsedBytes> used;
  const auto* const words = reinterpret_cast<const char*>(parameters.data());
  for (std::size_t i = 0; i + sizeof(void*) <= parameters.size() * sizeof(std::max_align_t);
       i += sizeof(void*)) {
    const void* address = nullptr;
    std::memcpy(&address, words + i, sizeof address);
    if (device_range().contains(address))
      used.push_back({address, 1, std::ranges::find(read_only, address) == read_only.end()});
  }
  return used;
}

}  // namespace

Configuration::Configuration(const char* f, int l, dim3 g, dim3 b, std::size_t s, cudaStream_t st)
    : file(f), line(l), grid(g), block(b), shared(s), stream(st), outer(pending) {
  pending = this;
}

Configuration::~Configuration() { pending = outer; }

bool Kernel::notes_reads() {
  if (!variation().late || current_worker != nullptr) return false;
  read_only.clear();
  return true;
}

void Kernel::note_read(const void* parameter, bool reads_only) {
  if (parameter == nullptr || !reads_only) return;
  const void* address = nullptr;
  std::memcpy(&address, parameter, sizeof address);
  read_only.push_back(address);
}

void** Kernel::launch_arguments() { return pending != nullptr ? pending->arguments : nullptr; }

bool Kernel::accept() {
  if (asked_for != nullptr) {
    *asked_for = this;
    return false;
  }
  if (current_worker != nullptr) {
    stop_kernel("not_emulated",
                std::string("The emulated device lacks launches from kernels (") + name + ").",
                cudaErrorNotSupported, nullptr, file, line);
  }
  Configuration* c = pending;
  if (c == nullptr || c->used) {
    report({.kind = "launch_without_configuration",
            .message = std::string(name) +
                       " is a __global__ function and was called without <<<grid, block>>>.",
            .file = file,
            .line = line});
    remember(cudaErrorMissingConfiguration);
    return false;
  }
  c->used = true;
  if (sticky_error() != cudaSuccess) return false;
  cudaError_t error = cudaSuccess;
  const std::string why = refusal(*this, *c, error);
  if (why.empty()) return true;
  remember(error);
  const SourceLine call = c->site != nullptr ? line_behind(c->site) : SourceLine();
  remember_refused_launch(error, c->site != nullptr ? call.file.c_str() : c->file,
                          c->site != nullptr ? call.line : c->line, name, why.c_str());
  return false;
}

void Kernel::launch(ThreadLoop loop, const void* body, std::size_t body_bytes) {
  const Configuration& c = *pending;
  remember_launch({name, c.file, c.line, c.grid, c.block});
  // Parameters of CUB and Thrust may point to the host's stack, so their kernels never run late.
  if (of_library) finish_all({name, site, false});
  if (capture_of(c.stream) == nullptr && (!variation().late || of_library))
    return run_now(current_device(), c.grid, c.block, c.shared, c.cooperative, loop, body,
                   body_bytes);
  // Kernel parameters are copied bit by bit, as in CUDA. max_align_t suffices for the alignment of
  // CUDA's vector types.
  std::vector<std::max_align_t> kept(body_bytes / sizeof(std::max_align_t) + 1);
  std::memcpy(kept.data(), body, body_bytes);
  in_stream(c.stream, {.name = name,
                       .site = c.site,
                       .file = c.file,
                       .line = c.line,
                       .is_kernel = true,
                       .uses = memory_in(kept),
                       .perform = [=, this, grid = c.grid, block = c.block, shared = c.shared,
                                   cooperative = c.cooperative, device = current_device()] {
                         run_now(device, grid, block, shared, cooperative, loop, kept.data(),
                                 body_bytes);
                         return sticky_error();
                       }});
}

void Kernel::run_now(int device, dim3 grid, dim3 block, std::size_t shared, bool cooperative,
                     ThreadLoop loop, const void* body, std::size_t body_bytes) {
  if (sticky_error() != cudaSuccess) return;
  Launch launch{};
  static std::atomic<std::uint64_t> launches{0};
  launch.kernel = this;
  launch.number = ++launches;
  launch.device = device;
  launch.grid = grid;
  launch.block = block;
  launch.shared = shared;
  launch.loop = loop;
  launch.body = body;
  launch.body_bytes = body_bytes;
  launch.blocks = 1ull * grid.x * grid.y * grid.z;
  launch.threads = block.x * block.y * block.z;
  launch.cooperative = cooperative && launch.blocks > 1;
  if (check != nullptr) check->came_from_host(body, body_bytes);
  Pool::instance().execute(launch);
  if (check != nullptr) check->parameters_end(body, body_bytes);
  // Called after the run, because only then all static shared variables of the kernel are known.
  count_launch(name, grid, block, static_shared(), shared);
}

void SharedSlot::place() {
  const std::lock_guard lock(slots_mutex);
  static long next = 0;
  if (offset < 0) {
    constexpr long kGap = 256;  // never used, so that an index past the end is noticed
    next = (next + kGap + 127) / 128 * 128;
    if (next + static_cast<long>(bytes) > static_cast<long>(kStaticSharedRoom))
      stop_kernel("shared_memory_too_large",
                  std::string("The __shared__ variable ") + name + " of " + std::to_string(bytes) +
                      " bytes is larger than a block's shared memory.",
                  cudaErrorInvalidValue, nullptr, file, line);
    offset = next;
    next += static_cast<long>(bytes);
    if (check != nullptr) check->shared_slot_placed(offset, bytes);
  }
  counted_for = running_kernel;
  if (running_kernel == nullptr) return;
  auto*& used = reinterpret_cast<std::set<const SharedSlot*>*&>(running_kernel->used_slots);
  if (used == nullptr) used = new std::set<const SharedSlot*>;
  if (!used->insert(this).second) return;
  if (check != nullptr) check->shared_slot_used(offset, bytes);
  running_kernel->met_shared += static_cast<int>(bytes);
  if (running_kernel->met_shared > static_cast<int>(device::kSharedPerBlock))
    stop_kernel(
        "shared_memory_too_large",
        std::string("The __shared__ variables of ") + running_kernel->name + " take " +
            std::to_string(running_kernel->met_shared) +
            " bytes; nvcc refuses more than 49152 bytes. Larger ones have to be extern __shared__.",
        cudaErrorInvalidValue, nullptr, file, line);
}

cudaError_t function_attribute(const void* function, cudaFuncAttribute attribute, int value) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  Kernel* kernel = function != nullptr ? identify(function) : nullptr;
  if (kernel == nullptr) return finish(cudaErrorInvalidDeviceFunction);
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 ||
        static_cast<std::size_t>(value) + static_cast<std::size_t>(kernel->static_shared()) >
            device::kSharedPerBlockOptIn)
      return finish(cudaErrorInvalidValue);
    kernel->opted_in_shared = value;
  }
  return finish(cudaSuccess);
}

cudaError_t function_attributes(cudaFuncAttributes* attributes, const void* function) {
  Kernel* kernel = function != nullptr ? identify(function) : nullptr;
  if (kernel == nullptr || attributes == nullptr) return finish(cudaErrorInvalidDeviceFunction);
  *attributes = {};
  attributes->sharedSizeBytes = static_cast<std::size_t>(kernel->static_shared());
  attributes->maxThreadsPerBlock = kernel->max_threads;
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = kernel->max_dynamic_shared();
  return finish(cudaSuccess);
}

cudaError_t active_blocks(int* blocks, const void* function, int threads,
                          std::size_t shared_bytes) {
  Kernel* kernel = function != nullptr ? identify(function) : nullptr;
  if (kernel == nullptr) return finish(cudaErrorInvalidDeviceFunction);
  if (blocks == nullptr || threads <= 0 || threads > static_cast<int>(device::kMaxThreadsPerBlock))
    return finish(cudaErrorInvalidValue);
  *blocks =
      threads > kernel->max_threads ? 0 : blocks_per_multiprocessor(*kernel, threads, shared_bytes);
  return finish(cudaSuccess);
}

cudaError_t launch_by_address(const void* function, dim3 grid, dim3 block, void** arguments,
                              std::size_t shared, cudaStream_t stream, bool cooperative) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (function == nullptr) return finish(cudaErrorInvalidDeviceFunction);
  static void* none[1];
  Configuration configuration("", 0, grid, block, shared, stream);
  configuration.arguments = arguments != nullptr ? arguments : none;
  configuration.cooperative = cooperative;
  configuration.site = __builtin_return_address(0);
  // The callee takes its parameters from `arguments`; register contents are ignored.
  reinterpret_cast<void (*)()>(const_cast<void*>(function))();
  if (!configuration.used) return finish(cudaErrorInvalidDeviceFunction);
  return cudaPeekAtLastError();
}

bool on_device() { return current_worker != nullptr; }

void host_function_called(const void* site) {
  if (current_worker == nullptr) return;
  stop_kernel(
      "host_pointer_in_kernel",
      "The kernel calls a function by an address that host code took; a GPU finds no code "
      "there. Take the address in device code, or keep it in a __device__ variable and copy "
      "that with cudaMemcpyFromSymbol.",
      cudaErrorIllegalAddress, site);
}

void not_emulated(const char* what) {
  if (current_worker == nullptr) return;
  stop_kernel("not_emulated", std::string("The emulated device lacks ") + what + ".",
              cudaErrorNotSupported, __builtin_return_address(0));
}

void inline_ptx(const char* file, int line) {
  if (current_worker == nullptr) return;
  stop_kernel("not_emulated", "The emulated device lacks inline PTX.", cudaErrorNotSupported,
              nullptr, file, line);
}

}  // namespace opgrade_emulation
