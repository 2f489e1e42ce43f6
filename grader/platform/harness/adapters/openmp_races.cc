/* Tells g++'s thread sanitizer which threads wait for each other in libgomp, which is not
 * instrumented. Linked with a submission that is checked for data races; every function calls
 * libgomp's function of the same name. */
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
extern "C" void __sanitizer_symbolize_pc(void*, const char* format, char* text, size_t size);

#define FUNCTION extern "C" __attribute__((visibility("hidden"), no_sanitize("thread")))

namespace {

using Body = void (*)(void*);
using Copy = void (*)(void*, void*);
constexpr size_t kAlignment = 64;
char barriers, tasks, ordered, critical, atomics, copies; /* only their addresses count */

template <class F>
F* libgomp(F*, const char* name) {
  static void* const library = dlopen("libgomp.so.1", RTLD_NOW);
  return reinterpret_cast<F*>(dlsym(library, name));
}
#define REAL(name) libgomp(name, #name)

/* A thread that leaves the barrier has seen what the others did before it. The second wait keeps
 * all threads back until each has recorded that. */
template <class F>
__attribute__((no_sanitize("thread"))) void wait_for_all(F* barrier, F* again) {
  __tsan_release(&barriers);
  barrier();
  __tsan_acquire(&barriers);
  __tsan_acquire(&tasks);
  again();
}

/* Members of a team see what was before the team, and code after the team sees what they did. They
 * do not see each other. */
struct Team {
  Body body;
  void* data;
  char before, after;
};
__attribute__((no_sanitize("thread"))) void run_member(void* of) {
  Team* const team = static_cast<Team*>(of);
  __tsan_acquire(&team->before);
  team->body(team->data);
  __tsan_release(&team->after);
}

struct Task {
  Body body;
  void* data;
  bool depends;
};
__attribute__((no_sanitize("thread"))) void* copied(void* data, Copy copy, long size) {
  void* const own = aligned_alloc(kAlignment, (size + kAlignment) / kAlignment * kAlignment);
  copy ? copy(own, data) : static_cast<void>(memcpy(own, data, size));
  return own;
}
__attribute__((no_sanitize("thread"))) void run_task(void* of) {
  Task* const task = *static_cast<Task**>(of);
  __tsan_acquire(task);
  if (task->depends) __tsan_acquire(&tasks);
  task->body(task->data);
  __tsan_release(&tasks);
  free(task->data);
  free(task);
}

struct Loop {
  Task task;
  Copy copy;
  long size;
};
struct Part {
  long begin, end; /* libgomp sets them */
  Loop* loop;
};
__attribute__((no_sanitize("thread"))) void run_part(void* of) {
  Part* const part = static_cast<Part*>(of);
  __tsan_acquire(part->loop);
  void* const own = copied(part->loop->task.data, part->loop->copy, part->loop->size);
  memcpy(own, part, 2 * sizeof(long));
  part->loop->task.body(own);
  __tsan_release(&tasks);
  free(own);
}

/* The value that a thread has read last, by the word's address. */
struct Seen {
  const volatile void* word;
  uint64_t value;
};
constexpr size_t kSeen = 256;
thread_local Seen seen[kSeen];
__attribute__((no_sanitize("thread"))) Seen& seen_at(const volatile void* word) {
  return seen[reinterpret_cast<uintptr_t>(word) / 4 % kSeen];
}

/* Lets other threads run first, so that an update between an atomic read and an atomic write is
 * lost each time, not by chance. */
__attribute__((no_sanitize("thread"))) void have_read(const volatile void* word, uint64_t value) {
  seen_at(word) = {word, value};
  sched_yield();
}
__attribute__((no_sanitize("thread"))) void will_write(const volatile void* word, uint64_t now,
                                                       void* from) {
  static bool told;
  const Seen before = seen_at(word);
  if (before.word != word || before.value == now || told) return;
  told = true;
  char frame[512];
  __sanitizer_symbolize_pc(static_cast<char*>(from) - 1, "    #0 %f %s:%l", frame, sizeof frame);
  fprintf(stderr, "WARNING: ThreadSanitizer: lost update\n%s\n", frame);
}

}  // namespace

/* The linker replaces the sanitizer's functions by these: build/compile_command.cpp. */
#define ATOMIC(type, name)                                                                       \
  extern "C" type __real_##name##_load(const volatile void*, int order);                         \
  extern "C" void __real_##name##_store(volatile void*, type, int order);                        \
  FUNCTION type __wrap_##name##_load(const volatile void* word, int order) {                     \
    const type value = __real_##name##_load(word, order);                                        \
    have_read(word, value);                                                                      \
    return value;                                                                                \
  }                                                                                              \
  FUNCTION void __wrap_##name##_store(volatile void* word, type value, int order) {              \
    will_write(word, __real_##name##_load(word, __ATOMIC_RELAXED), __builtin_return_address(0)); \
    __real_##name##_store(word, value, order);                                                   \
  }
