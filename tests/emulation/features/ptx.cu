// Inline PTX that tensor-core kernels use, against plain loops; values are small integers, so that
// sums are exact.
#include <cuda_fp16.h>

#include <cstdint>

#include "expect.cuh"

#define CP_ASYNC(to, from) \
  asm volatile("cp.async.cg.shared.global [%0], [%1], %2;\n" ::"r"(to), "l"(from), "n"(16))

__global__ void copies(const float* from, float* to) {
  __shared__ __align__(16) float tile[4 * 32];
  const unsigned place = (unsigned)__cvta_generic_to_shared(&tile[4 * threadIdx.x]);
  CP_ASYNC(place, from + 4 * threadIdx.x);
  asm volatile("cp.async.commit_group;\n" ::);
  asm volatile("cp.async.wait_group 0;");
  __syncthreads();
  to[threadIdx.x] = tile[4 * (31 - threadIdx.x)];
  __syncthreads();
  const int used = threadIdx.x < 16 ? 4 : 0;  // the rest is filled with zeros
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 4, %2;\n\t"
      "cp.async.wait_all;"
      :
      : "r"(place), "l"(from), "r"(used)
      : "memory");
  to[32 + threadIdx.x] = tile[4 * threadIdx.x];
}

// D (16 x 8) = A (16 x 8, by rows) B (8 x 8, by columns) + C
__global__ void product_tf32(const float* a, const float* b, float* d) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  float av[4] = {a[g * 8 + t], a[(g + 8) * 8 + t], a[g * 8 + t + 4], a[(g + 8) * 8 + t + 4]};
  float bv[2] = {b[g * 8 + t], b[g * 8 + t + 4]};
  uint32_t ar[4], br[2];
  for (int i = 0; i < 4; ++i) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(ar[i]) : "f"(av[i]));
  for (int i = 0; i < 2; ++i) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(br[i]) : "f"(bv[i]));
  float c[4] = {1, 1, 1, 1};
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(ar[0]), "r"(ar[1]), "r"(ar[2]), "r"(ar[3]), "r"(br[0]), "r"(br[1]));
  d[g * 8 + 2 * t] = c[0];
  d[g * 8 + 2 * t + 1] = c[1];
  d[(g + 8) * 8 + 2 * t] = c[2];
  d[(g + 8) * 8 + 2 * t + 1] = c[3];
}

// D (16 x 8) = A (16 x 16, by rows) B (16 x 8, by rows), both by ldmatrix
__global__ void product_half(const half* a, const half* b, float* d, half* narrow) {
  __shared__ __align__(16) half as[16 * 16], bs[16 * 8];
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  for (int i = lane; i < 256; i += 32) as[i] = a[i];
  for (int i = lane; i < 128; i += 32) bs[i] = b[i];
  __syncwarp();
  unsigned ar[4], br[2], none[2] = {0, 0}, out[2];
  const unsigned ap = __cvta_generic_to_shared(&as[lane % 16 * 16 + lane / 16 * 8]);
  const unsigned bp = __cvta_generic_to_shared(&bs[lane % 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(ar[0]), "=r"(ar[1]), "=r"(ar[2]), "=r"(ar[3])
               : "r"(ap));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(br[0]), "=r"(br[1])
               : "r"(bp));
  float c0, c1, c2, c3;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%11,%12,%13};"
      : "=f"(c0), "=f"(c1), "=f"(c2), "=f"(c3)
      : "r"(ar[0]), "r"(ar[1]), "r"(ar[2]), "r"(ar[3]), "r"(br[0]), "r"(br[1]), "f"(0.f), "f"(0.f),
        "f"(0.f), "f"(0.f));
  d[g * 8 + 2 * t] = c0;
  d[g * 8 + 2 * t + 1] = c1;
  d[(g + 8) * 8 + 2 * t] = c2;
  d[(g + 8) * 8 + 2 * t + 1] = c3;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"
      : "=r"(out[0]), "=r"(out[1])
      : "r"(ar[0]), "r"(ar[1]), "r"(ar[2]), "r"(ar[3]), "r"(br[0]), "r"(br[1]), "r"(none[0]),
        "r"(none[1]));
  memcpy(&narrow[g * 8 + 2 * t], &out[0], 4);
  memcpy(&narrow[(g + 8) * 8 + 2 * t], &out[1], 4);
}

extern "C" int run() {
  float host[128], *from, *to;
  for (int i = 0; i < 128; ++i) host[i] = i;
  cudaMalloc(&from, sizeof host);
  cudaMalloc(&to, sizeof host);
  cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
  copies<<<1, 32>>>(from, to);
  cudaMemcpy(host, to, 64 * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i) {
    EXPECT(host[i] == 4 * (31 - i));
    EXPECT(host[32 + i] == 0);  // the first value of `from`, or zeros
  }

  float a[256], b[128], d[128], *da, *db;
  for (int i = 0; i < 256; ++i) a[i] = i * 7 % 11 - 5;
  for (int i = 0; i < 128; ++i) b[i] = i * 5 % 13 - 6;
  cudaMalloc(&da, sizeof a);
  cudaMalloc(&db, sizeof b);
  cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
  product_tf32<<<1, 32>>>(da, db, to);
  cudaMemcpy(d, to, sizeof d, cudaMemcpyDeviceToHost);
  for (int m = 0; m < 16; ++m) {
    for (int n = 0; n < 8; ++n) {
      float sum = 1;
      for (int k = 0; k < 8; ++k) sum += a[m * 8 + k] * b[n * 8 + k];
      EXPECT(d[m * 8 + n] == sum);
    }
  }

  half ah[256], bh[128], narrow[128], *dah, *dbh, *dn;
  for (int i = 0; i < 256; ++i) ah[i] = a[i];
  for (int i = 0; i < 128; ++i) bh[i] = b[i];
  cudaMalloc(&dah, sizeof ah);
  cudaMalloc(&dbh, sizeof bh);
  cudaMalloc(&dn, sizeof narrow);
  cudaMemcpy(dah, ah, sizeof ah, cudaMemcpyHostToDevice);
  cudaMemcpy(dbh, bh, sizeof bh, cudaMemcpyHostToDevice);
  product_half<<<1, 32>>>(dah, dbh, to, dn);
  cudaMemcpy(d, to, sizeof d, cudaMemcpyDeviceToHost);
  cudaMemcpy(narrow, dn, sizeof narrow, cudaMemcpyDeviceToHost);
  for (int m = 0; m < 16; ++m) {
    for (int n = 0; n < 8; ++n) {
      float sum = 0;
      for (int k = 0; k < 16; ++k) sum += a[m * 16 + k] * b[k * 8 + n];
      EXPECT(d[m * 8 + n] == sum);
      EXPECT((float)narrow[m * 8 + n] == sum);
    }
  }
  for (void* p : {(void*)from, (void*)to, (void*)da, (void*)db, (void*)dah, (void*)dbh, (void*)dn})
    cudaFree(p);
  return failures;
}
