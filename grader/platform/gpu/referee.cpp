#include "grader/platform/gpu/referee.hpp"

#include <dlfcn.h>

#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"

namespace opgrade {

namespace {

/// A function of the CUDA part, which is a separate library that is loaded on demand, so that
/// opgrade runs without a CUDA driver. Null if that library is missing or does not load.
template <class Function>
Function in_cuda_part(const char* name) {
  static void* const library = []() -> void* {
    try {
      return ::dlopen(resources::helper_program("libopgrade_referee.so").c_str(),
                      RTLD_NOW | RTLD_LOCAL);
    } catch (const Error&) {
      return nullptr;
    }
  }();
  return library == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(library, name));
}

}  // namespace

std::vector<GpuId> Referee::devices() {
  std::vector<GpuId> found;
  if (const auto list = in_cuda_part<void (*)(std::vector<GpuId>&)>("opgrade_list_gpus"))
    list(found);
  return found;
}

std::unique_ptr<Referee> Referee::make(int device) {
  const auto make_referee = in_cuda_part<Referee* (*)(int)>("opgrade_make_referee");
  if (make_referee == nullptr)
    throw Error("opgrade's own GPU part does not load", "install opgrade again, with CUDA");
  return std::unique_ptr<Referee>(make_referee(device));
}

void check_device(Referee* referee) {
  if (referee == nullptr || referee->answers()) return;
  throw Error("the GPU answers the grader no more",
              "`nvidia-smi` and `dmesg` tell; reset it before the next grading");
}

}  // namespace opgrade
