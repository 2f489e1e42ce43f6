// The functions that -fsanitize=alignment,bounds,integer-divide-by-zero calls if a check in the
// submission's code fails.
#include <cstdint>
#include <string>

#include "grader/emulation/runtime/check/context.hpp"
#include "grader/emulation/runtime/fault.hpp"

namespace {

struct SourceLocation {
  const char* file;
  std::uint32_t line, column;
};
struct TypeDescriptor {
  std::uint16_t kind, info;
  char name[1];  // in quotes; as long as the name
};
struct TypeMismatch {
  SourceLocation location;
  const TypeDescriptor* type;
  unsigned char log_alignment, what;
};
struct OutOfBounds {
  SourceLocation location;
  const TypeDescriptor* array;
  const TypeDescriptor* index;
};

}  // namespace

using namespace opgrade_emulation;

extern "C" {

void __ubsan_handle_type_mismatch_v1(TypeMismatch* data, void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::uintptr_t alignment = std::uintptr_t{1} << data->log_alignment;
  if (!in_kernel || address == 0 || address % alignment == 0) return;
  report_access("misaligned", address, static_cast<unsigned>(alignment), Access::read,
                __builtin_return_address(0),
                std::string("The thread uses a ") + data->type->name +
                    " at an address that is no multiple of " + std::to_string(alignment) +
                    " (it is " + std::to_string(address % alignment) +
                    " more); a GPU stops the kernel with \"misaligned address\".");
}

void __ubsan_handle_out_of_bounds(OutOfBounds* data, void* index) {
  if (!in_kernel) return;
  const auto value = reinterpret_cast<std::intptr_t>(index);
  report_access("index_out_of_range", 0, 0, Access::read, __builtin_return_address(0),
                "Index " + std::to_string(value) + " is outside of an array of type " +
                    data->array->name +
                    ": it means an element of the next row, or memory behind the array.");
}

void __ubsan_handle_divrem_overflow(void*, void*, void*) {
  stop_division(__builtin_return_address(0));
}

void __ubsan_handle_type_mismatch_v1_abort(TypeMismatch* data, void* pointer) {
  __ubsan_handle_type_mismatch_v1(data, pointer);
}
void __ubsan_handle_out_of_bounds_abort(OutOfBounds* data, void* index) {
  __ubsan_handle_out_of_bounds(data, index);
}
void __ubsan_handle_divrem_overflow_abort(void*, void*, void*) {
  stop_division(__builtin_return_address(0));
}
}
