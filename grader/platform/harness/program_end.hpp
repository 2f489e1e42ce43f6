/// How the process of a program ends, and how its starter reproduces that end.
#pragma once

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>

namespace opgrade::harness {

/// Runs a loaded object's functions with the attribute `destructor`, which the C library would run
/// last. Handlers and static destructors have run before.
inline void run_final_functions(void* library) {
  link_map* map = nullptr;
  if (library == nullptr || ::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return;
  using Function = void (*)();
  Function* functions = nullptr;
  std::size_t count = 0;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_FINI_ARRAY)
      functions = reinterpret_cast<Function*>(map->l_addr + entry->d_un.d_ptr);
    if (entry->d_tag == DT_FINI_ARRAYSZ) count = entry->d_un.d_val / sizeof(Function);
  }
  while (functions != nullptr && count > 0) functions[--count]();
}

/// Ends this process by the signal that ended another one.
[[noreturn]] inline void end_by(int number) {
  constexpr int kSignalled = 128;  // shells add this to the signal's number
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(number, &usual, nullptr);
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, number);
  ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
  ::kill(::getpid(), number);
  ::_exit(kSignalled + number);
}

/// A new folder for a program's files, removed with everything that the program left there.
class ProgramFolder {
 public:
  ProgramFolder() {
    std::error_code none;
    name_ = std::filesystem::temp_directory_path(none) / "program-XXXXXX";
    made_ = ::mkdtemp(name_.data()) != nullptr;
  }
  ~ProgramFolder() {
    std::error_code stays;
    if (made_) std::filesystem::remove_all(name_, stays);
  }
  ProgramFolder(const ProgramFolder&) = delete;
  ProgramFolder& operator=(const ProgramFolder&) = delete;

  bool enter() const { return made_ && ::chdir(name_.c_str()) == 0; }

 private:
  std::string name_;
  bool made_ = false;
};

}  // namespace opgrade::harness
