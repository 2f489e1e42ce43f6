#include "grader/emulation/runtime/fault.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "grader/emulation/runtime/devices.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/state.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {
namespace {

// An integer's division by zero raises SIGFPE only on x86-64; on ARM64 a build with checks tests
// the divisor. The instruction that compilers put in place of undefined behaviour raises SIGILL on
// x86-64 and SIGTRAP on ARM64.
#if defined(__x86_64__)
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#else
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
#endif
struct sigaction previous[65];

bool is_trap(int signal) { return signal == SIGILL || signal == SIGTRAP; }

const void* program_counter(const ucontext_t& context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RIP]);
#else
  return reinterpret_cast<const void*>(context.uc_mcontext.pc);
#endif
}

std::string describe(const void* address, const Worker& worker, const char*& kind) {
  kind = "out_of_bounds";
  if (worker.in_guard(address)) {
    kind = "stack_overflow";
    return "The thread's local variables take more than the 512 KiB of local memory a thread has.";
  }
  if (address < reinterpret_cast<const void*>(4096)) {
    return "The thread follows a null pointer: was the memory ever allocated, and was cudaMalloc's "
           "error looked at?";
  }
  if (std::string text = describe_other_device(address, worker.launch()->device); !text.empty()) {
    kind = "memory_of_another_device";
    return text;
  }
  if (is_shared_memory(address))
    return "The thread leaves the shared memory that the launch asked for.";
  return "The thread leaves its memory: " + describe_address(address, kind);
}

/// Reports a crash of host code before the process ends as it would have.
void report_crash(int signal, const siginfo_t* info, const void* site) {
  static thread_local bool once = false;
  if (once) return;
  once = true;
  std::string message = signal == SIGFPE  ? "The host code divides an integer by zero."
                        : is_trap(signal) ? "The host code has undefined behaviour and ends here."
                                          : "The host code follows a null or stray pointer.";
  const char* kind = nullptr;
  if (signal == SIGSEGV && device_range().contains(info->si_addr))
    message = "The host code touches device memory: " + describe_address(info->si_addr, kind);
  report({.kind = "host_crash", .message = std::move(message), .site = site});
  write_report();
}

[[noreturn]] void stop_dividing_kernel(const void* site) {
  stop_kernel("division_by_zero",
              "An integer is divided by zero. A GPU does not stop here; it goes on with a "
              "meaningless number.",
              cudaErrorIllegalInstruction, site);
}

void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction& old = previous[signal];
  if ((old.sa_flags & SA_SIGINFO) != 0 && old.sa_sigaction != nullptr) {
    old.sa_sigaction(signal, info, context);
  } else if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
    old.sa_handler(signal);
  } else {
    ::signal(signal,
             SIG_DFL);  // the instruction faults again, and the process ends as it would have
  }
}

void handle(int signal, siginfo_t* info, void* raw) {
  Worker* worker = current_worker;
  const auto* context = static_cast<const ucontext_t*>(raw);
  // One past the instruction, like a return address, because the lookup subtracts one.
  const void* site = static_cast<const char*>(program_counter(*context)) + 1;
  if (worker == nullptr) {
    report_crash(signal, info, site);
    return pass_on(signal, info, raw);
  }
  sigset_t set;
  sigemptyset(&set);
  for (const int s : kSignals) sigaddset(&set, s);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  if (signal == SIGFPE) stop_dividing_kernel(site);
  if (is_trap(signal)) {
    stop_kernel("undefined_behavior",
                "The compiler found undefined behaviour here, and ends the program here.",
                cudaErrorIllegalInstruction, site);
  }
  const char* kind = nullptr;
  const std::string message = describe(info->si_addr, *worker, kind);
  // The checks and counts read the memory of all devices after the kernel's end.
  for (int device = 0; device < device_count(); ++device) open_memory_of(device);
  stop_kernel(kind, message, cudaErrorIllegalAddress, site);
}

void install() {
  for (const int signal : kSignals) {
    struct sigaction action {};
    action.sa_sigaction = &handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, &previous[signal]);
  }
}

__thread void* signal_stack = nullptr;

}  // namespace

void catch_faults() {
  static std::once_flag once;
  std::call_once(once, install);
  if (signal_stack != nullptr) return;
  constexpr std::size_t kBytes = 256 * 1024;
  signal_stack = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t stack{};
  stack.ss_sp = signal_stack;
  stack.ss_size = kBytes;
  sigaltstack(&stack, nullptr);
}

void stop_kernel(const char* kind, const std::string& message, cudaError_t error, const void* site,
                 const char* file, int line) {
  report({.kind = kind,
          .message = message,
          .site = site,
          .file = file,
          .line = line,
          .in_kernel = current_worker != nullptr});
  set_sticky_error(error);
  if (current_worker != nullptr) current_worker->abandon_kernel();
  stop_process(message.c_str());
}

void stop_division(const void* site) {
  if (current_worker != nullptr) stop_dividing_kernel(site);
  const siginfo_t nowhere{};
  report_crash(SIGFPE, &nowhere, site);
  ::signal(SIGFPE, SIG_DFL);
  ::raise(SIGFPE);
}

void stop_process(const char* why) {
  std::fprintf(stderr, "emulated device: %s\n", why);
  std::abort();
}

}  // namespace opgrade_emulation
