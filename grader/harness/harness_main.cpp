// The program that runs inside the sandbox: loads a built submission and calls it as the grader
// asks. It shares its address space with the submission, so its replies are no evidence. It only
// needs to be small, fast and right for honest submissions.
#include <dlfcn.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "grader/harness/mapped_tensor.hpp"
#include "grader/harness/program_end.hpp"
#include "grader/harness/protocol.hpp"
#include "grader/harness/step_profiler.hpp"
#include "grader/harness/submission_abi.h"

extern "C" {
/// What OPGRADE_PROGRAM_CALL names.
__attribute__((visibility("default"))) const opgrade_call* opgrade_program_call = nullptr;
}

namespace {

using namespace opgrade::protocol;
using opgrade::harness::MappedTensor;
using opgrade::harness::ProgramFolder;
using opgrade::harness::StepProfiler;

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
  const ProgramFolder folder;  // of a program, which ends the process itself
  if (!folder.enter()) return 2;
  opgrade_program_call = &call;
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
  if (submission->prolog != nullptr) submission->prolog(&call);
  if (submission->prepare != nullptr) submission->prepare(&call);
  submission->forward(&call);
  const char* error = nullptr;
  if (submission->synchronize != nullptr) submission->synchronize(&error);
  if (submission->epilog != nullptr) submission->epilog(&call);
  std::fflush(nullptr);
  return 0;
}

/// The end of what the emulated device sends.
constexpr const char* kAllFindings = R"({"complete":true})";

using Files = std::array<int, OPGRADE_MAX_BUFFERS>;  ///< -1: none

/// In place of a submission's file: a submission that does nothing, for the cost of a call.
constexpr const char* kEmptyCall = "--empty-call";
constexpr opgrade_submission kEmptySubmission = {.abi_version = OPGRADE_ABI_VERSION,
                                                 .forward = [](opgrade_call*) {}};

void close_all(Files& files) {
  for (int& file : files)
    if (file >= 0) ::close(std::exchange(file, -1));
}

void fail(Reply& reply, Status status, const char* text) {
  reply.status = status;
  std::snprintf(reply.text, sizeof reply.text, "%s", text);
}

