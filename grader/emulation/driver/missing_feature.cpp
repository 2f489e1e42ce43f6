#include "grader/emulation/driver/missing_feature.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace opgrade::emulation {
namespace {

struct Entry {
  std::string_view prefix;  ///< of a header's path or of a name; the first that fits counts
  std::string_view feature;
};

constexpr Entry kHeaders[] = {
    {"thrust/", "Thrust"},
    {"cub/", "CUB"},
    {"cuda/", "libcu++"},
    {"nv/", "libcu++"},
    {"cooperative_groups/", "a part of cooperative groups"},
    {"cuda_pipeline", "asynchronous copies by pipelines"},
    {"cuda_awbarrier", "asynchronous barriers"},
    {"curand", "cuRAND"},
    {"cudnn", "cuDNN"},
    {"cufft", "cuFFT"},
    {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"},
    {"cutensor", "cuTENSOR"},
    {"cublas", "a part of cuBLAS"},
    {"npp", "NPP"},
    {"nccl", "NCCL"},
    {"nvrtc", "compilation at run time"},
    {"nvJitLink", "compilation at run time"},
    {"nvml", "NVML"},
    {"nvtx3/", "a part of NVTX"},
    {"cuda_fp8", "8-bit floating point"},
    {"cuda_fp6", "6-bit floating point"},
    {"cuda_fp4", "4-bit floating point"},
    {"cuComplex", "complex numbers"},
    {"cuda_texture_types", "textures"},
    {"texture_", "textures"},
    {"surface_", "surfaces"},
    {"cuda_surface_types", "surfaces"},
    {"cudaTypedefs", "the driver API"},
    {"cudaProfiler", "the driver API"},
    {"cuda_gl_interop", "graphics"},
    {"cudaGL", "graphics"},
    {"cudaEGL", "graphics"},
    {"cuda_egl_interop", "graphics"},
    {"cuda_vdpau_interop", "graphics"},
    {"sm_61_intrinsics", "packed integer products"},
    {"crt/", "CUDA's inner headers"},
};

constexpr Entry kNames[] = {
    {"cudaGraphics", "graphics"},
    {"cudaGL", "graphics"},
    {"cudaGraph", "graphs"},
    {"cudaStreamGetCaptureInfo", "graphs"},
    {"cudaStreamUpdateCapture", "graphs"},
    {"cudaStreamCapture", "graphs"},
    {"cudaThreadExchangeStreamCaptureMode", "graphs"},
    {"cudaMemPool", "memory pools"},
    {"cudaMemAllocationType", "memory pools"},
    {"cudaMallocFromPoolAsync", "memory pools"},
    {"cudaDeviceGetDefaultMemPool", "memory pools"},
    {"cudaDeviceGetMemPool", "memory pools"},
    {"cudaDeviceSetMemPool", "memory pools"},
    {"cudaLaunchKernelEx", "cudaLaunchKernelEx"},
    {"cudaLaunchConfig_t", "cudaLaunchKernelEx"},
    {"cudaLaunchAttribute", "cudaLaunchKernelEx"},
    {"cudaOccupancyMaxActiveClusters", "clusters"},
    {"cudaOccupancyMaxPotentialClusterSize", "clusters"},
    {"cluster_group", "clusters"},
    {"this_cluster", "clusters"},
    {"__cluster", "clusters"},
    {"multi_grid_group", "grids over several devices"},
    {"this_multi_grid", "grids over several devices"},
    {"cudaLaunchCooperativeKernelMultiDevice", "grids over several devices"},
    {"cudaTexture", "textures"},
    {"cudaCreateTextureObject", "textures"},
    {"cudaDestroyTextureObject", "textures"},
    {"cudaGetTexture", "textures"},
    {"cudaBindTexture", "textures"},
    {"cudaUnbindTexture", "textures"},
    {"cudaReadMode", "textures"},
    {"cudaAddressMode", "textures"},
    {"cudaFilterMode", "textures"},
    {"cudaResource", "textures"},
    {"cudaChannelFormat", "textures"},
    {"cudaCreateChannelDesc", "textures"},
    {"cudaGetChannelDesc", "textures"},
    {"tex1D", "textures"},
    {"tex2D", "textures"},
    {"tex3D", "textures"},
    {"texCubemap", "textures"},
    {"cudaSurface", "surfaces"},
    {"cudaCreateSurfaceObject", "surfaces"},
    {"cudaDestroySurfaceObject", "surfaces"},
    {"cudaBindSurface", "surfaces"},
    {"cudaBoundaryMode", "surfaces"},
    {"surf1D", "surfaces"},
    {"surf2D", "surfaces"},
    {"surf3D", "surfaces"},
    {"surfCubemap", "surfaces"},
    {"cudaArray", "CUDA arrays"},
    {"cudaMallocArray", "CUDA arrays"},
    {"cudaMalloc3DArray", "CUDA arrays"},
    {"cudaMallocMipmappedArray", "CUDA arrays"},
    {"cudaMipmappedArray", "CUDA arrays"},
    {"cudaFreeArray", "CUDA arrays"},
    {"cudaFreeMipmappedArray", "CUDA arrays"},
    {"cudaMemcpyToArray", "CUDA arrays"},
    {"cudaMemcpyFromArray", "CUDA arrays"},
    {"cudaMemcpy2DToArray", "CUDA arrays"},
    {"cudaMemcpy2DFromArray", "CUDA arrays"},
    {"cudaMemcpyArrayToArray", "CUDA arrays"},
    {"cudaIpc", "memory of other processes"},
    {"cudaExternal", "memory of other interfaces"},
    {"cudaImportExternal", "memory of other interfaces"},
    {"cudaMemcpyPeerAsync", "copies between devices"},
    {"cudaMemcpy3DPeer", "copies between devices"},
    {"cudaDeviceDisablePeerAccess", "copies between devices"},
    {"cudaMemcpyBatchAsync", "batches of copies"},
    {"cudaMemPrefetchBatchAsync", "batches of copies"},
    {"cudaGetDriverEntryPoint", "the driver API"},
    {"cudaGetFuncBySymbol", "the driver API"},
    {"cudaGetKernel", "the driver API"},
    {"cudaLibrary", "the driver API"},
    {"cudaStreamSetAttribute", "attributes of streams"},
    {"cudaStreamGetAttribute", "attributes of streams"},
    {"cudaStreamCopyAttributes", "attributes of streams"},
    {"cudaStreamAttr", "attributes of streams"},
    {"cudaAccessPolicyWindow", "attributes of streams"},
    {"cudaAccessProperty", "attributes of streams"},
    {"cudaCtxResetPersistingL2Cache", "attributes of streams"},
    {"cudaGridDependencySynchronize", "dependent launches"},
    {"cudaTriggerProgrammaticLaunchCompletion", "dependent launches"},
    {"__pipeline_", "asynchronous copies by pipelines"},
    {"__mbarrier_", "asynchronous barriers"},
    {"__nv_fp8", "8-bit floating point"},
    {"cuComplex", "complex numbers"},
    {"cuFloatComplex", "complex numbers"},
    {"cuDoubleComplex", "complex numbers"},
    {"cublas", "this part of cuBLAS"},
    {"CUBLAS_", "this part of cuBLAS"},
    {"curand", "cuRAND"},
    {"CURAND_", "cuRAND"},
    {"cudnn", "cuDNN"},
    {"CUDNN_", "cuDNN"},
    {"cufft", "cuFFT"},
    {"CUFFT_", "cuFFT"},
    {"cusparse", "cuSPARSE"},
    {"CUSPARSE_", "cuSPARSE"},
    {"cusolver", "cuSOLVER"},
    {"CUSOLVER_", "cuSOLVER"},
    {"nvrtc", "compilation at run time"},
    {"nvml", "NVML"},
    {"nccl", "NCCL"},
    {"cuInit", "the driver API"},
    {"cuDriver", "the driver API"},
    {"cuDevice", "the driver API"},
    {"cuCtx", "the driver API"},
    {"cuModule", "the driver API"},
    {"cuLibrary", "the driver API"},
    {"cuLink", "the driver API"},
    {"cuKernel", "the driver API"},
    {"cuFunc", "the driver API"},
    {"cuLaunch", "the driver API"},
    {"cuMem", "the driver API"},
    {"cuArray", "the driver API"},
    {"cuTex", "the driver API"},
    {"cuTensorMap", "the driver API"},
    {"cuStream", "the driver API"},
    {"cuEvent", "the driver API"},
    {"cuGraph", "the driver API"},
    {"cuGetError", "the driver API"},
    {"cuGetProcAddress", "the driver API"},
    {"cuOccupancy", "the driver API"},
    {"cuPointer", "the driver API"},
    {"CUdevice", "the driver API"},
    {"CUcontext", "the driver API"},
    {"CUmodule", "the driver API"},
    {"CUfunction", "the driver API"},
    {"CUresult", "the driver API"},
    {"CUstream", "the driver API"},
    {"CUevent", "the driver API"},
    {"CUtensorMap", "the driver API"},
    {"CUDA_ERROR_", "the driver API"},
    {"CUDA_SUCCESS", "the driver API"},
};

/// Names that are words of their own, not prefixes.
constexpr Entry kWholeNames[] = {
    {"thrust", "Thrust"},
    {"cub", "CUB"},
    {"cuda", "libcu++"},
    {"texture", "textures"},
    {"surface", "surfaces"},
    {"__dp4a", "packed integer products"},
    {"__dp2a_lo", "packed integer products"},
    {"__dp2a_hi", "packed integer products"},
};

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// CUDA's operations on two or four integers in one: __vadd4, __vsetgtu2.
bool is_packed_integer(std::string_view name) {
  return name.size() > 5 && name.starts_with("__v") && (name.back() == '2' || name.back() == '4') &&
         std::ranges::all_of(name.substr(3, name.size() - 4),
                             [](char c) { return c >= 'a' && c <= 'z'; });
}

/// The first name between quotes that belongs to a feature. Text after `;` is a suggestion.
std::string_view first_missing(std::string_view message) {
  message = message.substr(0, message.find("; did you mean"));
  bool quoted = false;
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (message[i] == '\'') quoted = !quoted;
    if (message.substr(i).starts_with("\xE2\x80\x98")) quoted = true;   // U+2018
    if (message.substr(i).starts_with("\xE2\x80\x99")) quoted = false;  // U+2019
    if (!quoted || !is_name(message[i]) || (i > 0 && is_name(message[i - 1]))) continue;
    std::size_t end = i;
    while (end < message.size() && is_name(message[end])) ++end;
    const std::string_view name = message.substr(i, end - i);
    if (!feature_of_name(name).empty()) return name;
  }
  return {};
}

/// The header or name of an error's message, and the feature that it belongs to.
std::pair<std::string_view, std::string_view> missing_in(std::string_view message) {
  std::string_view what = message.substr(0, message.find(": No such file"));
  if (what.size() != message.size()) return {what, feature_of_header(what)};  // g++
  if (message.ends_with("file not found")) {                                  // clang++
    what = message.substr(1, message.find('\'', 1) - 1);
    return {what, feature_of_header(what)};
  }
  what = first_missing(message);
  return {what, feature_of_name(what)};
}

}  // namespace

