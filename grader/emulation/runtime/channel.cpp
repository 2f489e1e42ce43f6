#include "grader/emulation/runtime/channel.hpp"

#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdlib>

namespace opgrade_emulation {
namespace {

constexpr int kNotDelivered = 70;  // EX_SOFTWARE of sysexits.h

int channel = -1;

/// Before any constructor of the submission, which could change the environment.
[[gnu::constructor(101)]] void open_channel() {
  if (const char* const number = std::getenv("OPGRADE_FINDINGS_FD"))
    channel = static_cast<int>(std::strtol(number, nullptr, 10));
}

/// Not the C library's functions: a submission can put its own in their place.
long system_call(long number, long a, long b, long c, long d) {
#if defined(__x86_64__)
  long result = number;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = 0;
  register long r9 asm("r9") = 0;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#else
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = 0;
  register long x5 asm("x5") = 0;
  asm volatile("svc #0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
#endif
}

}  // namespace

void deliver(const std::string& packet) {
  if (channel < 0) return;
  long sent = -EINTR;
  while (sent == -EINTR)
    sent = system_call(SYS_sendto, channel, reinterpret_cast<long>(packet.data()),
                       static_cast<long>(packet.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == static_cast<long>(packet.size())) return;
  for (;;) system_call(SYS_exit_group, kNotDelivered, 0, 0, 0);
}

}  // namespace opgrade_emulation
