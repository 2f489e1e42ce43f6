// The program that runs inside the sandbox: loads a built submission and calls it as the grader
// asks. It shares its address space with the submission, so its replies are no evidence. It only
// needs to be small, fast and right for honest submissions.
#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "grader/harness/mapped_tensor.hpp"
#include "grader/harness/protocol.hpp"
#include "grader/harness/step_profiler.hpp"
#include "grader/harness/submission_abi.h"

namespace {

// The driver's own interface, as of CUDA 4: there on every machine with a driver, toolkit or not.
using Result = int;
using Device = int;
using Context = void*;
using Address = unsigned long long;

template <class Function>
Function* find(void* driver, const char* name, Function*) {
  return reinterpret_cast<Function*>(::dlsym(driver, name));
}

/// Starts the driver, writes device memory and reads it back. Prints the first call that fails, on
/// one line of stdout; gives the exit code.
int try_device() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) {
    std::printf("%s\n", ::dlerror());
    return 1;
  }
  const auto error_name =
      find(driver, "cuGetErrorName", static_cast<Result (*)(Result, const char**)>(nullptr));
  // True if the call worked; else the failure is printed.
  const auto call = [&](const char* name, auto function, auto... arguments) {
    function = find(driver, name, function);
    const Result result = function != nullptr ? function(arguments...) : -1;
    if (result == 0) return true;
    const char* text = nullptr;
    if (error_name != nullptr) error_name(result, &text);
    std::printf("%s: %s (%d)\n", name,
                function == nullptr ? "not in the driver"
                : text != nullptr   ? text
                                    : "failed",
                result);
    return false;
  };
  constexpr std::size_t kBytes = 1 << 20;
  constexpr unsigned char kValue = 0xA5;
  Device device = 0;
  Context context = nullptr;
  Address memory = 0;
  unsigned char last = 0;
  if (!call("cuInit", static_cast<Result (*)(unsigned)>(nullptr), 0U) ||
      !call("cuDeviceGet", static_cast<Result (*)(Device*, int)>(nullptr), &device, 0) ||
      !call("cuDevicePrimaryCtxRetain", static_cast<Result (*)(Context*, Device)>(nullptr),
            &context, device) ||
      !call("cuCtxSetCurrent", static_cast<Result (*)(Context)>(nullptr), context) ||
      !call("cuMemAlloc_v2", static_cast<Result (*)(Address*, std::size_t)>(nullptr), &memory,
            kBytes) ||
      !call("cuMemsetD8_v2", static_cast<Result (*)(Address, unsigned char, std::size_t)>(nullptr),
            memory, kValue, kBytes) ||
      !call("cuMemcpyDtoH_v2", static_cast<Result (*)(void*, Address, std::size_t)>(nullptr),
            static_cast<void*>(&last), memory + kBytes - 1, std::size_t{1})) {
    return 1;
  }
  if (last == kValue) return 0;
  std::puts("device memory does not hold what was written to it");
  return 1;
}

/// Starts the device for this process, as the first CUDA call of a submission would. A failure
/// shows there.
void start_device() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return;
  const auto init = find(driver, "cuInit", static_cast<Result (*)(unsigned)>(nullptr));
  const auto get = find(driver, "cuDeviceGet", static_cast<Result (*)(Device*, int)>(nullptr));
  const auto retain =
      find(driver, "cuDevicePrimaryCtxRetain", static_cast<Result (*)(Context*, Device)>(nullptr));
  Device device = 0;
  Context context = nullptr;
  // The runtime of the submission uses the same context.
  if (init != nullptr && get != nullptr && retain != nullptr && init(0) == 0 &&
      get(&device, 0) == 0)
    retain(&context, device);
}

