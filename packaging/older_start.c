// Lets a program that was linked on a newer system start with a glibc from 2.28 on, and ask it for a file's status: the
// two that older versions have in another form, which is at hand in newer ones, too. The harness is linked with it,
// since a sandbox shows it alone; the portable bundle's other files have it in a library, with older_glibc.c.
// Sources: csu/libc-start.c and io/fstat.c of glibc 2.31 and 2.36.
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Before 2.33 these were inline calls of __xstat() and its kind. The kernel's structure is glibc's.

int fstatat(int folder, const char* path, struct stat* status, int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, status, flags);
}
int stat(const char* path, struct stat* status) { return fstatat(AT_FDCWD, path, status, 0); }
int lstat(const char* path, struct stat* status) {
  return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
int fstat(int file, struct stat* status) { return (int)syscall(SYS_fstat, file, status); }
int mknod(const char* path, mode_t mode, dev_t device) {
  return (int)syscall(SYS_mknodat, AT_FDCWD, path, mode, (unsigned)device);
}
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one form of both");
int fstatat64(int folder, const char* path, struct stat64* status, int flags) {
  return fstatat(folder, path, (struct stat*)status, flags);
}
int stat64(const char* path, struct stat64* status) { return stat(path, (struct stat*)status); }
int lstat64(const char* path, struct stat64* status) { return lstat(path, (struct stat*)status); }
int fstat64(int file, struct stat64* status) { return fstat(file, (struct stat*)status); }

// Since 2.34 a program leaves its own constructors to __libc_start_main(), which the older form, at hand in
// every glibc, does only by the function `init`.

typedef int Main(int, char**, char**);
typedef void Constructor(int, char**, char**);
extern int older_start(Main*, int, char**, Constructor*, void (*)(void), void (*)(void), void*);
#if defined(__x86_64__)
__asm__(".symver older_start, __libc_start_main@GLIBC_2.2.5");
#elif defined(__aarch64__)
__asm__(".symver older_start, __libc_start_main@GLIBC_2.17");
#else
#error The oldest version of __libc_start_main() of this processor is not known here.
#endif

static void construct_program(int count, char** arguments, char** environment) {
  const ElfW(Phdr)* const headers = (const ElfW(Phdr)*)getauxval(AT_PHDR);
  const size_t number = getauxval(AT_PHNUM);
  uintptr_t base = 0;
  for (size_t i = 0; i < number; ++i)
    if (headers[i].p_type == PT_PHDR) base = (uintptr_t)headers - headers[i].p_vaddr;
  uintptr_t first = 0, array = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < number; ++i) {
    if (headers[i].p_type != PT_DYNAMIC) continue;
    for (const ElfW(Dyn)* entry = (const ElfW(Dyn)*)(base + headers[i].p_vaddr); entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_INIT) first = base + entry->d_un.d_ptr;
      if (entry->d_tag == DT_INIT_ARRAY) array = base + entry->d_un.d_ptr;
      if (entry->d_tag == DT_INIT_ARRAYSZ) bytes = entry->d_un.d_val;
    }
  }
  if (first != 0) ((Constructor*)first)(count, arguments, environment);
  for (size_t i = 0; i < bytes / sizeof(Constructor*); ++i)
    ((Constructor**)array)[i](count, arguments, environment);
}

int __libc_start_main(Main* run, int count, char** arguments, Constructor* init, void (*fini)(void),
                      void (*end_of_loader)(void), void* end_of_stack) {
  return older_start(run, count, arguments, init != NULL ? init : construct_program, fini, end_of_loader,
                     end_of_stack);
}
