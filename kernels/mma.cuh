/// The common parts of the rungs on mma.sync: the instruction, and fp32 data as scaled fp16
/// operands.
#pragma once

#include <cuda_fp16.h>

#include "kernels/common.cuh"

namespace opgrade::kernels {

/// d += a * b, 16x8 += 16x16 * 16x8, one warp. A lane with g = lane / 4 and t = lane % 4 holds:
///
///   a[0] = A[g][2t,2t+1]    a[1] = A[g+8][2t,2t+1]    a[2] = A[g][2t+8,2t+9]  a[3] = A[g+8][..]
///   b0   = B[2t,2t+1][g]    b1   = B[2t+8,2t+9][g]
///   d[0], d[1] = D[g][2t,2t+1]    d[2], d[3] = D[g+8][2t,2t+1]
/// (PTX ISA, "Matrix Fragments for mma.m16n8k16"). The lower half of each word is the first
/// element.
#ifndef OPGRADE_NO_PTX
__device__ inline void mma_16x8x16(float (&d)[4], const uint4& a, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}
#else
/// The same by shuffles, for devices (or an emulated one) without the instruction.
__device__ inline void mma_16x8x16(float (&d)[4], const uint4& a, unsigned b0, unsigned b1) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const auto half_of = [](unsigned word, int i) {
    return __half2float(__ushort_as_half(static_cast<unsigned short>(i == 0 ? word : word >> 16)));
  };
  for (int j = 0; j < 8; ++j) {  // words of the inner dimension
    const int from = j % 4;
    const unsigned a_up = __shfl_sync(~0u, j < 4 ? a.x : a.z, g * 4 + from);
    const unsigned a_down = __shfl_sync(~0u, j < 4 ? a.y : a.w, g * 4 + from);
    const unsigned b_left = __shfl_sync(~0u, j < 4 ? b0 : b1, 2 * t * 4 + from);
    const unsigned b_right = __shfl_sync(~0u, j < 4 ? b0 : b1, (2 * t + 1) * 4 + from);
    for (int i = 0; i < 2; ++i) {
      d[0] += half_of(a_up, i) * half_of(b_left, i);
      d[1] += half_of(a_up, i) * half_of(b_right, i);
      d[2] += half_of(a_down, i) * half_of(b_left, i);
      d[3] += half_of(a_down, i) * half_of(b_right, i);
    }
  }
}
#endif

__device__ inline float power_of_two(int exponent) {
  return __uint_as_float(static_cast<unsigned>(exponent + 127) << 23);
}

/// The exponent of a power of two, as far as fp32 can hold it. It brings data whose largest
/// magnitude has the bits `largest` to [2^reach, 2^(reach + 1)).
__device__ inline int scale_exponent(unsigned largest, int reach) {
  if (largest == 0) return 0;
  return min(max(reach - (static_cast<int>(largest >> 23) - 127), -126), 126);
}

/// Weights go to [1, 2), inputs to [2^14, 2^15), where fp16 is most precise and far from overflow.
constexpr int kReachWeights = 0, kReachInputs = 14;

/// The exponent for inputs, when the weights' is known: one factor then undoes both scales. Only
/// where products are under 2^-112 does that take precision from the inputs. A product that fp32
/// can hold as a normal number still keeps all of it.
__device__ inline int scale_exponent_inputs(unsigned largest, int exponent_weights) {
  const int ideal = scale_exponent(largest, kReachInputs);
  return min(max(ideal, -126 - exponent_weights), 126 - exponent_weights);
}

__device__ inline unsigned pack(float first, float second) {
  const __half2 both = __floats2half2_rn(first, second);
  return *reinterpret_cast<const unsigned*>(&both);
}

/// Two scaled values as fp16 heads and the fp16 of the rest: 22 bits, and 2^-25 at the least. That
/// is 2^-25 of the largest weight and 2^-39 of the largest input, under fp32's own rounding.
struct Split {
  unsigned hi, lo;
};
__device__ inline Split split(float first, float second) {
  const __half2 head = __floats2half2_rn(first, second);
  const float2 back = __half22float2(head);
  return {*reinterpret_cast<const unsigned*>(&head), pack(first - back.x, second - back.y)};
}

/// The largest of every thread's `bits` into *shared_largest, which the caller has zeroed; visible
/// after the next barrier. For magnitudes, the order of floats is that of their bits.
__device__ inline void block_largest(unsigned bits, unsigned* shared_largest) {
  for (int step = 16; step > 0; step /= 2) bits = max(bits, __shfl_xor_sync(~0u, bits, step));
  if (threadIdx.x % 32 == 0) atomicMax(shared_largest, bits);
}

__device__ inline unsigned magnitude(float v) { return __float_as_uint(v) & 0x7fffffffu; }

