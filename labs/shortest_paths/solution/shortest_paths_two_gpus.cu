// Floyd and Warshall's algorithm in tiles on two devices. Each device has the whole matrix and computes its half of the rows.
// For each tile on the diagonal, its device passes the tile's row first and sends it to the other one.
#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

constexpr int kTile = 16;
constexpr int kFar = (1 << 30) - 1;
constexpr int kDevices = 2;

using Tile = int[kTile][kTile];

/// Paths by the vertices of one tile.
__device__ void shorten(Tile& own, const Tile& from, const Tile& to) {
  for (int k = 0; k < kTile; ++k) {
    const int by_k = from[threadIdx.y][k] + to[k][threadIdx.x];
    __syncthreads();
    if (by_k < own[threadIdx.y][threadIdx.x]) own[threadIdx.y][threadIdx.x] = by_k;
    __syncthreads();
  }
}

__device__ int* element(int* distances, int n, int row, int column) {
  return distances + (row * kTile + threadIdx.y) * n + column * kTile + threadIdx.x;
}

__global__ void pass_diagonal(int* distances, int n, int k) {
  __shared__ Tile own;
  int* const at = element(distances, n, k, k);
  own[threadIdx.y][threadIdx.x] = *at;
  __syncthreads();
  shorten(own, own, own);
  *at = own[threadIdx.y][threadIdx.x];
}

__global__ void pass_row(int* distances, int n, int k) {
  if (blockIdx.x == k) return;
  __shared__ Tile own, diagonal;
  int* const at = element(distances, n, k, blockIdx.x);
  own[threadIdx.y][threadIdx.x] = *at;
  diagonal[threadIdx.y][threadIdx.x] = *element(distances, n, k, k);
  __syncthreads();
  shorten(own, diagonal, own);
  *at = own[threadIdx.y][threadIdx.x];
}

/// Of the rows of tiles from `first` on.
__global__ void pass_column(int* distances, int n, int k, int first) {
  const int row = first + blockIdx.x;
  if (row == k) return;
  __shared__ Tile own, diagonal;
  int* const at = element(distances, n, row, k);
  own[threadIdx.y][threadIdx.x] = *at;
  diagonal[threadIdx.y][threadIdx.x] = *element(distances, n, k, k);
  __syncthreads();
  shorten(own, own, diagonal);
  *at = own[threadIdx.y][threadIdx.x];
}

__global__ void pass_others(int* distances, int n, int k, int first) {
  const int row = first + blockIdx.y;
  if (row == k || blockIdx.x == k) return;
  __shared__ Tile own, from, to;
  int* const at = element(distances, n, row, blockIdx.x);
  own[threadIdx.y][threadIdx.x] = *at;
  from[threadIdx.y][threadIdx.x] = *element(distances, n, row, k);
  to[threadIdx.y][threadIdx.x] = *element(distances, n, k, blockIdx.x);
  __syncthreads();
  shorten(own, from, to);
  *at = own[threadIdx.y][threadIdx.x];
}

}  // namespace

int main(int, char** names) {
  FILE* const in = fopen(names[1], "rb");
  int sizes[2];
  if (in == nullptr || fread(sizes, sizeof(int), 2, in) != 2) return 1;
  const int vertices = sizes[0], count = sizes[1];
  std::vector<int> edges(3 * size_t(count));
  if (fread(edges.data(), sizeof(int), edges.size(), in) != edges.size()) return 1;
  fclose(in);

  // Whole tiles; nothing leads to the vertices beyond the graph.
  const int tiles = (vertices + kTile - 1) / kTile, n = tiles * kTile;
  std::vector<int> distances(size_t(n) * n, kFar);
  for (int i = 0; i < vertices; ++i) distances[size_t(i) * n + i] = 0;
  for (int i = 0; i < count; ++i) {
    int& length = distances[size_t(edges[3 * i]) * n + edges[3 * i + 1]];
    length = std::min(length, edges[3 * i + 2]);
  }
  const int first[kDevices + 1] = {0, (tiles + 1) / 2, tiles};  // the first row of tiles of each device, and the end
  const size_t row_of_tiles = size_t(kTile) * n;
  int* device[kDevices];
  for (int d = 0; d < kDevices; ++d) {
    cudaSetDevice(d);
    cudaMalloc(&device[d], distances.size() * sizeof(int));
    cudaMemcpy(device[d], distances.data(), distances.size() * sizeof(int), cudaMemcpyHostToDevice);
  }
  const dim3 threads(kTile, kTile);
  for (int k = 0; k < tiles; ++k) {
    const int owner = k < first[1] ? 0 : 1, other = 1 - owner;
    cudaSetDevice(owner);
    pass_diagonal<<<1, threads>>>(device[owner], n, k);
    pass_row<<<tiles, threads>>>(device[owner], n, k);
    cudaMemcpyPeer(device[other] + k * row_of_tiles, other, device[owner] + k * row_of_tiles, owner,
                   row_of_tiles * sizeof(int));
    for (int d = 0; d < kDevices; ++d) {
      const int rows = first[d + 1] - first[d];
      if (rows == 0) continue;
      cudaSetDevice(d);
      pass_column<<<rows, threads>>>(device[d], n, k, first[d]);
      pass_others<<<dim3(tiles, rows), threads>>>(device[d], n, k, first[d]);
    }
  }
  for (int d = 0; d < kDevices; ++d) {
    const size_t begin = first[d] * row_of_tiles, end = first[d + 1] * row_of_tiles;
    cudaSetDevice(d);
    cudaMemcpy(distances.data() + begin, device[d] + begin, (end - begin) * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device[d]);
  }

  FILE* const out = fopen(names[2], "wb");
  if (out == nullptr) return 1;
  for (int i = 0; i < vertices; ++i) fwrite(&distances[size_t(i) * n], sizeof(int), vertices, out);
  return fclose(out) == 0 ? 0 : 1;
}