/// One call on buffers of its own, without a grader: for tools that watch a process from within.
/// Both lists are numbers with commas between: the sizes of the case, and the elements of each
/// buffer, the output's first.
int unchecked_call(const char* path, const char* sizes, const char* elements) {
  const auto numbers = [](const char* text) {
    std::vector<long> list;
    for (char* end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
      list.push_back(std::strtol(text, &end, 10));
      if (end == text || list.back() < 1) return std::vector<long>{};
    }
    return list;
  };
  const auto size = numbers(sizes), counts = numbers(elements);
  if (size.empty() || size.size() > OPGRADE_MAX_SIZES || counts.empty() ||
      counts.size() > OPGRADE_MAX_BUFFERS)
    return 2;
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const auto get = library == nullptr ? nullptr
                                      : reinterpret_cast<decltype(&opgrade_get_submission)>(
                                            ::dlsym(library, "opgrade_get_submission"));
  const opgrade_submission* const submission = get == nullptr ? nullptr : get();
  if (submission == nullptr) {
    const char* const why = ::dlerror();
    std::fprintf(stderr, "%s\n", why != nullptr ? why : "no submission");
    return 2;
  }
  opgrade_call call{};
  std::vector<std::vector<float>> buffers;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    auto& buffer = buffers.emplace_back(static_cast<std::size_t>(counts[b]));
    const std::size_t period = 19 - 2 * b;
    for (std::size_t i = 0; b > 0 && i < buffer.size(); ++i)
      buffer[i] = static_cast<float>(i % period) - static_cast<float>(period / 2);
    call.buffer[b] = buffer.data();
  }
  for (std::size_t i = 0; i < size.size(); ++i) call.size[i] = static_cast<int>(size[i]);
  if (submission->prolog != nullptr) submission->prolog(&call);
  if (submission->prepare != nullptr) submission->prepare(&call);
  submission->forward(&call);
  const char* error = nullptr;
  if (submission->synchronize != nullptr) submission->synchronize(&error);
  if (submission->epilog != nullptr) submission->epilog(&call);
  std::fflush(nullptr);
  return 0;
}

using namespace opgrade::protocol;
using opgrade::harness::MappedTensor;
using opgrade::harness::StepProfiler;

using Files = std::array<int, OPGRADE_MAX_BUFFERS>;  ///< -1: none

/// In place of a submission's file: a submission that does nothing, for the cost of a call.
constexpr const char* kEmptyCall = "--empty-call";
constexpr opgrade_submission kEmptySubmission = {.abi_version = OPGRADE_ABI_VERSION,
                                                 .forward = [](opgrade_call*) {}};

class Harness {
 public:
  /// Nothing of the submission runs before the grader asks for it.
  void await_load() {
    send({.kind = Kind::started});
    for (;;) {
      Request request;
      Files none;
      none.fill(-1);
      if (!receive(request, none) || request.magic != kMagic) ::_exit(0);
      if (request.kind == Kind::load) return;
      if (request.kind != Kind::start_device) ::_exit(0);
      start_device();
      send({.kind = Kind::start_device});
    }
  }

  void load(const char* path) {
    Reply reply{.kind = Kind::ready};
    void* const page =
        ::mmap(nullptr, sizeof(CallPage), PROT_READ | PROT_WRITE, MAP_SHARED, kPageFd, 0);
    if (page == MAP_FAILED) ::_exit(0);
    page_ = static_cast<CallPage*>(page);
    if (std::strcmp(path, kEmptyCall) == 0) {
      submission_ = &kEmptySubmission;
    } else {
      library_ = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
      const auto get = library_ == nullptr ? nullptr
                                           : reinterpret_cast<decltype(&opgrade_get_submission)>(
                                                 ::dlsym(library_, "opgrade_get_submission"));
      submission_ = get == nullptr ? nullptr : get();
      // On the emulated device alone, which has no times: it would be untimed work.
      if (submission_ != nullptr && submission_->findings != nullptr)
        call_begins_ =
            reinterpret_cast<void (*)()>(::dlsym(library_, "opgrade_emulation_call_begins"));
    }
    if (submission_ == nullptr || submission_->abi_version != OPGRADE_ABI_VERSION) {
      const char* const error = ::dlerror();
      fail(reply, Status::load_failed,
           error != nullptr ? error : "the adapter has another version");
    } else if (submission_->touch != nullptr) {
      // The device starts for this process, where it has not yet, while the grader makes the
      // tensors: that takes some tenths of a second. A failure shows in the first call.
      submission_->touch();
    }
    send(reply);
  }

