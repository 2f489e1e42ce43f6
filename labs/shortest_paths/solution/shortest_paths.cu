// Floyd and Warshall's algorithm in tiles: first the tile on the diagonal, then its row and its column, then all others.
#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

constexpr int kTile = 16;
constexpr int kFar = (1 << 30) - 1;

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

__global__ void pass_cross(int* distances, int n, int k) {
  __shared__ Tile own, diagonal;
  const int other = blockIdx.x < k ? blockIdx.x : blockIdx.x + 1;
  const bool is_row = blockIdx.y == 0;
  int* const at = element(distances, n, is_row ? k : other, is_row ? other : k);
  own[threadIdx.y][threadIdx.x] = *at;
  diagonal[threadIdx.y][threadIdx.x] = *element(distances, n, k, k);
  __syncthreads();
  if (is_row)
    shorten(own, diagonal, own);
  else
    shorten(own, own, diagonal);
  *at = own[threadIdx.y][threadIdx.x];
}

__global__ void pass_others(int* distances, int n, int k) {
  __shared__ Tile own, from, to;
  const int row = blockIdx.y < k ? blockIdx.y : blockIdx.y + 1;
  const int column = blockIdx.x < k ? blockIdx.x : blockIdx.x + 1;
  int* const at = element(distances, n, row, column);
  own[threadIdx.y][threadIdx.x] = *at;
  from[threadIdx.y][threadIdx.x] = *element(distances, n, row, k);
  to[threadIdx.y][threadIdx.x] = *element(distances, n, k, column);
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
  int* device;
  const size_t bytes = distances.size() * sizeof(int);
  cudaMalloc(&device, bytes);
  cudaMemcpy(device, distances.data(), bytes, cudaMemcpyHostToDevice);
  const dim3 threads(kTile, kTile);
  for (int k = 0; k < tiles; ++k) {
    pass_diagonal<<<1, threads>>>(device, n, k);
    if (tiles == 1) break;
    pass_cross<<<dim3(tiles - 1, 2), threads>>>(device, n, k);
    pass_others<<<dim3(tiles - 1, tiles - 1), threads>>>(device, n, k);
  }
  cudaMemcpy(distances.data(), device, bytes, cudaMemcpyDeviceToHost);
  cudaFree(device);

  FILE* const out = fopen(names[2], "wb");
  if (out == nullptr) return 1;
  for (int i = 0; i < vertices; ++i) fwrite(&distances[size_t(i) * n], sizeof(int), vertices, out);
  return fclose(out) == 0 ? 0 : 1;
}
