/* Numbers that may differ a little. */
#pragma once

#include <math.h>
#include <string.h>

#include "types.h"

inline wbBool _almostEqual(double a, double b, double most = 0.2) { return fabs(a - b) <= most; }

/// Returns -1, 0 or 1.
template <class T>
int wbCompare(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}
inline int wbCompare(double a, double b) { return _almostEqual(a, b) ? 0 : a < b ? -1 : 1; }
inline int wbCompare(float a, float b) {
  return wbCompare(static_cast<double>(a), static_cast<double>(b));
}
template <class T>
wbBool wbEqualQ(const T& a, const T& b) {
  return wbCompare(a, b) == 0;
}
template <class T>
wbBool wbUnequalQ(const T& a, const T& b) {
  return !wbEqualQ(a, b);
}
template <class T>
wbBool wbEqualQ(const T* a, const T* b, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (wbUnequalQ(a[i], b[i])) return wbFalse;
  return wbTrue;
}
template <class T>
wbBool wbUnequalQ(const T* a, const T* b, size_t n) {
  return !wbEqualQ(a, b, n);
}
