// The scopes of names: where a name is a __shared__ variable of the file or of the kernel, and
// where it is a member, a parameter, a capture or another variable.
#include <array>

#include "expect.cuh"

extern __shared__ float data[];
__shared__ float tile[32];
__shared__ int n;

// Uses that look like declarations.
__device__ int in_condition(const int* x) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  return sum;
}
__device__ float in_choice(bool no, float scale, int t) { return no ? 0.f : scale * tile[t]; }
__device__ float in_list(float scale) {
  float both[2] = {scale * tile[1], scale};
  if (both[1] < n && scale > tile[1]) return both[0];
  return -1;
}
namespace inner {
__device__ float in_namespace(float scale) { return scale * tile[3] - n; }
}  // namespace inner

// Declarations in which the name is not the first.
__device__ float second_name(const float* x) {
  float sum = 0, tile = x[0];
  return sum + tile;
}
__device__ float second_pointer(float* x) {
  float a{1}, *tile = x, n(2);
  return a + *tile + n;
}
__device__ float second_array() {
  float a[2] = {1, 2}, tile[3] = {3};
  return a[1] + tile[0];
}
__device__ float to_array(float (*x)[8]) {
  float(*tile)[8] = x;
  return tile[0][1];
}
__device__ std::size_t of_template() {
  std::array<float, 4> tile{};
  return sizeof tile;
}
__device__ float reference(float& x) {
  float& tile = x;
  const float& n = tile;
  return n;
}

// Inner blocks.
__device__ float in_block() {
  float sum = tile[1];
  {
    float tile = 100;
    sum += tile;
  }
  return sum + tile[2];
}
__device__ float in_headers(int x) {
  if (float tile = x; tile > 5) return tile;
  float each[2] = {10, 20}, sum = 0;
  for (float tile : each) sum += tile;
  for (int n = 2; n > 0; --n) sum += tile[n];
  switch (x) {
    case 1:
      return sum + tile[3];
    default:
      return n * tile[4];
  }
}

// Members.
struct View {
  __device__ float first() const { return data[0]; }
  const float* data;
  __device__ float get(int i) const { return data[i]; }
};
struct Box {
  float tile;
  int n;
  __device__ Box(float tile, int n) : tile(tile), n(n) {}
  __device__ float both() const { return tile + n; }
};
template <class T>
struct Reader {
  T* tile;
  __device__ T at(int i) const { return this->tile[i] + tile[i]; }
};
template <int N>
__device__ float sum_of() {
  float sum = 0;
  for (int i = 0; i < N && i < n; ++i) sum += tile[i];
  return sum;
}

__device__ float x[8] = {50, 51, 52, 53, 54, 55, 56, 57};
__device__ int three[4] = {1, 1, 1, 7};

__global__ void of_the_file(float* out) {
  tile[threadIdx.x] = threadIdx.x;
  data[threadIdx.x] = 1000;
  if (threadIdx.x == 0) n = 3;
  __syncthreads();
  const View view{x};
  const Reader<float> reader{x};
  const float all[] = {
      (float)in_condition(three),
      in_choice(false, 2, 5),
      in_list(2),
      inner::in_namespace(4),
      second_name(x),
      second_pointer(x),
      second_array(),
      to_array((float(*)[8])x),
      (float)of_template(),
      reference(x[1]),
      in_block(),
      in_headers(6),
      in_headers(1),
      in_headers(0),
      view.first(),
      view.get(2),
      Box(4, 5).both(),
      reader.at(1),
      sum_of<9>(),
  };
  if (threadIdx.x == 0)
    for (int i = 0; i < 19; ++i) out[i] = all[i];
}

__global__ void of_the_kernel(float* out) {
  __shared__ float s[32];
  __shared__ int count;
  auto before = [=] {  // made before they are set
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += i;
    return sum;
  };
  if (threadIdx.x == 0) count = 4;
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  auto own_loop = [&](int t) {
    float r = 0;
    for (int s = 16; s > 0; s >>= 1) r += s;
    return r + t;
  };
  auto of_capture = [own = s[5]](int i) { return own + s[i]; };
  auto of_result = [](int i) -> decltype(s[0] + 0) { return s[i]; };
  auto parameter = [](float* s) { return s[0]; };
  auto capture = [s = 3] { return s; };
  auto in_while = [&] {
    int rounds = 0;
    float a = 1;
    while (count > 0) {
      ++rounds;
      if (rounds > 2) break;
    }
    return rounds + (a + s[2] * s[3]);
  };
  struct Own {
    float s;
    __device__ float get() const { return s; }
  };
  const float all[] = {(float)before(), own_loop(1),      of_capture(6),     of_result(7),
                       parameter(x),    (float)capture(), (float)in_while(), Own{9}.get()};
  if (threadIdx.x == 0)
    for (int i = 0; i < 8; ++i) out[i] = all[i];
}

extern "C" int run() {
  float *out, host[19];
  cudaMalloc(&out, sizeof host);
  // Host code may ask for the size and type.
  static_assert(sizeof(tile) == 32 * sizeof(float) && sizeof tile[0] == sizeof(decltype(n)), "");
  of_the_file<<<1, sizeof(tile) / sizeof(tile[0]), 32 * sizeof(float)>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  const float file[] = {3, 10, 2, 9, 50, 53, 5, 51, 16, 51, 103, 6, 36, 12, 50, 52, 9, 102, 3};
  for (int i = 0; i < 19; ++i) EXPECT(host[i] == file[i]);
  of_the_kernel<<<1, 32>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  const float kernel[] = {6, 32, 11, 7, 50, 3, 10, 9};
  for (int i = 0; i < 8; ++i) EXPECT(host[i] == kernel[i]);
  cudaFree(out);
  return failures;
}