ATOMIC(unsigned, __tsan_atomic32)
ATOMIC(unsigned long, __tsan_atomic64)

#define TEAM(name, parameters, ...)             \
  FUNCTION void name parameters {               \
    Team team{body, data, 0, 0};                \
    __tsan_release(&team.before);               \
    REAL(name)(run_member, &team, __VA_ARGS__); \
    __tsan_acquire(&team.after);                \
    __tsan_acquire(&tasks);                     \
  }
#define LOOP(name)                                                                            \
  TEAM(GOMP_parallel_loop_##name,                                                             \
       (Body body, void* data, unsigned threads, long begin, long end, long step, long chunk, \
        unsigned flags),                                                                      \
       threads, begin, end, step, chunk, flags)
#define LOOP_AT_RUN_TIME(name)                                                                     \
  TEAM(GOMP_parallel_loop_##name,                                                                  \
       (Body body, void* data, unsigned threads, long begin, long end, long step, unsigned flags), \
       threads, begin, end, step, flags)
#define BARRIER(name) \
  FUNCTION void name(void) { wait_for_all(REAL(name), libgomp(name, "GOMP_barrier")); }
#define BETWEEN(begin, end, what, parameters, ...) \
  FUNCTION void begin parameters {                 \
    REAL(begin)(__VA_ARGS__);                      \
    __tsan_acquire(what);                          \
  }                                                \
  FUNCTION void end parameters {                   \
    __tsan_release(what);                          \
    REAL(end)(__VA_ARGS__);                        \
  }
#define TASKS_ARE_OVER(name) \
  FUNCTION void name(void) { \
    REAL(name)();            \
    __tsan_acquire(&tasks);  \
  }

TEAM(GOMP_parallel, (Body body, void* data, unsigned threads, unsigned flags), threads, flags)
TEAM(GOMP_parallel_sections,
     (Body body, void* data, unsigned threads, unsigned count, unsigned flags), threads, count,
     flags)
LOOP(static)
LOOP(dynamic)
LOOP(guided)
LOOP(nonmonotonic_dynamic)
LOOP(nonmonotonic_guided)
LOOP_AT_RUN_TIME(runtime)
LOOP_AT_RUN_TIME(nonmonotonic_runtime)
LOOP_AT_RUN_TIME(maybe_nonmonotonic_runtime)
BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)
BETWEEN(GOMP_critical_start, GOMP_critical_end, &critical, (void))
BETWEEN(GOMP_critical_name_start, GOMP_critical_name_end, name, (void** name), name)
BETWEEN(GOMP_atomic_start, GOMP_atomic_end, &atomics, (void))
BETWEEN(GOMP_ordered_start, GOMP_ordered_end, &ordered, (void))
BETWEEN(omp_set_lock, omp_unset_lock, lock, (omp_lock_t * lock), lock)
BETWEEN(omp_set_nest_lock, omp_unset_nest_lock, lock, (omp_nest_lock_t * lock), lock)
TASKS_ARE_OVER(GOMP_taskwait)
TASKS_ARE_OVER(GOMP_taskgroup_end)

FUNCTION int omp_test_lock(omp_lock_t* lock) {
  const int taken = REAL(omp_test_lock)(lock);
  if (taken) __tsan_acquire(lock);
  return taken;
}

FUNCTION void* GOMP_single_copy_start(void) {
  void* const data = REAL(GOMP_single_copy_start)();
  if (data) __tsan_acquire(&copies);
  return data;
}
FUNCTION void GOMP_single_copy_end(void* data) {
  __tsan_release(&copies);
  REAL(GOMP_single_copy_end)(data);
}

FUNCTION void GOMP_task(Body body, void* data, Copy copy, long size, long, bool deferred,
                        unsigned flags, void** depend, int priority, void* detach) {
  Task* task = static_cast<Task*>(malloc(sizeof(Task)));
  *task = {body, copied(data, copy, size), depend != nullptr};
  __tsan_release(task);
  REAL(GOMP_task)
  (run_task, &task, nullptr, sizeof task, alignof(Task*), deferred, flags, depend, priority,
   detach);
  if (!deferred) __tsan_acquire(&tasks);
}

/* The task loop may outlive this call. */
FUNCTION void GOMP_taskloop(Body body, void* data, Copy copy, long size, long, unsigned flags,
                            unsigned long count, int priority, long begin, long end, long step) {
  Part part{0, 0, static_cast<Loop*>(malloc(sizeof(Loop)))};
  *part.loop = {{body, copied(data, copy, size), false}, copy, size};
  __tsan_release(part.loop);
  REAL(GOMP_taskloop)
  (run_part, &part, nullptr, sizeof part, alignof(Part), flags, count, priority, begin, end, step);
  __tsan_acquire(&tasks);
}
