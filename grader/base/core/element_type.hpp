/// The types that the elements of a buffer may have.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace opgrade {

struct ElementType {
  /// stored_types.hpp lists them in the same order.
  enum class Id { f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64, b8 };

  Id id;
  std::string_view c_name;  ///< in the function's prototype
  std::size_t bytes;
  bool floating;
  double lowest, largest;  ///< of a whole number; 0 for floating types

  /// Code of staff gets these values as float.
  bool narrow() const { return floating && bytes == 2; }
  std::string_view staff_name() const { return narrow() ? "float" : c_name; }
};

inline constexpr std::array kElementTypes{
    ElementType{ElementType::Id::f32, "float", 4, true, 0, 0},
    ElementType{ElementType::Id::f64, "double", 8, true, 0, 0},
    ElementType{ElementType::Id::f16, "half", 2, true, 0, 0},
    ElementType{ElementType::Id::bf16, "__nv_bfloat16", 2, true, 0, 0},
    ElementType{ElementType::Id::i32, "int", 4, false, -2147483648.0, 2147483647.0},
    ElementType{ElementType::Id::u32, "unsigned int", 4, false, 0, 4294967295.0},
    ElementType{ElementType::Id::i64, "long long", 8, false, -9223372036854775808.0,
                9223372036854774784.0},
    ElementType{ElementType::Id::u64, "unsigned long long", 8, false, 0, 18446744073709549568.0},
    ElementType{ElementType::Id::i16, "short", 2, false, -32768, 32767},
    ElementType{ElementType::Id::u16, "unsigned short", 2, false, 0, 65535},
    ElementType{ElementType::Id::u8, "unsigned char", 1, false, 0, 255},
    ElementType{ElementType::Id::i8, "signed char", 1, false, -128, 127},
    ElementType{ElementType::Id::b8, "bool", 1, false, 0, 1},
};

/// Other names in C for the types of the table.
struct TypeAlias {
  std::string_view name, stands_for;
};
inline constexpr std::array kTypeAliases{
    TypeAlias{"int32_t", "int"},
    TypeAlias{"signed", "int"},
    TypeAlias{"signed int", "int"},
    TypeAlias{"unsigned", "unsigned int"},
    TypeAlias{"uint32_t", "unsigned int"},
    TypeAlias{"int64_t", "long long"},
    TypeAlias{"long", "long long"},
    TypeAlias{"uint64_t", "unsigned long long"},
    TypeAlias{"size_t", "unsigned long long"},
    TypeAlias{"unsigned long", "unsigned long long"},
    TypeAlias{"int16_t", "short"},
    TypeAlias{"uint16_t", "unsigned short"},
    TypeAlias{"uint8_t", "unsigned char"},
    TypeAlias{"int8_t", "signed char"},
    TypeAlias{"char", "signed char"},
    TypeAlias{"__half", "half"},
};

inline const ElementType& element_type(ElementType::Id id) {
  return *std::ranges::find(kElementTypes, id, &ElementType::id);
}

/// The type with this name in C; null for an unknown name. Aliases such as those of <cstdint> are
/// resolved.
const ElementType* find_element_type(std::string_view name);

/// CUDA's vector types: `uchar4` is four numbers, which lie one after another.
struct VectorType {
  std::string_view stem;  ///< of the name: "uchar" of "uchar4"
  ElementType::Id id;
};
inline constexpr std::array kVectorTypes{
    VectorType{"char", ElementType::Id::i8},      VectorType{"uchar", ElementType::Id::u8},
    VectorType{"short", ElementType::Id::i16},    VectorType{"ushort", ElementType::Id::u16},
    VectorType{"int", ElementType::Id::i32},      VectorType{"uint", ElementType::Id::u32},
    VectorType{"longlong", ElementType::Id::i64}, VectorType{"ulonglong", ElementType::Id::u64},
    VectorType{"float", ElementType::Id::f32},    VectorType{"double", ElementType::Id::f64},
};
/// Larger vector types have another alignment in later toolkits.
inline constexpr std::size_t kMostVectorBytes = 16;
inline constexpr std::string_view kComponentNames = "xyzw";

/// A number, or a vector of several numbers.
struct ValueType {
  const ElementType* type = nullptr;
  int components = 1;

  explicit operator bool() const { return type != nullptr; }
};
/// Converts to false if the name is unknown.
ValueType find_value_type(std::string_view name);

}  // namespace opgrade