/// Starts copying kBytes (4, 8 or 16, the alignment of both) from device to shared memory.
template <int kBytes>
__device__ inline void copy_async(float* to, const float* from) {
#ifndef OPGRADE_NO_PTX
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (kBytes == 16)  // past the L1: nothing is read twice
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(kBytes)
                 : "memory");
#else
  for (int i = 0; i < kBytes / 4; ++i) to[i] = from[i];
#endif
}

/// Waits for this thread's copies; a barrier then makes everyone's visible.
__device__ inline void copies_done() {
#ifndef OPGRADE_NO_PTX
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// The block starts copying `count` floats that follow each other, `vector` (4, 2 or 1) at once.
/// Both ends must be aligned for that and `count` a multiple of it.
__device__ inline void copy_floats_async(float* to, const float* from, int count, int vector) {
  const int tid = threadIdx.x, threads = blockDim.x;
  if (vector == 4)
    for (int i = tid; i < count / 4; i += threads) copy_async<16>(to + 4 * i, from + 4 * i);
  else if (vector == 2)
    for (int i = tid; i < count / 2; i += threads) copy_async<8>(to + 2 * i, from + 2 * i);
  else
    for (int i = tid; i < count; i += threads) copy_async<4>(to + i, from + i);
}

/// The largest magnitude's bits among the floats that this very thread copied: after copies_done()
/// it sees those without a barrier.
__device__ inline unsigned largest_of_copied(const float* at, int count, int vector) {
  const int tid = threadIdx.x, threads = blockDim.x;
  unsigned largest = 0;
  if (vector == 4) {
#pragma unroll 4
    for (int i = tid; i < count / 4; i += threads) {
      const float4 v = reinterpret_cast<const float4*>(at)[i];
      largest = max(max(largest, max(magnitude(v.x), magnitude(v.y))),
                    max(magnitude(v.z), magnitude(v.w)));
    }
  } else if (vector == 2) {
#pragma unroll 4
    for (int i = tid; i < count / 2; i += threads) {
      const float2 v = reinterpret_cast<const float2*>(at)[i];
      largest = max(largest, max(magnitude(v.x), magnitude(v.y)));
    }
  } else {
#pragma unroll 4
    for (int i = tid; i < count; i += threads) largest = max(largest, magnitude(at[i]));
  }
  return largest;
}

/// Pixels 2j and 2j + 1 of a row of `width` floats in shared memory; past its end there is 0.
__device__ inline float2 pixel_pair(const float* row, int j, int width) {
  if (width % 2 == 0) return reinterpret_cast<const float2*>(row)[j];
  return make_float2(row[2 * j], 2 * j + 1 < width ? row[2 * j + 1] : 0.0f);
}

/// Writes a warp's tiles of 16 pixels of kRows x 8 maps, whose pixels follow each other without a
/// gap. It writes whole 32-byte sectors where a map begins in the middle of one. There a lane
/// passes its four pixels to the lane before, and the first lane's go out by themselves. Half a
/// sector is as dear to the L2 cache as a whole one.
/// `at`: the first tile's first pixel, a multiple of 16; `end`: the pixels to write, a multiple of
/// 4. `y`: map 0's pixel 0, 16-byte aligned, as `pixels` keeps it.
template <int kRows, int kCount>
__device__ inline void store_in_sectors(const float (&sum)[kCount][kRows][4], float unscale, int m0,
                                        int maps, int pixels, int at, int end,
                                        float* __restrict__ y) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int m = m0 + r * 8 + g;
    float* map = y + std::int64_t{m} * pixels;
    const bool inside = reinterpret_cast<std::uintptr_t>(map) % 32 != 0, first = inside && t == 0;
    const int from = inside ? lane - t + (t + 1) % 4 : lane;
    // Pixels 0, 2 are in sum[0..1], 1, 3 in sum[2..3].
    const auto put = [&](int pixel, float v0, float v2, float v1, float v3) {
      if (m < maps && pixel < end)
        *reinterpret_cast<float4*>(map + pixel) =
            make_float4(unscale * v0, unscale * v1, unscale * v2, unscale * v3);
    };
    if (first) put(at, sum[0][r][0], sum[0][r][1], sum[0][r][2], sum[0][r][3]);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      float v[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float next = i + 1 < kCount ? sum[i + 1][r][j] : 0.0f;
        v[j] = __shfl_sync(~0u, first ? next : sum[i][r][j], from);
      }
      if (i + 1 < kCount || !inside || t < 3)
        put(at + 16 * i + 4 * t + (inside ? 4 : 0), v[0], v[1], v[2], v[3]);
    }
  }
}

/// How many blocks of a kernel the device holds at once: the grid of a kernel whose blocks loop.
template <class Kernel>
int resident_blocks(Kernel* kernel, int threads, std::size_t shared_bytes) {
  int device = 0, processors = 0, each = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, shared_bytes));
  return processors * (each < 1 ? 1 : each);
}

}  // namespace opgrade::kernels
