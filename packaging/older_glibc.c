// What the programs and libraries of the portable bundle ask of a glibc newer than 2.28, besides older_start.c, for
// systems that have an older one. packaging/portable.sh compiles both to one library, and packaging/older_glibc.py makes
// each file of the bundle ask it first. Functions that an older glibc has in another of its libraries, as
// pthread_create() in libpthread before 2.34, are found there. Source: glibc's NEWS of 2.29 to 2.36.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#endif

// 2.36: random numbers.

void arc4random_buf(void* buffer, size_t size) {
  char* place = buffer;
  while (size > 0) {
    const ssize_t got = getrandom(place, size, 0);
    if (got < 0) continue;  // EINTR alone, because the system's source is never exhausted
    place += got;
    size -= (size_t)got;
  }
}

uint32_t arc4random(void) {
  uint32_t value;
  arc4random_buf(&value, sizeof value);
  return value;
}

uint32_t arc4random_uniform(uint32_t bound) {
  if (bound < 2) return 0;
  const uint32_t first = -bound % bound;  // values below it would make small results more frequent
  uint32_t value;
  do value = arc4random();
  while (value < first);
  return value % bound;
}

// 2.33. Sizes for statistics, which no program of the bundle prints.
struct mallinfo2 mallinfo2(void) { return (struct mallinfo2){0}; }

// 2.32. No thread is ever said to be alone, which is right and a little slower.
char __libc_single_threaded = 0;

const char* sigabbrev_np(int signal) {
  switch (signal) {
#define NAME(signal) \
  case SIG##signal: return #signal;
    NAME(HUP) NAME(INT) NAME(QUIT) NAME(ILL) NAME(TRAP) NAME(ABRT) NAME(BUS) NAME(FPE) NAME(KILL) NAME(USR1)
    NAME(SEGV) NAME(USR2) NAME(PIPE) NAME(ALRM) NAME(TERM) NAME(STKFLT) NAME(CHLD) NAME(CONT) NAME(STOP)
    NAME(TSTP) NAME(TTIN) NAME(TTOU) NAME(URG) NAME(XCPU) NAME(XFSZ) NAME(VTALRM) NAME(PROF) NAME(WINCH)
    NAME(POLL) NAME(PWR) NAME(SYS)
#undef NAME
    default: return NULL;
  }
}

// 2.30. A wait until a time of a clock that nobody sets. Only glibc 2.28 and 2.29 have no such wait: there it is one by
// the clock of the day, which ends too early or too late if somebody sets that clock meanwhile.
__asm__(".symver older_dlsym, dlsym@" OLDEST);
void* older_dlsym(void*, const char*);
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const struct timespec* end) {
  typedef int Wait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
  static Wait* _Atomic known;
  if (known == NULL) known = (Wait*)older_dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  if (known != NULL) return known(condition, mutex, clock, end);
  const long second = 1000000000;
  struct timespec now, day;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &day);
  day.tv_sec += end->tv_sec - now.tv_sec;
  day.tv_nsec += end->tv_nsec - now.tv_nsec;
  if (day.tv_nsec < 0) day.tv_nsec += second, --day.tv_sec;
  if (day.tv_nsec >= second) day.tv_nsec -= second, ++day.tv_sec;
  return pthread_cond_timedwait(condition, mutex, &day);
}

pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

// 2.34: names of libresolv that began with __ before, which <resolv.h> hid.

#define OLDER(name) __asm__(".symver older_" #name ", __" #name "@" OLDEST)
typedef unsigned char Byte;

OLDER(dn_expand);
int older_dn_expand(const Byte*, const Byte*, const Byte*, char*, int);
int dn_expand(const Byte* message, const Byte* end, const Byte* from, char* to, int bytes) {
  return older_dn_expand(message, end, from, to, bytes);
}

OLDER(res_query);
int older_res_query(const char*, int, int, Byte*, int);
int res_query(const char* name, int class, int type, Byte* answer, int bytes) {
  return older_res_query(name, class, type, answer, bytes);
}

OLDER(res_nsearch);
int older_res_nsearch(void*, const char*, int, int, Byte*, int);
int res_nsearch(void* state, const char* name, int class, int type, Byte* answer, int bytes) {
  return older_res_nsearch(state, name, class, type, answer, bytes);
}