std::string_view feature_of_header(std::string_view header) {
  for (const Entry& entry : kHeaders)
    if (header.starts_with(entry.prefix)) return entry.feature;
  return {};
}

std::string_view feature_of_name(std::string_view name) {
  for (const Entry& entry : kWholeNames)
    if (name == entry.prefix) return entry.feature;
  for (const Entry& entry : kNames)
    if (name.starts_with(entry.prefix)) return entry.feature;
  return is_packed_integer(name) ? "packed integers" : std::string_view();
}

std::optional<MissingFeature> find_missing_feature(std::string_view messages) {
  std::string_view first;  // place of the first error
  for (std::size_t begin = 0; begin < messages.size();) {
    const std::size_t end = std::min(messages.find('\n', begin), messages.size());
    const std::string_view text = messages.substr(begin, end - begin);
    begin = end + 1;
    // file:line:column: [fatal ]error: message
    const std::size_t error = text.find("error: ");
    if (error == text.npos || text[0] == ' ') continue;
    const std::size_t column = text.substr(0, text.find(": ")).rfind(':');
    if (column == text.npos || column > error) return std::nullopt;
    const std::string_view place = text.substr(0, column);
    if (first.empty()) first = place;
    // An unknown type gives an error about its declaration first, in the same line.
    if (place != first) continue;
    const auto [what, feature] = missing_in(text.substr(error + 7));
    if (feature.empty()) continue;
    MissingFeature found;
    const std::size_t colon = place.rfind(':');
    const std::string_view number = place.substr(colon + 1);
    if (colon == place.npos ||
        std::from_chars(number.data(), number.data() + number.size(), found.line).ec != std::errc{})
      return std::nullopt;
    found.file = place.substr(0, colon);
    found.feature = feature;
    if (found.feature != what) found.feature.append(" (").append(what).append(")");
    return found;
  }
  return std::nullopt;
}

}  // namespace opgrade::emulation
