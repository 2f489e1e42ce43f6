#include "grader/emulation/runtime/source_lines.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <mutex>

#if OPGRADE_HAVE_LIBBACKTRACE
#include <backtrace.h>
#endif

namespace opgrade_emulation {
namespace {

#if OPGRADE_HAVE_LIBBACKTRACE
bool is_own(const char* file) {
  return std::strstr(file, "/opgrade_emulation/") != nullptr ||
         std::strstr(file, "opgrade/emulation/include/") != nullptr ||
         std::strncmp(file, "/usr/include/", 13) == 0 || std::strncmp(file, "/usr/lib/", 9) == 0;
}

int take_frame(void* data, std::uintptr_t, const char* file, int line, const char* function) {
  auto& found = *static_cast<SourceLine*>(data);
  if (file == nullptr || line == 0) return 0;
  const bool own = is_own(file);
  if (found.line == 0 || !own) {
    const char* slash = std::strrchr(file, '/');
    found = {slash != nullptr ? slash + 1 : file, line, function != nullptr ? function : ""};
  }
  return own ? 0 : 1;
}

/// libbacktrace must be able to open the program before it looks at shared objects, and in a
/// sandbox /proc/self/exe may not be there. Where the program cannot be read, this very object will
/// do.
const char* readable_program() {
  const char* program = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (program != nullptr && access(program, R_OK) == 0) return program;
  static Dl_info own;
  return dladdr(reinterpret_cast<const void*>(&readable_program), &own) != 0 ? own.dli_fname
                                                                             : nullptr;
}

void ignore_error(void*, const char*, int) {}
#endif

}  // namespace

SourceLine source_line(const void* return_address) {
  SourceLine found;
  if (return_address == nullptr) return found;
#if OPGRADE_HAVE_LIBBACKTRACE
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static backtrace_state* state =
      backtrace_create_state(readable_program(), 0, &ignore_error, nullptr);
  const std::uintptr_t pc = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  if (state != nullptr) backtrace_pcinfo(state, pc, &take_frame, &ignore_error, &found);
#endif
  return found;
}

}  // namespace opgrade_emulation
