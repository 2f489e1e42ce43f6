// Parameters of a class: the host copies them once for a launch, and threads get their bytes.
#include "expect.cuh"

static int copies = 0;

class Buffer {
 public:
  explicit Buffer(int n) : count_(new int(1)) { cudaMalloc(&data_, n * sizeof(int)); }
  Buffer(const Buffer& other) : data_(other.data_), count_(other.count_) {
    ++*count_;
    ++copies;
  }
  ~Buffer() {
    if (--*count_ != 0) return;
    cudaFree(data_);
    delete count_;
  }
  Buffer& operator=(const Buffer&) = delete;
  __device__ int& operator[](int i) { return data_[i]; }
  const int* data() const { return data_; }
  int users() const { return *count_; }

 private:
  int* data_ = nullptr;
  int* count_;
};

__global__ void fill(Buffer buffer, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) buffer[i] = i;
}

extern "C" int run() {
  constexpr int n = 1 << 12;
  static int host[n];
  Buffer buffer(n);
  fill<<<n / 256, 256>>>(buffer, n);
  EXPECT(cudaMemcpy(host, buffer.data(), sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[i] != i;
  EXPECT(wrong == 0);
  EXPECT(buffer.users() == 1);
  EXPECT(copies > 0 && copies < 10);  // not one for each thread
  return failures;
}
