/// A stand-in for the parts of mshadow that submissions of the MXNet terms use: a dense row-major
/// tensor that owns no memory, its stream, and the macro around CUDA calls.
#ifndef MSHADOW_TENSOR_H_
#define MSHADOW_TENSOR_H_

#include <dmlc/logging.h>

#ifdef __CUDACC__
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#define MSHADOW_XINLINE inline __host__ __device__
#else
#define MSHADOW_XINLINE inline
#endif
#define MSHADOW_CINLINE inline

namespace mshadow {

typedef unsigned index_t;  // as in the versions that the course used

struct cpu {};
struct gpu {};

template <int dimension>
struct Shape {
  index_t shape_[dimension];
  MSHADOW_XINLINE index_t& operator[](index_t i) { return shape_[i]; }
  MSHADOW_XINLINE const index_t& operator[](index_t i) const { return shape_[i]; }
  MSHADOW_XINLINE size_t Size() const {
    size_t size = 1;
    for (int i = 0; i < dimension; ++i) size *= shape_[i];
    return size;
  }
};

template <typename Device>
struct Stream {
  void Wait() {}
};

#ifdef __CUDACC__
template <>
struct Stream<gpu> {
  cudaStream_t stream_ = 0;
  static cudaStream_t GetStream(Stream<gpu>* stream) { return stream ? stream->stream_ : 0; }
  void Wait() { cudaStreamSynchronize(stream_); }
};
#endif

template <typename Device, int dimension, typename DType = float>
struct Tensor {
  DType* dptr_ = nullptr;
  Shape<dimension> shape_;
  index_t stride_ = 0;  ///< of the innermost row
  Stream<Device>* stream_ = nullptr;

  MSHADOW_XINLINE index_t size(int i) const { return shape_[i]; }
  MSHADOW_XINLINE size_t MSize() const { return shape_.Size(); }
  MSHADOW_XINLINE bool CheckContiguous() const { return true; }

  MSHADOW_XINLINE Tensor<Device, dimension - 1, DType> operator[](index_t i) const {
    Tensor<Device, dimension - 1, DType> part;
    for (int d = 1; d < dimension; ++d) part.shape_[d - 1] = shape_[d];
    part.dptr_ = dptr_ + i * part.MSize();
    part.stride_ = stride_;
    part.stream_ = stream_;
    return part;
  }
};

template <typename Device, typename DType>
struct Tensor<Device, 1, DType> {
  DType* dptr_ = nullptr;
  Shape<1> shape_;
  index_t stride_ = 0;
  Stream<Device>* stream_ = nullptr;

  MSHADOW_XINLINE index_t size(int) const { return shape_[0]; }
  MSHADOW_XINLINE size_t MSize() const { return shape_[0]; }
  MSHADOW_XINLINE DType& operator[](index_t i) const { return dptr_[i]; }
};

}  // namespace mshadow

#ifdef __CUDACC__
#define MSHADOW_CUDA_CALL(call)                                                             \
  {                                                                                         \
    const cudaError_t opgrade_status = (call);                                              \
    CHECK(opgrade_status == cudaSuccess) << "CUDA: " << cudaGetErrorString(opgrade_status); \
  }
#endif

#endif
