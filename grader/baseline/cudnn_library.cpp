// A network's layers through cuDNN: by the algorithm that it finds the fastest, in fp32.
#include <fmt/format.h>

#include <limits>

#include "grader/baseline/conv_library.hpp"
#include "grader/core/error.hpp"

#ifdef OPGRADE_HAVE_CUDNN
#include <cuda_runtime_api.h>

#include "grader/baseline/cudnn_convolution.hpp"

namespace opgrade {
namespace {

constexpr int kAlgorithms = 8;
constexpr std::size_t kMostWorkspace = std::size_t{4} << 30;

void cuda_check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw Error(fmt::format("CUDA: {}: {}", what, cudaGetErrorString(status)),
                "is the device free, and its memory large enough? try a smaller --batch");
}

struct Free {
  void operator()(void* p) const noexcept { cudaFree(p); }
};
using DeviceMemory = std::unique_ptr<void, Free>;

DeviceMemory allocate(std::size_t bytes) {
  void* p = nullptr;
  cuda_check(cudaMalloc(&p, bytes == 0 ? 1 : bytes), "cudaMalloc");
  return DeviceMemory(p);
}

class CudnnLibrary : public ConvLibrary {
 public:
  CudnnLibrary() {
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    name_ = fmt::format("cuDNN {} on {}", cudnn_version_text(),
                        static_cast<const char*>(properties.name));
  }

  std::string name() const override { return name_; }
  int images_at_once() const override { return std::numeric_limits<int>::max(); }

  ConvTimes convolve(const std::string& layer, const ConvShape& s, const float* x, const float* k,
                     float* y, Stopwatch& stopwatch) override {
    const CudnnConvolution conv(s, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, CUDNN_FMA_MATH);
    const std::size_t x_bytes = static_cast<std::size_t>(s.x_size()) * sizeof(float),
                      k_bytes = static_cast<std::size_t>(s.k_size()) * sizeof(float),
                      y_bytes = static_cast<std::size_t>(s.y_size()) * sizeof(float);
    ConvTimes times;
    DeviceMemory d_x, d_k, d_y, workspace;
    times.layer = stopwatch.timed(layer + ": cudaMalloc", [&] {
      d_x = allocate(x_bytes), d_k = allocate(k_bytes), d_y = allocate(y_bytes);
    });
    times.layer += stopwatch.timed(layer + ": cudaMemcpy to the device", [&] {
      cuda_check(cudaMemcpy(d_x.get(), x, x_bytes, cudaMemcpyHostToDevice), "copying x");
      cuda_check(cudaMemcpy(d_k.get(), k, k_bytes, cudaMemcpyHostToDevice), "copying k");
    });

    cudnnConvolutionFwdAlgoPerf_t best{};
    stopwatch.timed(layer + ": cuDNN's choice of an algorithm", [&] {
      cudnnConvolutionFwdAlgoPerf_t found[kAlgorithms];
      int count = 0;
      cudnn_check(cudnnFindConvolutionForwardAlgorithm(handle_, conv.x, conv.k, conv.convolution,
                                                       conv.y, kAlgorithms, &count, found),
                  "finding an algorithm");
      int at = 0;  // they come by rising time
      while (at < count &&
             (found[at].status != CUDNN_STATUS_SUCCESS || found[at].memory > kMostWorkspace))
        ++at;
      if (at == count) throw Error("cuDNN has no algorithm for layer " + layer, "use --device cpu");
      best = found[at];
      workspace = allocate(best.memory);
    });
    times.how = fmt::format("algorithm {}", static_cast<int>(best.algo));
    times.op = stopwatch.timed(layer + ": convolution", [&] {
      const float one = 1.0F, zero = 0.0F;
      cudnn_check(cudnnConvolutionForward(handle_, &one, conv.x, d_x.get(), conv.k, d_k.get(),
                                          conv.convolution, best.algo, workspace.get(), best.memory,
                                          &zero, conv.y, d_y.get()),
                  "the convolution");
      cuda_check(cudaDeviceSynchronize(), "the convolution");
    });
    times.layer += times.op + stopwatch.timed(layer + ": cudaMemcpy from the device", [&] {
      cuda_check(cudaMemcpy(y, d_y.get(), y_bytes, cudaMemcpyDeviceToHost), "copying y");
    });
    return times;
  }

 private:
  std::string name_;
  CudnnHandle handle_;
};

}  // namespace

std::unique_ptr<ConvLibrary> make_cudnn() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ||
      (status == cudaSuccess && count == 0))
    throw Error("no CUDA device here", "use --device cpu");
  cuda_check(status, "cudaGetDeviceCount");
  return std::make_unique<CudnnLibrary>();
}

}  // namespace opgrade

#else

namespace opgrade {
std::unique_ptr<ConvLibrary> make_cudnn() {
  throw Error(
      "this opgrade was built without cuDNN",
      "install cuDNN with the CUDA toolkit, configure and build again, or use --device cpu");
}
}  // namespace opgrade

#endif
