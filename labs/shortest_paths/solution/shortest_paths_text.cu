// Floyd and Warshall's algorithm, one launch for each vertex by which paths may lead.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int kFar = (1 << 30) - 1;

__global__ void shorten(int* distances, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= n || row == k || column == k) return;
  const int by_k = distances[row * n + k] + distances[k * n + column];
  if (by_k < distances[row * n + column]) distances[row * n + column] = by_k;
}

}  // namespace

int main(int, char** names) {
  std::ifstream in(names[1]);
  int n = 0;
  std::vector<int> distances;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    char kind = 'c';
    words >> kind;
    if (kind == 'p') {
      std::string problem;
      words >> problem >> n;
      distances.assign(size_t(n) * n, kFar);
      for (int i = 0; i < n; ++i) distances[size_t(i) * n + i] = 0;
    } else if (kind == 'a') {
      int from, to, length;
      words >> from >> to >> length;
      int& known = distances[size_t(from - 1) * n + to - 1];
      known = std::min(known, length);
    }
  }
  if (n == 0) return 1;
  int* device;
  const size_t bytes = distances.size() * sizeof(int);
  cudaMalloc(&device, bytes);
  cudaMemcpy(device, distances.data(), bytes, cudaMemcpyHostToDevice);
  for (int k = 0; k < n; ++k) shorten<<<dim3((n + 63) / 64, n), 64>>>(device, n, k);
  cudaMemcpy(distances.data(), device, bytes, cudaMemcpyDeviceToHost);
  cudaFree(device);

  std::ofstream out(names[2]);
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      const int length = distances[size_t(row) * n + column];
      (length == kFar ? out << '-' : out << length) << (column + 1 < n ? ' ' : '\n');
    }
  return out.flush() ? 0 : 1;
}