  /// Answers requests until the grader hangs up or asks to finish.
  void serve() {
    for (;;) {
      Request request;
      Files files;
      files.fill(-1);
      if (!receive(request, files) || request.magic != kMagic || request.kind == Kind::finish)
        return;
      Reply reply{.kind = request.kind};
      switch (request.kind) {
        case Kind::map:
          map(request, files, reply);
          break;
        case Kind::arm:
          prepare(request.step, reply);
          send(reply);
          if (reply.status == Status::ok) run_step(request);
          continue;
        case Kind::share:
          share(reply);
          break;
        case Kind::case_over:
          end_case();
          break;
        case Kind::findings:
          if (submission_->findings != nullptr) submission_->findings();
          break;
        case Kind::profile_begin:
          if (const char* const why = profiler_.start(library_))
            fail(reply, Status::no_profile, why);
          break;
        case Kind::profile_end:
          if (const char* const why = profiler_.stop(files[0]))
            fail(reply, Status::no_profile, why);
          ::close(files[0]);
          break;
        default:
          fail(reply, Status::bad_request, "unknown request");
          break;
      }
      send(reply);
    }
  }

 private:
  static void fail(Reply& reply, Status status, const char* text) {
    reply.status = status;
    std::snprintf(reply.text, sizeof reply.text, "%s", text);
  }

