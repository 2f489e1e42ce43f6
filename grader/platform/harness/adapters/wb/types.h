/* Plain types, assertions and the words around a line of code. */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <string>

typedef bool wbBool;
typedef float wbReal_t;
typedef char wbChar_t;
#define wbTrue true
#define wbFalse false

enum wbType_t {
  wbType_unknown = -1,
  wbType_ascii = 1,
  wbType_bit8,
  wbType_ubit8,
  wbType_integer,
  wbType_float,
  wbType_double
};
#define wbType_real wbType_float

inline size_t wbType_size(wbType_t type) {
  switch (type) {
    case wbType_integer:
      return sizeof(int);
    case wbType_float:
      return sizeof(float);
    case wbType_double:
      return sizeof(double);
    default:
      return type == wbType_unknown ? 0 : 1;
  }
}

#define wbStmt(stmt) stmt
#define wbLine __LINE__
#define wbFile __FILE__
#define wbFunction __func__
#define wbExit() exit(1)

#ifdef WB_DEBUG
#define wbAssert(condition) assert(condition)
#define wbAssertMessage(message, condition) assert((condition) && (message))
#else
#define wbAssert(...) ((void)0)
#define wbAssertMessage(...) ((void)0)
#endif
#define wbTodo(message) wbAssertMessage(message, false)

namespace wb {

[[noreturn]] inline void fail(const std::string& what) {
  fprintf(stderr, "wb.h: %s\n", what.c_str());
  exit(1);
}

}  // namespace wb

/* There is one process. */
inline int rankCount() { return 1; }
inline int wbMPI_getRank() { return 0; }
