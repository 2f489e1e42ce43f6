// The building blocks of translated kernels, launches, shared and device variables.
#pragma once

#include "types.hpp"

// For accesses of these headers that are not the submission's.
#define OPGRADE_UNCHECKED __attribute__((no_sanitize("thread", "alignment", "bounds")))
#define OPGRADE_TLS __attribute__((tls_model("initial-exec"), visibility("hidden")))
// Variables, not macros: host code may have locals of these names.
extern __thread uint3 threadIdx OPGRADE_TLS;
extern __thread uint3 blockIdx OPGRADE_TLS;
extern __thread dim3 blockDim OPGRADE_TLS;
extern __thread dim3 gridDim OPGRADE_TLS;
static const int warpSize = 32;

namespace opgrade_emulation {

/// Runs the threads of the current block, from the current one on, until all have started.
using ThreadLoop = void (*)(const void* body);

extern __thread bool threads_run_in_order OPGRADE_TLS;  // no thread of this block waits for another
bool next_thread_out_of_order();
inline bool next_thread() {
  if (threads_run_in_order && threadIdx.x + 1 < blockDim.x) {
    ++const_cast<uint3&>(threadIdx).x;
    return true;
  }
  return next_thread_out_of_order();
}

/// True for a parameter that points to data which the kernel cannot change through it.
template <class P>
struct ReadsOnly {
  static const bool value = false;
};
#define OPGRADE_READS_ONLY(qualifiers)     \
  template <class T>                       \
  struct ReadsOnly<const T * qualifiers> { \
    static const bool value = true;        \
  };
OPGRADE_READS_ONLY()
OPGRADE_READS_ONLY(const)
OPGRADE_READS_ONLY(__restrict__)
OPGRADE_READS_ONLY(const __restrict__)
#undef OPGRADE_READS_ONLY

/// The type of a thread's own copy of a parameter. An object with a copy constructor of its own is
/// used in place, because a GPU runs no such constructor.
template <class T, bool kIsBytes = __is_trivially_copyable(T)>
struct Own {
  typedef T type;
};
template <class T>
struct Own<T, false> {
  typedef T& type;
};

/// One for each kernel, and for each instance of a kernel template.
struct Kernel {
  const char* name;
  const char* file;
  int line;
  int max_threads = 1024;    ///< most threads of a block: __launch_bounds__
  int declared_shared = 0;   ///< bytes of its __shared__ variables, if a front end read them
  int opted_in_shared = -1;  ///< dynamic bytes that cudaFuncSetAttribute allowed
  int met_shared = 0;        ///< bytes of the __shared__ variables that threads have reached
  void* used_slots = nullptr;
  bool of_library = false;  ///< file and line, or `site`, are those of the submission's call
  const void* site = nullptr;

  int static_shared() const { return declared_shared > met_shared ? declared_shared : met_shared; }
  int max_dynamic_shared() const {
    return opted_in_shared >= 0 ? opted_in_shared : 48 * 1024 - static_shared();
  }

  /// True if a launch is under way, so that the body must run. The parameters' addresses are for
  /// launches whose arguments come as an array of pointers.
  template <class... Parameters>
  bool begin(Parameters*... parameters) {
    void** const arguments = launch_arguments();
    if (__builtin_expect(arguments != nullptr, false)) {
      int i = 0;
      (adopt((void*)parameters, arguments[i++], sizeof(Parameters)), ...);
      asm volatile("" ::: "memory");
    }
    if (__builtin_expect(notes_reads(), false))
      (note_read((const void*)parameters, ReadsOnly<Parameters>::value), ...);
    return accept();
  }

  template <class Body>
  void run(Body body) {
    launch(
        [](const void* opaque) {
          const Body& prototype = *static_cast<const Body*>(opaque);
          do {
            if constexpr (__is_trivially_copyable(Body)) {
              Body own(prototype);
              own();
            } else {
              // A GPU's threads get the parameters' bytes: no constructor or destructor runs there.
              alignas(Body) unsigned char own[sizeof(Body)];
              __builtin_memcpy(own, static_cast<const void*>(&prototype), sizeof(Body));
              (*reinterpret_cast<Body*>(own))();
            }
          } while (next_thread());
        },
        &body, sizeof body);
  }

 private:
  bool accept();
  void launch(ThreadLoop loop, const void* body, size_t body_bytes);
  void run_now(int device, dim3 grid, dim3 block, size_t shared, bool cooperative, ThreadLoop loop,
               const void* body, size_t body_bytes);
  static void** launch_arguments();
  /// Both are for findings on late work. notes_reads() clears the notes and returns true if notes
  /// are needed.
  static bool notes_reads();
  static void note_read(const void* parameter, bool reads_only);
  static void adopt(void* parameter, const void* argument, size_t bytes) {
    if (parameter != nullptr) __builtin_memcpy(parameter, argument, bytes);
  }
};

/// The `<<<grid, block, shared, stream>>>` of the call in the same expression.
class Configuration {
 public:
  Configuration(const char* file, int line, dim3 grid, dim3 block = 1, size_t shared = 0,
                cudaStream_t stream = nullptr);
  ~Configuration();
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;

  const char* file;
  int line;
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  void** arguments = nullptr;
  bool cooperative = false;
  bool used = false;
  Configuration* outer;
  const void* site = nullptr;  ///< for a launch by an API call, which has no file and line
};

// The variables of the block that runs on this host thread.
extern __thread char* shared_memory OPGRADE_TLS;
extern __thread char* dynamic_shared_memory OPGRADE_TLS;
extern __thread Kernel* running_kernel OPGRADE_TLS;

inline void* dynamic_shared() { return dynamic_shared_memory; }

/// The place of a `__shared__` variable in every block's shared memory.
struct SharedSlot {
  const char* name;
  const char* file;
  int line;
  size_t bytes;
  size_t alignment;
  long offset = -1;
  Kernel* counted_for = nullptr;

  OPGRADE_UNCHECKED void* address() {
    if (__builtin_expect(counted_for != running_kernel, false)) place();
    return shared_memory + offset;
  }

 private:
  void place();
};

enum class SymbolKind { constant, device, managed };
struct Symbol {
  /// `unit` is the compiled source file; file and line are those of the declaration.
  Symbol(const void* address, size_t bytes, const char* name, SymbolKind kind, const char* unit,
         const char* file, int line);
};

/// The host's own copy of a `__constant__` or `__device__` variable: zeros, as with nvcc. Its
/// address identifies the variable in the runtime API.
struct HostCopy {
  HostCopy(const void* host, const void* device, size_t bytes);
};

/// True if a kernel is running on this host thread.
bool on_device();

/// Stops a kernel that calls a function by the address that the host took.
void host_function_called(const void* site);

/// The address of a function in host code. On a GPU it is no address of a device function.
template <class F, F& function>
struct HostFunction;
template <class R, class... A, R (&function)(A...)>
struct HostFunction<R(A...), function> {
  static __attribute__((noinline)) R call(A... a) {
    host_function_called(__builtin_return_address(0));
    return function(static_cast<A&&>(a)...);
  }
};
#if __cplusplus >= 201703L
template <class R, class... A, R (&function)(A...) noexcept>
struct HostFunction<R(A...) noexcept, function> {
  static __attribute__((noinline)) R call(A... a) noexcept {
    host_function_called(__builtin_return_address(0));
    return function(static_cast<A&&>(a)...);
  }
};
#endif

void inline_ptx(const char* file, int line);
/// Ends the kernel, because the submission uses a part of CUDA that is not emulated.
void not_emulated(const char* what);

}  // namespace opgrade_emulation