  static void send(const Reply& reply) {
    if (::send(kControlFd, &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply) ::_exit(0);
  }

  static bool receive(Request& request, Files& files) {
    iovec data{&request, sizeof request};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)];
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (::recvmsg(kControlFd, &message, MSG_CMSG_CLOEXEC) != sizeof request) return false;
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message);
        header != nullptr && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len <= CMSG_LEN(sizeof files)) {
      std::memcpy(files.data(), CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
    }
    return true;
  }

  /// After an epilog, before whatever comes next: in no step's time, as far as the grader maps
  /// before a prolog.
  void release() {
    if (to_release_ && submission_->release != nullptr) submission_->release(&call_);
    to_release_ = false;
  }

  void map(const Request& request, const Files& files, Reply& reply) {
    release();
    // A device's driver registers host memory for its copies only where that may be written to.
    using May = MappedTensor::May;
    const bool on_device = submission_->touch != nullptr;
    const May input = on_device ? May::write_own : May::read;
    bool mapped = request.buffer_count >= 1 && request.buffer_count <= OPGRADE_MAX_BUFFERS;
    call_ = {};
    for (std::size_t i = 0; mapped && i < request.buffer_count; ++i) {
      // A large output is for several calls, with a small one in between. On a CPU a submission
      // that writes to an earlier call's output is to crash.
      if (i == 0 && on_device) std::swap(buffers_[0], output_before_);
      mapped = (i == 0 && on_device && buffers_[0].shrink(files[0], request.buffer[0])) ||
               buffers_[i].map(files[i], request.buffer[i], i == 0 ? May::write : input);
      call_.buffer[i] = buffers_[i].data();
    }
    for (const int file : files)
      if (file >= 0) ::close(file);
    if (!mapped) return fail(reply, Status::bad_request, "cannot map the tensors");
    profiler_.next_layer();
    std::memcpy(call_.size, request.size, sizeof call_.size);
  }

  void end_case() {
    release();
    call_ = {};
    for (MappedTensor& buffer : buffers_) buffer.unmap();
    output_before_.unmap();
    std::fflush(nullptr);
  }

  /// A step's untimed work.
  void prepare(Kind step, Reply& reply) {
    try {
      if (step == Kind::prolog) release();
      const bool first = step == (submission_->prolog != nullptr ? Kind::prolog : Kind::forward);
      if (first && call_begins_ != nullptr) call_begins_();
      if (step == Kind::forward) {
        if (submission_->prepare != nullptr) submission_->prepare(&call_);
      } else if (submission_->touch != nullptr) {
        submission_->touch();
      }
    } catch (const std::exception& e) {
      fail(reply, Status::threw, e.what());
    }
  }

  /// Waits until the grader starts the step, runs it, and says so in the page.
  void run_step(const Request& request) {
    const std::uint32_t sequence = request.sequence;
    while (page_->go.load(std::memory_order_acquire) != sequence) {
      if (page_->wake.load(std::memory_order_acquire) == sequence) {
        page_->awake.store(sequence, std::memory_order_release);
        break;
      }
      if (page_->cancel.load(std::memory_order_acquire) == sequence) return;
      pause();
    }
    Reply reply{.kind = request.step};
    call_.events = static_cast<int>(request.events);
    prompt_ = request.prompt != 0 ? sequence : 0;
    said_done_ = false;
    switch (request.step) {
      case Kind::prolog:
        call(submission_->prolog, "prolog", reply);
        break;
      case Kind::forward:
        call(submission_->forward, "conv", reply);
        break;
      default:
        call(submission_->epilog, "epilog", reply);
        to_release_ = true;
        break;
    }
    page_->reply = reply;
    if (!said_done_) tell(page_->done, sequence);
    tell(page_->finished, sequence);
  }

  static void tell(std::atomic<std::uint32_t>& word, std::uint32_t sequence) {
    word.store(sequence, std::memory_order_release);
    ::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  void call(void (*step)(opgrade_call*), const char* kind, Reply& reply) {
    if (step == nullptr) return;
    using Clock = std::chrono::steady_clock;
    call_.device_ms = 0;
    const auto begin = Clock::now();
    try {
      profiler_.step(kind);
      step(&call_);
    } catch (const std::exception& e) {
      fail(reply, Status::threw, e.what());
    } catch (...) {
      fail(reply, Status::threw, "an exception that is no std::exception");
    }
    profiler_.step(nullptr);
    if (prompt_ != 0) {
      tell(page_->done, prompt_);
      said_done_ = true;
    }
    const char* error = nullptr;
    if (submission_->synchronize != nullptr && submission_->synchronize(&error) != 0 &&
        reply.status == Status::ok) {
      fail(reply, Status::device_error, error != nullptr ? error : "unknown device error");
    } else if (error != nullptr && reply.status == Status::ok) {
      fail(reply, Status::ok, error);
    }
    reply.elapsed_ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
    reply.device_ns = static_cast<std::int64_t>(call_.device_ms * 1e6F);
  }

  void share(Reply& reply) {
    if (submission_->share == nullptr || submission_->share(&call_, reply.shared) != 0) {
      reply.status = Status::not_shared;
    }
  }

  CallPage* page_ = nullptr;
  void* library_ = nullptr;
  void (*call_begins_)() = nullptr;  ///< of the emulated device
  const opgrade_submission* submission_ = nullptr;
  StepProfiler profiler_;
  opgrade_call call_{};
  bool to_release_ = false;
  std::uint32_t prompt_ = 0;  ///< the step under way, if it is prompt
  bool said_done_ = false;
  std::array<MappedTensor, OPGRADE_MAX_BUFFERS> buffers_;
  MappedTensor output_before_;
};

/// Where memory is limited process by process, stacks count in full, used or not. The sandbox's
/// limit on the first thread's stack would be the size of each.
void limit_thread_stacks() {
  constexpr std::size_t kStack = std::size_t{8} << 20;  // Linux' usual `ulimit -s`
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return;
  ::pthread_attr_setstacksize(&attributes, kStack);
  ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kServing = 2, kAlone = 4;
  if (argc != kServing && argc != kAlone) {
    std::fputs(
        "opgrade-harness is started by opgrade, not by hand: opgrade-harness SUBMISSION.so, or "
        "opgrade-harness SUBMISSION.so SIZES ELEMENTS for one unchecked call\n",
        stderr);
    return 2;
  }
  if (argc == kAlone) return unchecked_call(argv[1], argv[2], argv[3]);
  if (std::strcmp(argv[1], "--try-device") == 0) return try_device();
  limit_thread_stacks();
  Harness harness;
  harness.await_load();
  harness.load(argv[1]);
  harness.serve();
  // Neither the submission's atexit handlers nor its destructors have a say any more.
  std::fflush(nullptr);
  ::_exit(0);
}
