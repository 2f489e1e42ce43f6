// Records kernels, API calls, copies and fills with CUPTI's activity interface, inside the
// submission's process. It opens libcupti at run time; without it there is no profile.
//
// How it works: CUPTI fills buffers with records on threads of its own. The records are kept as
// text lines until the harness asks for them. The submission shares the process and could disturb
// all of this, so nothing here decides a verdict.
#include <cupti.h>
#include <cxxabi.h>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "grader/platform/harness/profiler/collector.h"

namespace {

constexpr std::size_t kBufferBytes = std::size_t{4} << 20;
/// Below the sandbox's limit on the size of files, which applies to the memory file, too.
constexpr std::size_t kMostText = std::size_t{48} << 20;

constexpr std::array kKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_RUNTIME,
                            CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_MEMCPY,
                            CUPTI_ACTIVITY_KIND_MEMSET};

/// The functions of libcupti that are used. If one is missing, open() fails.
struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiFinalize) finalize = nullptr;
  decltype(&cuptiActivityGetNextRecord) next = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped = nullptr;
  decltype(&cuptiGetTimestamp) timestamp = nullptr;
  decltype(&cuptiGetCallbackName) callback_name = nullptr;
  decltype(&cuptiGetResultString) result_text = nullptr;
  decltype(&cuptiSetThreadIdType) set_thread_ids = nullptr;

  const char* open() {
    void* const library = ::dlopen("libcupti.so", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return "there is no libcupti in the sandbox";
    bool all = true;
    const auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      all = all && function != nullptr;
    };
    find(register_callbacks, "cuptiActivityRegisterCallbacks");
    find(enable, "cuptiActivityEnable");
    find(disable, "cuptiActivityDisable");
    find(flush, "cuptiActivityFlushAll");
    find(finalize, "cuptiFinalize");
    find(next, "cuptiActivityGetNextRecord");
    find(dropped, "cuptiActivityGetNumDroppedRecords");
    find(timestamp, "cuptiGetTimestamp");
    find(callback_name, "cuptiGetCallbackName");
    find(result_text, "cuptiGetResultString");
    find(set_thread_ids, "cuptiSetThreadIdType");
    return all ? nullptr : "libcupti lacks a function that is needed";
  }
};

/// Never destroyed: CUPTI's threads may hand over buffers while the process ends.
struct Collector {
  Cupti cupti;
  std::mutex mutex;
  std::string text;
  std::size_t lost = 0;
  bool opened = false;
  std::string problem;
  std::unordered_map<std::string, std::string> names;  // mangled to readable
  const char* step = nullptr;
  int layer = 0;
  unsigned long long step_begin = 0;

  [[gnu::format(printf, 2, 3)]] void line(const char* format, ...) {
    std::array<char, 1024> out;
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(out.data(), out.size(), format, arguments);
    va_end(arguments);
    if (length < 0 || text.size() + out.size() > kMostText) {
      ++lost;
      return;
    }
    text.append(out.data(), std::min(static_cast<std::size_t>(length), out.size() - 1));
    text += '\n';
  }

