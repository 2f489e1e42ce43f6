// Loads a shared object built by opgrade-cucc, calls its run(), and prints what the device found:
//   {"result": <run's value>, "status": <CUDA error>, "findings": [...]}
// With a second argument it records what the device did into that file.
// It stands for the grader's harness, in a process of its own because a submission may crash.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  alarm(120);
  void* object = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (object == nullptr) {
    std::fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "usage: emulation_host <shared object>");
    return 2;
  }
  const auto run = reinterpret_cast<int (*)()>(dlsym(object, "run"));
  const auto synchronize =
      reinterpret_cast<int (*)()>(dlsym(object, "opgrade_emulation_synchronize"));
  const auto findings =
      reinterpret_cast<const char* (*)()>(dlsym(object, "opgrade_emulation_findings"));
  if (run == nullptr || synchronize == nullptr || findings == nullptr) {
    std::fprintf(stderr, "%s lacks run() or the runtime\n", argv[1]);
    return 2;
  }
  const bool records = argc > 2;
  if (records) reinterpret_cast<const char* (*)()>(dlsym(object, "opgrade_profiler_start"))();
  const int result = run();
  const int status = synchronize();
  if (records) {
    const int file = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    reinterpret_cast<const char* (*)(int)>(dlsym(object, "opgrade_profiler_stop"))(file);
    close(file);
  }
  std::printf("{\"result\": %d, \"status\": %d, \"findings\": %s}\n", result, status, findings());
  return 0;
}
