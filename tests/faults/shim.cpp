// A library for LD_PRELOAD that lets system calls of the opgrade program fail on demand:
//
//   OPGRADE_FAULT=fork|thread|memfd|mmap|write|write-once|clock   what fails
//   OPGRADE_FAULT_AFTER=N   after so many calls that still work
//
// Its children have a cleared environment, so it does not reach them.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

/// Whether this call of `what` is one that fails.
bool fails(const char* what) {
  static const char* const wanted = getenv("OPGRADE_FAULT");
  static const char* const after = getenv("OPGRADE_FAULT_AFTER");
  static std::atomic<long> left{after != nullptr ? atol(after) : 0};
  if (wanted == nullptr || strcmp(wanted, what) != 0) return false;
  const long calls = left.fetch_sub(1);
  return strstr(what, "-once") != nullptr ? calls == 0 : calls <= 0;
}

template <class Function>
Function next(Function, const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// On a disk: not in memory alone.
bool is_file(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 0;
}

}  // namespace

extern "C" {

pid_t fork() {
  if (fails("fork")) return errno = EAGAIN, -1;
  return next(&fork, "fork")();
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) {
  if (fails("thread")) return EAGAIN;
  return next(&pthread_create, "pthread_create")(thread, attributes, start, argument);
}

int memfd_create(const char* name, unsigned flags) {
  if (fails("memfd")) return errno = EMFILE, -1;
  return next(&memfd_create, "memfd_create")(name, flags);
}

void* mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  // Shared ones: the tensors. What the loader and malloc map is another story.
  if ((flags & MAP_SHARED) != 0 && fd >= 0 && fails("mmap")) return errno = ENOMEM, MAP_FAILED;
  return next(&mmap, "mmap")(address, length, protection, flags, fd, offset);
}

ssize_t write(int fd, const void* bytes, size_t count) {
  if (is_file(fd) && (fails("write") || fails("write-once"))) return errno = ENOSPC, -1;
  return next(&write, "write")(fd, bytes, count);
}

int clock_gettime(clockid_t clock, timespec* time) {
  const int result = next(&clock_gettime, "clock_gettime")(clock, time);
  // Every look at the calendar is a year before or after the last one.
  static std::atomic<int> looks{0};
  if (clock == CLOCK_REALTIME && fails("clock")) {
    time->tv_sec += (++looks % 2 == 0 ? 1 : -1) * 365L * 24 * 3600;
  }
  return result;
}

}  // extern "C"