  const char* readable(const char* mangled) {
    if (mangled == nullptr || *mangled == '\0') return "?";
    auto& name = names[mangled];
    if (name.empty()) {
      int status = 0;
      const std::unique_ptr<char, void (*)(void*)> plain(
          abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
      name = status == 0 && plain ? plain.get() : mangled;
      for (char& c : name) {
        if (c == '\n') c = ' ';
      }
      constexpr std::size_t kLongestName = 500;
      if (name.size() > kLongestName) name.resize(kLongestName);
    }
    return name.c_str();
  }

  const char* failed(const char* what, CUptiResult result) {
    const char* why = nullptr;
    cupti.result_text(result, &why);
    problem = std::string(what) + ": " + (why != nullptr ? why : "unknown error");
    return problem.c_str();
  }

  void keep(const CUpti_Activity& record);
  void describe_device();
};

Collector& collector() {
  static auto* const instance = new Collector;
  return *instance;
}

const char* memory_name(unsigned kind) {
  return kind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE         ? "pageable"
         : kind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED         ? "pinned"
         : kind == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE         ? "device"
         : kind == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC  ? "device"
         : kind == CUPTI_ACTIVITY_MEMORY_KIND_ARRAY          ? "array"
         : kind == CUPTI_ACTIVITY_MEMORY_KIND_MANAGED        ? "managed"
         : kind == CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC ? "managed"
                                                             : "other";
}

using Number = unsigned long long;

/// A record has no end while its work is still running.
template <class Record>
bool complete(const Record& record) {
  return record.end != 0 && record.start <= record.end;
}

void Collector::keep(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: {
      const auto& k = reinterpret_cast<const CUpti_ActivityKernel10&>(record);
      if (!complete(k)) break;
      line("kernel %llu %llu %u %d %d %d %d %d %d %u %d %d %u %s", Number{k.start}, Number{k.end},
           k.correlationId, k.gridX, k.gridY, k.gridZ, k.blockX, k.blockY, k.blockZ,
           unsigned{k.registersPerThread}, k.staticSharedMemory, k.dynamicSharedMemory,
           k.localMemoryPerThread, readable(k.name));
      break;
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: {
      const auto& c = reinterpret_cast<const CUpti_ActivityAPI&>(record);
      if (!complete(c)) break;
      const bool driver = record.kind == CUPTI_ACTIVITY_KIND_DRIVER;
      const char* name = nullptr;
      cupti.callback_name(driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API, c.cbid,
                          &name);
      // CUPTI itself calls this for each launched kernel.
      if (driver && name != nullptr && std::strcmp(name, "cuKernelGetName") == 0) break;
      line("call %llu %llu %u %u %s %s", Number{c.start}, Number{c.end}, c.threadId,
           c.correlationId, driver ? "driver" : "runtime", name != nullptr ? name : "?");
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& m = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
      if (!complete(m)) break;
      line("copy %llu %llu %u %llu %s %s", Number{m.start}, Number{m.end}, m.correlationId,
           Number{m.bytes}, memory_name(m.srcKind), memory_name(m.dstKind));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& m = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
      if (!complete(m)) break;
      line("fill %llu %llu %u %llu", Number{m.start}, Number{m.end}, m.correlationId,
           Number{m.bytes});
      break;
    }
    default:
      break;
  }
}

/// The limits of a multiprocessor of the current device. CUPTI reports them only with the first
/// context, which was made before recording began.
void Collector::describe_device() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return;
  const auto current =
      reinterpret_cast<decltype(&cuCtxGetDevice)>(::dlsym(driver, "cuCtxGetDevice"));
  const auto attribute =
      reinterpret_cast<decltype(&cuDeviceGetAttribute)>(::dlsym(driver, "cuDeviceGetAttribute"));
  const auto name_of =
      reinterpret_cast<decltype(&cuDeviceGetName)>(::dlsym(driver, "cuDeviceGetName"));
  CUdevice device = 0;
  if (current == nullptr || attribute == nullptr || name_of == nullptr ||
      current(&device) != CUDA_SUCCESS) {
    return;
  }
  const auto value = [&](CUdevice_attribute which) {
    int number = 0;
    return attribute(&number, which, device) == CUDA_SUCCESS ? number : 0;
  };
  std::array<char, 128> name{};
  if (name_of(name.data(), static_cast<int>(name.size()) - 1, device) != CUDA_SUCCESS) return;
  constexpr int kWarp = 32;
  line("device %d %d %d %d %d %d %d %s", value(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
       value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / kWarp,
       value(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
       value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
       value(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
       value(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
       value(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), name.data());
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  // CUPTI needs 8-byte alignment; after a null it drops records and counts them.
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(64, kBufferBytes));
  *size = *buffer != nullptr ? kBufferBytes : 0;
  *records = 0;
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t, std::size_t valid) {
  Collector& c = collector();
  const std::lock_guard lock(c.mutex);
  CUpti_Activity* record = nullptr;
  while (valid > 0 && c.cupti.next(buffer, valid, &record) == CUPTI_SUCCESS) c.keep(*record);
  std::size_t dropped = 0;
  if (c.cupti.dropped(context, stream, &dropped) == CUPTI_SUCCESS) c.lost += dropped;
  std::free(buffer);
}

}  // namespace

const char* opgrade_profiler_start(void) {
  Collector& c = collector();
  if (!c.opened) {
    if (const char* const why = c.cupti.open()) return why;
    if (const auto result = c.cupti.register_callbacks(&give_buffer, &take_buffer);
        result != CUPTI_SUCCESS) {
      return c.failed("CUPTI takes no callbacks", result);
    }
    // In the numbering of gettid(), by which a step names its thread.
    if (const auto result = c.cupti.set_thread_ids(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
        result != CUPTI_SUCCESS) {
      return c.failed("CUPTI does not name threads", result);
    }
    c.opened = true;
  }
  {
    const std::lock_guard lock(c.mutex);
    c.text = "opgrade-profile 1\n";
    c.lost = 0;
  }
  for (const auto kind : kKinds) {
    if (const auto result = c.cupti.enable(kind); result != CUPTI_SUCCESS)
      return c.failed("CUPTI records nothing", result);
  }
  return nullptr;
}

void opgrade_profiler_step(const char* kind, int layer) {
  Collector& c = collector();
  std::uint64_t now = 0;
  c.cupti.timestamp(&now);
  if (kind != nullptr) {
    c.step = kind;
    c.layer = layer;
    c.step_begin = now;
    return;
  }
  const std::lock_guard lock(c.mutex);
  c.line("step %s %d %llu %llu %ld", c.step, c.layer, c.step_begin, Number{now},
         ::syscall(SYS_gettid));
}

const char* opgrade_profiler_stop(int file) {
  Collector& c = collector();
  // Flushes twice: with the flag, a buffer is returned even while another thread is still in a
  // call.
  c.cupti.flush(0);
  const auto flushed = c.cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  for (const auto kind : kKinds) c.cupti.disable(kind);
  // Later calls may be timed, and activities that are only disabled add 0.7 us to each launch.
  c.cupti.finalize();
  c.opened = false;
  if (flushed != CUPTI_SUCCESS) return c.failed("CUPTI gives its records not out", flushed);
  const std::lock_guard lock(c.mutex);
  c.describe_device();
  std::string& text = c.text;
  if (c.lost > 0) text += "lost " + std::to_string(c.lost) + "\n";
  text += "end\n";
  for (std::size_t done = 0; done < text.size();) {
    const auto n = ::write(file, text.data() + done, text.size() - done);
    if (n <= 0) return "the record cannot be written";
    done += static_cast<std::size_t>(n);
  }
  text.clear();
  return nullptr;
}
