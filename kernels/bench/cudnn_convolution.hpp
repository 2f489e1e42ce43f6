/// One forward convolution as cuDNN's objects describe it, for rung 0 of the ladder.
#pragma once

#include <cudnn.h>

#include <string>

#include "grader/base/core/error.hpp"
#include "reference/conv_shape.hpp"

namespace opgrade {

inline void cudnn_check(cudnnStatus_t status, const char* what) {
  if (status != CUDNN_STATUS_SUCCESS)
    throw Error(std::string("cuDNN: ") + what + ": " + cudnnGetErrorString(status),
                "is the device free, and its memory large enough? try a smaller --batch");
}

/// A cuDNN object that is created and destroyed by a pair of functions.
template <class T, cudnnStatus_t (*create)(T*), cudnnStatus_t (*destroy)(T)>
class CudnnObject {
 public:
  CudnnObject() { cudnn_check(create(&object_), "creating an object"); }
  ~CudnnObject() { destroy(object_); }
  CudnnObject(const CudnnObject&) = delete;
  CudnnObject& operator=(const CudnnObject&) = delete;
  operator T() const { return object_; }

 private:
  T object_{};
};
using CudnnHandle = CudnnObject<cudnnHandle_t, cudnnCreate, cudnnDestroy>;

/// x, k, y and the convolution of a shape.
struct CudnnConvolution {
  CudnnConvolution(const ConvShape& s, cudnnTensorFormat_t format, cudnnDataType_t type,
                   cudnnMathType_t math) {
    cudnn_check(cudnnSetTensor4dDescriptor(x, format, type, s.B, s.C, s.H, s.W), "x's shape");
    cudnn_check(cudnnSetTensor4dDescriptor(y, format, type, s.B, s.M, s.H_out(), s.W_out()),
                "y's shape");
    cudnn_check(cudnnSetFilter4dDescriptor(k, type, format, s.M, s.C, s.K, s.K), "k's shape");
    cudnn_check(cudnnSetConvolution2dDescriptor(convolution, 0, 0, s.S, s.S, 1, 1,
                                                CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
                "the convolution");
    cudnn_check(cudnnSetConvolutionMathType(convolution, math), "its arithmetic");
  }

  using Tensor = CudnnObject<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor,
                             cudnnDestroyTensorDescriptor>;
  Tensor x, y;
  CudnnObject<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor> k;
  CudnnObject<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor,
              cudnnDestroyConvolutionDescriptor>
      convolution;
};

/// "9.19.0": cuDNN 9 gives 91900.
inline std::string cudnn_version_text() {
  const std::size_t v = cudnnGetVersion();
  return std::to_string(v / 10000) + '.' + std::to_string(v / 100 % 100) + '.' +
         std::to_string(v % 100);
}

}  // namespace opgrade