void send(const Reply& reply) {
  if (::send(kControlFd, &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply) ::_exit(0);
}

bool receive(Request& request, Files& files) {
  iovec data{&request, sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  files.fill(-1);
  if (::recvmsg(kControlFd, &message, MSG_CMSG_CLOEXEC) != sizeof request ||
      request.magic != kMagic)
    return false;
  if (const cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr &&
                                                       header->cmsg_type == SCM_RIGHTS &&
                                                       header->cmsg_len <= CMSG_LEN(sizeof files)) {
    std::memcpy(files.data(), CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
  }
  return true;
}

void tell(std::atomic<std::uint32_t>& word, std::uint32_t sequence) {
  word.store(sequence, std::memory_order_release);
  ::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

/// Nothing of the submission runs before the grader asks for it. A program starts the device in
/// the process of each call.
void await_load(bool is_program) {
  send({.kind = Kind::started});
  for (;;) {
    Request request;
    Files none;
    if (!receive(request, none)) ::_exit(0);
    if (request.kind == Kind::load) return;
    if (request.kind != Kind::start_device) ::_exit(0);
    if (!is_program) start_device();
    send({.kind = Kind::start_device});
  }
}

CallPage* map_page() {
  void* const page =
      ::mmap(nullptr, sizeof(CallPage), PROT_READ | PROT_WRITE, MAP_SHARED, kPageFd, 0);
  if (page == MAP_FAILED) ::_exit(0);
  return static_cast<CallPage*>(page);
}

/// One run of a program, as its starter prepares it.
struct ProgramRun {
  const char* path;        ///< the submission
  const Request& tensors;  ///< the last `map`
  Files files;             ///< that came with it
  const Request& arm;
  ProgramFolder folder;
  bool recording = false;  ///< of the device, into `record`
  int record = -1;
  int layers = 0;  ///< recorded before
  char* no_profile = nullptr;
  pid_t process = 0;
  bool is_over = false;
};

class Harness {
 public:
  explicit Harness(CallPage* page) : page_(page) {}

  void load(const char* path, Reply& reply) {
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
  }

  /// In a process of its own: loads the program, waits for the start of the call, and ends as the
  /// program does.
  [[noreturn]] void run_program(ProgramRun& run) {
    program_ = &run;
    current_program = this;
    run.process = ::getpid();
    Reply reply{.kind = Kind::arm};
    // Here, because a constructor of the program may use the device, and before its handlers, so
    // that the driver's run after them.
    ::setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    start_device();
    ::on_exit([](int status, void*) { end_program(status, true); }, nullptr);
    map(run.tensors, run.files, reply);
    call_.over = [](int status) { end_program(status, false); };
    opgrade_program_call = &call_;
    if (reply.status == Status::ok && !run.folder.enter())
      fail(reply, Status::bad_request, "cannot make a folder for the program's files");
    if (reply.status == Status::ok) load(run.path, reply);
    if (reply.status == Status::ok && run.recording)
      if (const char* const why = profiler_.start(library_, run.layers))
        std::snprintf(run.no_profile, sizeof Reply::text, "%s", why);
    if (reply.status == Status::ok) prepare(run.arm.step, reply);
    // After the handlers of the CUDA runtime that came with the program, and before those of its
    // main: at exit this one runs between them, when the runtime still answers.
    ::on_exit([](int, void*) { current_program->ended_ = current_program->device_end(); }, nullptr);
    send(reply);
    ::close(kControlFd);
    if (reply.status == Status::ok) run_step(run.arm);
    await_end();
  }

  /// Answers requests until the grader hangs up or asks to finish.
  void serve() {
    for (;;) {
      Request request;
      Files files;
      if (!receive(request, files) || request.kind == Kind::finish) return;
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
          tell_findings();
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
  /// When the last handler has run, or at an end without handlers. The device's work is waited for,
  /// and what is left of the process says nothing any more.
  static void end_program(int status, bool flush) {
    if (current_program != nullptr) current_program->over(status, flush);
  }

  void over(int status, bool flush) {
    const bool is_own = ::getpid() == program_->process;  // not one that the program started
    if (!is_own || std::exchange(program_->is_over, true)) return;
    if (flush) {
      opgrade::harness::run_final_functions(library_);
      std::fflush(nullptr);
    }
    submission_->collect(&call_, status);
    Reply reply{.kind = program_->arm.step};
    step_over(reply);
    if (program_->recording)
      if (const char* const why = profiler_.stop(program_->record))
        std::snprintf(program_->no_profile, sizeof Reply::text, "%s", why);
    complete(reply, program_->arm.sequence);
    await_end();
  }

  /// The grader counts the processes that are there after a call: this one stays until its starter
  /// ends it.
  [[noreturn]] static void await_end() {
    for (;;) ::pause();
  }

  void tell_findings() const {
    if (submission_->findings != nullptr) submission_->findings();
  }

  /// After an epilog, before whatever comes next: in no step's time, as far as the grader maps
  /// before a prolog.
  void release() {
    if (to_release_ && submission_->release != nullptr) submission_->release(&call_);
    to_release_ = false;
  }

  void map(const Request& request, Files& files, Reply& reply) {
    release();
    // A device's driver registers host memory for its copies only where that may be written to. A
    // program has its input from files.
    using May = MappedTensor::May;
    const bool on_device = program_ == nullptr && submission_->touch != nullptr;
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
    close_all(files);
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
    complete(reply, sequence);
  }

  void complete(const Reply& reply, std::uint32_t sequence) {
    if (program_ != nullptr) {
      tell_findings();
      std::fflush(nullptr);
    }
    page_->reply = reply;
    if (!said_done_) tell(page_->done, sequence);
    tell(page_->finished, sequence);
  }

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  void call(void (*step)(opgrade_call*), const char* kind, Reply& reply) {
    if (step == nullptr) return;
    call_.device_ms = 0;
    begin_ = Clock::now();
    try {
      profiler_.step(kind);
      step(&call_);
    } catch (const std::exception& e) {
      fail(reply, Status::threw, e.what());
    } catch (...) {
      fail(reply, Status::threw, "an exception that is no std::exception");
    }
    step_over(reply);
  }

  /// What the device says when a step is over; 0 without one.
  struct DeviceEnd {
    int status = 0;
    const char* error = nullptr;
  };
  DeviceEnd device_end() const {
    DeviceEnd end;
    if (submission_ != nullptr && submission_->synchronize != nullptr)
      end.status = submission_->synchronize(&end.error);
    return end;
  }

  void step_over(Reply& reply) {
    profiler_.step(nullptr);
    if (prompt_ != 0) {
      tell(page_->done, prompt_);
      said_done_ = true;
    }
    const DeviceEnd end = ended_ ? *ended_ : device_end();
    if (end.status != 0 && reply.status == Status::ok) {
      fail(reply, Status::device_error, end.error != nullptr ? end.error : "unknown device error");
    } else if (end.error != nullptr && reply.status == Status::ok) {
      fail(reply, Status::ok, end.error);
    }
    reply.elapsed_ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin_).count();
    reply.device_ns = static_cast<std::int64_t>(call_.device_ms * 1e6F);
  }

  void share(Reply& reply) {
    if (submission_->share == nullptr || submission_->share(&call_, reply.shared) != 0) {
      reply.status = Status::not_shared;
    }
  }

  using Clock = std::chrono::steady_clock;

  CallPage* const page_;
  void* library_ = nullptr;
  void (*call_begins_)() = nullptr;  ///< of the emulated device
  const opgrade_submission* submission_ = nullptr;
  StepProfiler profiler_;
  opgrade_call call_{};
  bool to_release_ = false;
  std::uint32_t prompt_ = 0;  ///< the step under way, if it is prompt
  bool said_done_ = false;
  Clock::time_point begin_;  ///< of the step under way
  ProgramRun* program_ = nullptr;
  /// Of a program that exits: asked before the CUDA runtime's own handlers.
  std::optional<DeviceEnd> ended_;
  inline static Harness* current_program = nullptr;
  std::array<MappedTensor, OPGRADE_MAX_BUFFERS> buffers_;
  MappedTensor output_before_;
};

/// Serves a program, whose `main` runs once a process: this process never loads it. For each call
/// it starts a process that loads the program, makes the call, and ends. Nothing of one call is
/// there in the next.
class ProgramStarter {
 public:
  ProgramStarter(const char* path, CallPage* page) : path_(path), page_(page) {
    files_.fill(-1);
    // The processes write here why there is no profile.
    void* const shared = ::mmap(nullptr, sizeof Reply::text, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) ::_exit(0);
    no_profile_ = static_cast<char*>(shared);
  }

  void serve() {
    for (;;) {
      Request request;
      Files files;
      if (!receive(request, files) || request.kind == Kind::finish) return;
      Reply reply{.kind = request.kind};
      switch (request.kind) {
        case Kind::map:
          tensors_ = request;
          close_all(files_);
          std::swap(files_, files);
          break;
        case Kind::arm:
          run(request);
          continue;
        case Kind::share:
          reply.status = Status::not_shared;
          break;
        case Kind::case_over:
          close_all(files_);
          break;
        case Kind::findings:
          // Each process has sent its own.
          ::send(kFindingsFd, kAllFindings, std::strlen(kAllFindings), MSG_NOSIGNAL);
          break;
        case Kind::profile_begin:
          record_ = ::memfd_create("record", MFD_CLOEXEC);
          layers_ = 0;
          *no_profile_ = '\0';
          break;
        case Kind::profile_end:
          end_profile(files[0], reply);
          break;
        default:
          fail(reply, Status::bad_request, "unknown request");
          break;
      }
      close_all(files);
      send(reply);
    }
  }

 private:
  /// The process answers the request, and the rest of the call is between it and the grader.
  void run(const Request& arm) {
    ProgramRun run{.path = path_, .tensors = tensors_, .files = files_, .arm = arm};
    run.recording = record_ >= 0;
    run.record = record_;
    run.layers = layers_++;
    run.no_profile = no_profile_;
    const pid_t process = ::fork();
    if (process == 0) Harness(page_).run_program(run);
    if (process < 0) {
      Reply reply{.kind = Kind::arm};
      fail(reply, Status::threw, std::strerror(errno));
      return send(reply);
    }
    await(process);
  }

  /// Until the next request, or until the program ended without an output.
  void await(pid_t process) {
    const int end_of_process = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
    std::array<pollfd, 2> both{pollfd{kControlFd, POLLIN, 0}, pollfd{end_of_process, POLLIN, 0}};
    while (::poll(both.data(), both.size(), -1) < 0 && errno == EINTR) {
    }
    ::close(end_of_process);
    const bool ended = both[1].revents != 0;
    if (!ended) ::kill(process, SIGKILL);
    int end = 0;
    while (::waitpid(process, &end, 0) < 0 && errno == EINTR) {
    }
    if (!ended) return;
    if (WIFSIGNALED(end)) opgrade::harness::end_by(WTERMSIG(end));
    ::_exit(WEXITSTATUS(end));
  }

  void end_profile(int file, Reply& reply) {
    if (record_ < 0) return fail(reply, Status::no_profile, "no memory for the record");
    if (*no_profile_ != '\0') fail(reply, Status::no_profile, no_profile_);
    std::array<char, 1 << 16> part;
    off_t at = 0;
    for (ssize_t n; (n = ::pread(record_, part.data(), part.size(), at)) > 0; at += n)
      if (::write(file, part.data(), static_cast<std::size_t>(n)) != n) break;
    ::close(std::exchange(record_, -1));
  }

  const char* const path_;
  CallPage* const page_;
  Request tensors_;
  Files files_;
  int record_ = -1;
  int layers_ = 0;
  char* no_profile_ = nullptr;
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
  constexpr int kServing = 2, kServingProgram = 3, kAlone = 4;
  const bool is_program = argc == kServingProgram && std::strcmp(argv[1], kProgram) == 0;
  if (argc != kServing && !is_program && argc != kAlone) {
    std::fputs(
        "opgrade-harness is started by opgrade, not by hand: opgrade-harness [--program] "
        "SUBMISSION.so, or opgrade-harness SUBMISSION.so SIZES ELEMENTS for one unchecked call\n",
        stderr);
    return 2;
  }
  if (argc == kAlone) return unchecked_call(argv[1], argv[2], argv[3]);
  if (std::strcmp(argv[1], "--try-device") == 0) return try_device();
  limit_thread_stacks();
  await_load(is_program);
  CallPage* const page = map_page();
  Reply reply{.kind = Kind::ready};
  if (is_program) {
    send(reply);
    ProgramStarter(argv[2], page).serve();
  } else {
    Harness harness(page);
    harness.load(argv[1], reply);
    send(reply);
    harness.serve();
  }
  // Neither the submission's atexit handlers nor its destructors have a say any more.
  std::fflush(nullptr);
  ::_exit(0);
}
