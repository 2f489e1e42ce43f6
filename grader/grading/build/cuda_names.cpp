#include "grader/grading/build/cuda_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace opgrade {
namespace {

struct Removed {
  std::string_view name, successor;
};

/// The list follows the release notes of CUDA up to 13 and the programming guide's sections on
/// independent thread scheduling.
constexpr std::array kRemoved{
    Removed{"__shfl", "__shfl_sync"},
    Removed{"__shfl_up", "__shfl_up_sync"},
    Removed{"__shfl_down", "__shfl_down_sync"},
    Removed{"__shfl_xor", "__shfl_xor_sync"},
    Removed{"__all", "__all_sync"},
    Removed{"__any", "__any_sync"},
    Removed{"__ballot", "__ballot_sync"},
    Removed{"cudaThreadSynchronize", "cudaDeviceSynchronize"},
    Removed{"cudaThreadExit", "cudaDeviceReset"},
    Removed{"cudaThreadGetLimit", "cudaDeviceGetLimit"},
    Removed{"cudaThreadSetLimit", "cudaDeviceSetLimit"},
    Removed{"cudaThreadGetCacheConfig", "cudaDeviceGetCacheConfig"},
    Removed{"cudaThreadSetCacheConfig", "cudaDeviceSetCacheConfig"},
    Removed{"cudaConfigureCall", "cudaLaunchKernel"},
    Removed{"cudaSetupArgument", "cudaLaunchKernel"},
    Removed{"cudaLaunch", "cudaLaunchKernel"},
    Removed{"cudaMemcpyArrayToArray", "cudaMemcpy2DArrayToArray"},
    Removed{"cudaMemcpyFromArray", "cudaMemcpy2DFromArray"},
    Removed{"cudaMemcpyToArray", "cudaMemcpy2DToArray"},
    Removed{"cudaBindTexture", "cudaCreateTextureObject"},
    Removed{"cudaBindTexture2D", "cudaCreateTextureObject"},
    Removed{"cudaBindTextureToArray", "cudaCreateTextureObject"},
    Removed{"cudaUnbindTexture", "cudaDestroyTextureObject"},
    Removed{"cudaBindSurfaceToArray", "cudaCreateSurfaceObject"},
    Removed{"cudaLaunchCooperativeKernelMultiDevice",
            "cudaLaunchCooperativeKernel for each device"},
    Removed{"memoryType", "type"},
    Removed{"clockRate", "cudaDeviceGetAttribute with cudaDevAttrClockRate"},
    Removed{"memoryClockRate", "cudaDeviceGetAttribute with cudaDevAttrMemoryClockRate"},
    Removed{"computeMode", "cudaDeviceGetAttribute with cudaDevAttrComputeMode"},
    Removed{"deviceOverlap", "asyncEngineCount"},
    Removed{"kernelExecTimeoutEnabled", "cudaDeviceGetAttribute with cudaDevAttrKernelExecTimeout"},
    Removed{"CUDA_SAFE_CALL", "checkCudaErrors of helper_cuda.h"},
    Removed{"cutilSafeCall", "checkCudaErrors of helper_cuda.h"},
    Removed{"cutilCheckMsg", "getLastCudaError of helper_cuda.h"},
};

/// The beginnings of those names with two underscores that are for programs.
constexpr std::array<std::string_view, 46> kOfCuda{"__syncthreads", "__syncwarp",
                                                   "__shfl_",       "__ballot_sync",
                                                   "__any_sync",    "__all_sync",
                                                   "__activemask",  "__match_",
                                                   "__reduce_",     "__ldg",
                                                   "__ldc",         "__stc",
                                                   "__threadfence", "__nanosleep",
                                                   "__fdividef",    "__expf",
                                                   "__exp10f",      "__logf",
                                                   "__log2f",       "__log10f",
                                                   "__sinf",        "__cosf",
                                                   "__tanf",        "__powf",
                                                   "__sincosf",     "__saturatef",
                                                   "__mul24",       "__umul24",
                                                   "__popc",        "__clz",
                                                   "__ffs",         "__brev",
                                                   "__byte_perm",   "__half",
                                                   "__float2",      "__int2",
                                                   "__global__",    "__device__",
                                                   "__shared__",    "__constant__",
                                                   "__host__",      "__managed__",
                                                   "__restrict__",  "__forceinline__",
                                                   "__noinline__",  "__launch_bounds__"};

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_reserved(std::string_view name) {
  if (name.find("opgrade") != name.npos) return true;
  const bool reserved = name.size() > 1 && name[0] == '_' &&
                        (name[1] == '_' || std::isupper(static_cast<unsigned char>(name[1])) != 0);
  return reserved &&
         std::ranges::none_of(kOfCuda, [&](std::string_view one) { return name.starts_with(one); });
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// True if an error says that a name is not known.
bool misses_a_name(std::string_view line) {
  if (line.find("error: ") == line.npos) return false;
  for (const char* const words : {"not declared", "is undefined", "undeclared", "has no member",
                                  "does not name a type", "there are no arguments to"})
    if (line.find(words) != line.npos) return true;
  return false;
}

/// True for a line below an error that shows only a suggestion: "      |          __sinl".
bool shows_alone(std::string_view line, std::string_view name) {
  const auto bar = line.find('|');
  if (bar == line.npos || line.find_first_not_of(' ') != bar) return false;
  const auto begin = line.find_first_not_of(' ', bar + 1);
  return begin != line.npos && line.substr(begin, line.find_last_not_of(' ') + 1 - begin) == name;
}

}  // namespace

std::optional<RemovedName> find_removed_name(const std::string& messages) {
  for (std::size_t begin = 0; begin < messages.size();) {
    std::string_view line = first_line(std::string_view(messages).substr(begin));
    begin += line.size() + 1;
    if (!misses_a_name(line)) continue;
    line = line.substr(line.find("error: ") + 7);
    line = line.substr(0, line.find("did you mean"));
    for (std::size_t i = 0; i < line.size();) {
      if (!is_name(line[i])) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < line.size() && is_name(line[end])) ++end;
      const auto found = std::ranges::find(kRemoved, line.substr(i, end - i), &Removed::name);
      if (found != kRemoved.end())
        return RemovedName{std::string(found->name), std::string(found->successor)};
      i = end;
    }
  }
  return std::nullopt;
}

std::string without_reserved_suggestions(const std::string& messages) {
  constexpr std::string_view kMean = "; did you mean ";
  std::string kept, suggested;
  for (std::size_t begin = 0; begin < messages.size();) {
    std::string line(first_line(std::string_view(messages).substr(begin)));
    begin += line.size() + 1;
    const bool ends = begin <= messages.size();
    if (!suggested.empty() && shows_alone(line, suggested)) continue;
    if (line.find("error: ") != line.npos) suggested.clear();
    if (const auto at = line.find(kMean); at != line.npos) {
      const auto first = std::find_if(line.begin() + static_cast<std::ptrdiff_t>(at + kMean.size()),
                                      line.end(), is_name);
      const std::string name(first, std::find_if_not(first, line.end(), is_name));
      if (const auto question = line.find('?', at); is_reserved(name) && question != line.npos) {
        line.erase(at, question + 1 - at);
        suggested = name;
      }
    }
    kept += line;
    if (ends) kept += '\n';
  }
  return kept;
}

}  // namespace opgrade
