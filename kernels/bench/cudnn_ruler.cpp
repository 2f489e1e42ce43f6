#include "kernels/bench/cudnn_ruler.hpp"

#ifdef OPGRADE_HAVE_CUDNN
#include <algorithm>

#include "kernels/bench/cudnn_convolution.hpp"

namespace opgrade::kernels {
namespace {

constexpr std::size_t kMostWorkspace = std::size_t{12} << 30;

struct Mode {
  const char* name;
  cudnnTensorFormat_t format;
  cudnnDataType_t type;
  cudnnMathType_t math;
};
// Halves in NCHW lose to NHWC everywhere and are left out.
constexpr Mode kModes[] = {
    {"NCHW fp32", CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, CUDNN_FMA_MATH},
    {"NCHW tf32", CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, CUDNN_TENSOR_OP_MATH},
    {"NCHW fp16 arithmetic", CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT,
     CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION},
    {"NHWC fp32", CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, CUDNN_FMA_MATH},
    {"NHWC tf32", CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, CUDNN_TENSOR_OP_MATH},
    {"NHWC fp16 arithmetic", CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT,
     CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION},
    {"NHWC fp16 tensors", CUDNN_TENSOR_NHWC, CUDNN_DATA_HALF, CUDNN_TENSOR_OP_MATH},
};

struct Algorithm {
  const char* name;
  cudnnConvolutionFwdAlgo_t algorithm;
};
constexpr Algorithm kAlgorithms[] = {
    {"implicit_precomp_gemm", CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM},
    {"implicit_gemm", CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM},
    {"gemm", CUDNN_CONVOLUTION_FWD_ALGO_GEMM},
    {"direct", CUDNN_CONVOLUTION_FWD_ALGO_DIRECT},
    {"fft", CUDNN_CONVOLUTION_FWD_ALGO_FFT},
    {"fft_tiling", CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING},
    {"winograd", CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD},
    {"winograd_nonfused", CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED},
};

}  // namespace

std::vector<CudnnResult> measure_cudnn(const float* d_x, const float* d_k, const double* d_truth,
                                       const ConvShape& s, ColdTimer& timer) {
  std::vector<CudnnResult> results;
  const CudnnHandle handle;
  const std::size_t x_size = s.x_size(), k_size = s.k_size(), y_size = s.y_size();
  DeviceBuffer<float> x(x_size), k(k_size), y(y_size), y_wide;
  DeviceBuffer<char> workspace;
  double best = 1e30;

  for (const Mode& mode : kModes) {
    const bool last = mode.format == CUDNN_TENSOR_NHWC, halves = mode.type == CUDNN_DATA_HALF;
    const void *in = d_x, *weights = d_k;
    DeviceBuffer<char> half_x, half_k;
    if (last) {
      to_channels_last(d_x, x.get(), s.B, s.C, s.H, s.W);
      to_channels_last(d_k, k.get(), s.M, s.C, s.K, s.K);
      in = x.get(), weights = k.get();
    }
    if (halves) {
      half_x.grow(x_size * 2), half_k.grow(k_size * 2), y_wide.grow(y_size);
      to_half(x.get(), half_x.get(), s.x_size());
      to_half(k.get(), half_k.get(), s.k_size());
      in = half_x.get(), weights = half_k.get();
    }
    const CudnnConvolution conv(s, mode.format, mode.type, mode.math);

    for (const Algorithm& algorithm : kAlgorithms) {
      std::size_t bytes = 0;
      if (cudnnGetConvolutionForwardWorkspaceSize(handle, conv.x, conv.k, conv.convolution, conv.y,
                                                  algorithm.algorithm,
                                                  &bytes) != CUDNN_STATUS_SUCCESS ||
          bytes > kMostWorkspace)
        continue;
      workspace.grow(bytes);
      const float one = 1.0f, zero = 0.0f;
      cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
      const auto run = [&](cudaStream_t) {
        status = cudnnConvolutionForward(handle, &one, conv.x, in, conv.k, weights,
                                         conv.convolution, algorithm.algorithm, workspace.get(),
                                         bytes, &zero, conv.y, y.get());
      };
      CUDA_CHECK(cudaMemset(y.get(), 0xff, y_size * sizeof(float)));
      run(nullptr);
      if (status != CUDNN_STATUS_SUCCESS || cudaDeviceSynchronize() != cudaSuccess) {
        cudaGetLastError();
        continue;
      }
      const float* result = y.get();
      if (halves) {
        from_half(y.get(), y_wide.get(), s.y_size());
        result = y_wide.get();
      }
      CudnnResult measured;
      measured.how = std::string(mode.name) + ' ' + algorithm.name;
      measured.halves = halves;
      measured.difference = compare(result, d_truth, s, last);
      measured.ms = timer.time(run, 15, 100, 2 * best);
      best = std::min(best, measured.ms.median);
      results.push_back(measured);
    }
  }
  return results;
}

std::optional<std::string> cudnn_version() { return cudnn_version_text(); }

}  // namespace opgrade::kernels

#else

namespace opgrade::kernels {
std::vector<CudnnResult> measure_cudnn(const float*, const float*, const double*, const ConvShape&,
                                       ColdTimer&) {
  return {};
}
std::optional<std::string> cudnn_version() { return std::nullopt; }
}  // namespace opgrade::kernels

#endif
