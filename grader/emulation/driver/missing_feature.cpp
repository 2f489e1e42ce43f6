#include "grader/emulation/driver/missing_feature.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "grader/base/core/cpp_tokens.hpp"

namespace opgrade::emulation {
namespace {

/// A feature that the emulation lacks, and the words that its headers or names begin with.
struct Feature {
  std::string_view name, words;
};

constexpr Feature kHeaders[] = {
    {"a part of Thrust", "thrust/"},
    {"a part of CUB", "cub/"},
    {"libcu++", "cuda/ nv/"},
    {"a part of cooperative groups", "cooperative_groups/"},
    {"asynchronous copies by pipelines", "cuda_pipeline"},
    {"asynchronous barriers", "cuda_awbarrier"},
    {"cuRAND", "curand"},
    {"cuDNN", "cudnn"},
    {"cuFFT", "cufft"},
    {"cuSPARSE", "cusparse"},
    {"cuSOLVER", "cusolver"},
    {"cuTENSOR", "cutensor"},
    {"a part of cuBLAS", "cublas"},
    {"NPP", "npp"},
    {"NCCL", "nccl"},
    {"compilation at run time", "nvrtc nvJitLink"},
    {"NVML", "nvml"},
    {"a part of NVTX", "nvtx3/"},
    {"8-bit floating point", "cuda_fp8"},
    {"6-bit floating point", "cuda_fp6"},
    {"4-bit floating point", "cuda_fp4"},
    {"complex numbers", "cuComplex"},
    {"textures", "cuda_texture_types texture_"},
    {"surfaces", "surface_ cuda_surface_types"},
    {"the driver API", "cudaTypedefs cudaProfiler"},
    {"graphics", "cuda_gl_interop cudaGL cudaEGL cuda_egl_interop cuda_vdpau_interop"},
    {"packed integer products", "sm_61_intrinsics"},
    {"CUDA's inner headers", "crt/"},
};

constexpr Feature kNames[] = {
    {"graphics", "cudaGraphics cudaGL"},
    {"graphs",
     "cudaGraph cudaStreamGetCaptureInfo cudaStreamUpdateCapture cudaStreamCapture "
     "cudaThreadExchangeStreamCaptureMode"},
    {"memory pools",
     "cudaMemPool cudaMemAllocationType cudaMallocFromPoolAsync cudaDeviceGetDefaultMemPool "
     "cudaDeviceGetMemPool cudaDeviceSetMemPool"},
    {"cudaLaunchKernelEx", "cudaLaunchKernelEx cudaLaunchConfig_t cudaLaunchAttribute"},
    {"clusters",
     "cudaOccupancyMaxActiveClusters cudaOccupancyMaxPotentialClusterSize cluster_group "
     "this_cluster __cluster"},
    {"grids over several devices",
     "multi_grid_group this_multi_grid cudaLaunchCooperativeKernelMultiDevice"},
    {"textures",
     "cudaTexture cudaCreateTextureObject cudaDestroyTextureObject cudaGetTexture "
     "cudaBindTexture cudaUnbindTexture cudaReadMode cudaAddressMode cudaFilterMode "
     "cudaResource cudaChannelFormat cudaCreateChannelDesc cudaGetChannelDesc tex1D tex2D "
     "tex3D texCubemap"},
    {"surfaces",
     "cudaSurface cudaCreateSurfaceObject cudaDestroySurfaceObject cudaBindSurface "
     "cudaBoundaryMode surf1D surf2D surf3D surfCubemap"},
    {"CUDA arrays",
     "cudaArray cudaMallocArray cudaMalloc3DArray cudaMallocMipmappedArray cudaMipmappedArray "
     "cudaFreeArray cudaFreeMipmappedArray cudaMemcpyToArray cudaMemcpyFromArray "
     "cudaMemcpy2DToArray cudaMemcpy2DFromArray cudaMemcpyArrayToArray"},
    {"memory of other processes", "cudaIpc"},
    {"memory of other interfaces", "cudaExternal cudaImportExternal"},
    {"copies between devices", "cudaMemcpy3DPeer"},
    {"batches of copies", "cudaMemcpyBatchAsync cudaMemPrefetchBatchAsync"},
    {"the driver API",
     "cudaGetDriverEntryPoint cudaGetFuncBySymbol cudaGetKernel cudaLibrary cuInit cuDriver "
     "cuDevice cuCtx cuModule cuLibrary cuLink cuKernel cuFunc cuLaunch cuMem cuArray cuTex "
     "cuTensorMap cuStream cuEvent cuGraph cuGetError cuGetProcAddress cuOccupancy cuPointer "
     "CUdevice CUcontext CUmodule CUfunction CUresult CUstream CUevent CUtensorMap CUDA_ERROR_ "
     "CUDA_SUCCESS"},
    {"attributes of streams",
     "cudaStreamSetAttribute cudaStreamGetAttribute cudaStreamCopyAttributes cudaStreamAttr "
     "cudaAccessPolicyWindow cudaAccessProperty cudaCtxResetPersistingL2Cache"},
    {"dependent launches", "cudaGridDependencySynchronize cudaTriggerProgrammaticLaunchCompletion"},
    {"asynchronous copies by pipelines", "__pipeline_"},
    {"asynchronous barriers", "__mbarrier_"},
    {"8-bit floating point", "__nv_fp8"},
    {"complex numbers", "cuComplex cuFloatComplex cuDoubleComplex"},
    {"this part of cuBLAS", "cublas CUBLAS_"},
    {"cuRAND", "curand CURAND_"},
    {"cuDNN", "cudnn CUDNN_"},
    {"cuFFT", "cufft CUFFT_"},
    {"cuSPARSE", "cusparse CUSPARSE_"},
    {"cuSOLVER", "cusolver CUSOLVER_"},
    {"compilation at run time", "nvrtc"},
    {"NVML", "nvml"},
    {"NCCL", "nccl"},
};

/// Features with names that must match as a whole, not as prefixes.
constexpr Feature kWholeNames[] = {
    {"a part of Thrust", "thrust"},
    {"a part of CUB", "cub"},
    {"libcu++", "cuda"},
    {"packed integer products", "__dp4a __dp2a_lo __dp2a_hi"},
};

/// The stand-in headers of these two namespaces have only a part of CUDA's. Their names include
/// methods, whose names a student's own class may have, too.
constexpr Feature kMembers[] = {
    {"a part of cooperative groups",
     "this_cluster this_multi_grid cluster_group multi_grid_group reduce_update_async "
     "reduce_store_async inclusive_scan_update exclusive_scan_update cluster_rank dim_clusters "
     "num_clusters cluster_index query_shared_rank map_shared_rank meta_group_rank "
     "meta_group_size get_type get_handle barrier_arrive barrier_wait experimental shfl_xor "
     "match_all match_any ballot shfl shfl_up shfl_down any all"},
    {"libcu++",
     "std atomic atomic_ref atomic_thread_fence ceil_div round_up device ptx latch semaphore "
     "counting_semaphore binary_semaphore pipeline_role pipeline_producer_commit quit "
     "arrive_and_drop arrive_tx arrive_and_expect_tx try_wait try_wait_for try_wait_until "
     "try_wait_parity wait_parity wait_for wait_until consumer_wait_for consumer_wait_until max "
     "access_property annotated_ptr associate_access_property apply_access_property "
     "discard_memory barrier_arrive_tx barrier_expect_tx barrier_native_handle "
     "proclaim_return_type "
     "get_device_address stream_ref memory_order memory_order_relaxed memory_order_acquire "
     "memory_order_release memory_order_acq_rel memory_order_seq_cst"},
};

/// The first feature with a word that `what` begins with; if `whole`, that equals `what`.
std::string_view find_feature(std::span<const Feature> features, std::string_view what,
                              bool whole = false) {
  for (const auto& [name, words] : features) {
    for (std::string_view rest = words; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      if (whole ? what == word : what.starts_with(word)) return name;
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
  }
  return {};
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// True for CUDA's operations on two or four integers packed into one: __vadd4, __vsetgtu2.
bool is_packed_integer(std::string_view name) {
  return name.size() > 5 && name.starts_with("__v") && (name.back() == '2' || name.back() == '4') &&
         std::ranges::all_of(name.substr(3, name.size() - 4),
                             [](char c) { return c >= 'a' && c <= 'z'; });
}

/// The feature of the first quoted name that belongs to one. Text after `;` is a suggestion.
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

bool is_name_of_toolkit(std::string_view name) {
  static const std::unordered_set<std::string_view> kToolkit{
#define X(name, sides) #name,
#include "grader/emulation/names/cuda_names.inc"
#undef X
  };
  // A plain word, such as `all` or `norm`, may be a name of the student's that was never declared.
  const bool plain = std::ranges::all_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
  return !plain && kToolkit.contains(name);
}

/// The name that a message says is not declared, if the toolkit's headers have it.
std::string_view undeclared_of_toolkit(std::string_view message) {
  static constexpr std::string_view kSays[] = {"was not declared",     "has not been declared",
                                               "does not name a type", "undeclared identifier",
                                               "unknown type name",    "there are no arguments to"};
  if (std::ranges::none_of(kSays, [&](auto says) { return message.find(says) != message.npos; }))
    return {};
  message = message.substr(0, message.find("; did you mean"));
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (!is_name(message[i]) || (i > 0 && is_name(message[i - 1]))) continue;
    std::size_t end = i;
    while (end < message.size() && is_name(message[end])) ++end;
    if (is_name_of_toolkit(message.substr(i, end - i))) return message.substr(i, end - i);
  }
  return {};
}

/// The quoted texts of a message, with their blanks and signs.
std::vector<std::string_view> quoted_in(std::string_view message) {
  constexpr std::string_view kOpen = "\xE2\x80\x98", kClose = "\xE2\x80\x99";  // U+2018, U+2019
  std::vector<std::string_view> all;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const bool of_clang = message[i] == '\'';
    if (!of_clang && !message.substr(i).starts_with(kOpen)) continue;
    const std::size_t begin = i + (of_clang ? 1 : kOpen.size());
    const std::size_t end = of_clang ? message.find('\'', begin) : message.find(kClose, begin);
    if (end == message.npos) break;
    all.push_back(message.substr(begin, end - begin));
    i = end;
  }
  return all;
}

/// The outermost namespace of "const class cuda::barrier<...>"; without one, the name itself.
std::string_view outermost(std::string_view owner) {
  owner = owner.substr(0, owner.find('<'));
  owner = owner.substr(0, owner.find("::", owner.starts_with("::") ? 2 : 0));
  return owner.substr(owner.find_last_of(" :") + 1);
}

bool is_cudas(std::string_view space, const NamespaceAliases& aliases) {
  return space == "cooperative_groups" || space == "cuda" || aliases.contains(space);
}

/// A name of CUDA and the feature that it belongs to.
using Named = std::pair<std::string_view, std::string_view>;

/// The member that a namespace or a class lacks, according to a message. The feature is empty if
/// the namespace or class is the student's. nullopt if the message says something else.
std::optional<Named> missing_member(std::string_view message, const NamespaceAliases& aliases) {
  const std::vector<std::string_view> quoted = quoted_in(message);
  if (quoted.size() < 2) return std::nullopt;
  const auto says = [&](std::string_view words) { return message.find(words) != message.npos; };
  const bool owner_first = says("has no member named");
  if (!owner_first && !says("is not a member of") && !says("no member named") &&
      !says("in namespace"))
    return std::nullopt;
  const std::string_view name = quoted[owner_first ? 1 : 0];
  const std::string_view space = outermost(quoted[owner_first ? 0 : 1]);
  if (is_cudas(space, aliases))
    for (const std::string_view feature :
         {feature_of_name(name), find_feature(kMembers, name, true)})
      if (!feature.empty()) return Named(name, feature);
  // The stand-in headers have most of these two, so only the member says what is missing.
  if (space == "cub" || space == "thrust") return Named(name, feature_of_name(space));
  return Named(space, feature_of_name(space));
}

/// The header or name in an error's message, and the feature that it belongs to.
Named missing_in(std::string_view message, const NamespaceAliases& aliases) {
  std::string_view what = message.substr(0, message.find(": No such file"));
  if (what.size() != message.size()) return {what, feature_of_header(what)};  // g++
  if (message.ends_with("file not found")) {                                  // clang++
    what = message.substr(1, message.find('\'', 1) - 1);
    return {what, feature_of_header(what)};
  }
  if (const auto member = missing_member(message, aliases)) return *member;
  what = first_missing(message);
  if (!what.empty()) return {what, feature_of_name(what)};
  what = undeclared_of_toolkit(message);
  return {what, what.empty() ? std::string_view() : "a part of CUDA"};
}

}  // namespace

std::string_view feature_of_header(std::string_view header) {
  return find_feature(kHeaders, header);
}

std::string_view feature_of_name(std::string_view name) {
  for (const std::string_view feature :
       {find_feature(kWholeNames, name, true), find_feature(kNames, name)})
    if (!feature.empty()) return feature;
  return is_packed_integer(name) ? "packed integers" : std::string_view();
}

NamespaceAliases aliases_of_cuda(std::string_view source) {
  CppLexer lexer(source);
  const auto next = [&] {
    const auto token = lexer.next();
    return token ? token->in(source) : std::string_view();
  };
  // `namespace cg = cooperative_groups;` and `namespace g = ::cg::experimental;`
  NamespaceAliases aliases;
  for (std::string_view word = next(); !word.empty();) {
    if (std::exchange(word, next()) != "namespace") continue;
    const std::string_view name = std::exchange(word, next());
    if (word != "=") continue;
    do word = next();
    while (word == ":");
    if (is_cudas(word, aliases)) aliases.emplace(name);
  }
  return aliases;
}

std::optional<MissingFeature> find_missing_feature(std::string_view messages,
                                                   const NamespaceAliases& aliases) {
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
    const std::string_view message = text.substr(error + 7);
    // The text of these messages is the source's own.
    if (message.starts_with("#error") || message.starts_with("static assertion failed"))
      return std::nullopt;
    const std::string_view place = text.substr(0, column);
    if (first.empty()) first = place;
    // An unknown type first causes an error about its declaration, in the same line.
    if (place != first) continue;
    const auto [what, feature] = missing_in(message, aliases);
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
