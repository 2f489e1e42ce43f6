// CUDA's vector types, with its sizes and alignments, their make functions, and dim3.
#pragma once

#define OPGRADE_VECTOR(name, type, align2, align4)                                       \
  struct name##1 {                                                                       \
    type x;                                                                              \
  };                                                                                     \
  struct __attribute__((aligned(align2))) name##2 {                                      \
    type x, y;                                                                           \
  };                                                                                     \
  struct name##3 {                                                                       \
    type x, y, z;                                                                        \
  };                                                                                     \
  struct __attribute__((aligned(align4))) name##4 {                                      \
    type x, y, z, w;                                                                     \
  };                                                                                     \
  constexpr name##1 make_##name##1(type x) { return name##1 {x}; }                       \
  constexpr name##2 make_##name##2(type x, type y) { return name##2 {x, y}; }            \
  constexpr name##3 make_##name##3(type x, type y, type z) { return name##3 {x, y, z}; } \
  constexpr name##4 make_##name##4(type x, type y, type z, type w) { return name##4 {x, y, z, w}; }

OPGRADE_VECTOR(char, signed char, 2, 4)
OPGRADE_VECTOR(uchar, unsigned char, 2, 4)
OPGRADE_VECTOR(short, short, 4, 8)
OPGRADE_VECTOR(ushort, unsigned short, 4, 8)
OPGRADE_VECTOR(int, int, 8, 16)
OPGRADE_VECTOR(uint, unsigned int, 8, 16)
OPGRADE_VECTOR(long, long, 16, 16)
OPGRADE_VECTOR(ulong, unsigned long, 16, 16)
OPGRADE_VECTOR(longlong, long long, 16, 16)
OPGRADE_VECTOR(ulonglong, unsigned long long, 16, 16)
OPGRADE_VECTOR(float, float, 8, 16)
OPGRADE_VECTOR(double, double, 16, 16)
#undef OPGRADE_VECTOR

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
