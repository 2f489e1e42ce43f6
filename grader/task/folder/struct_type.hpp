/// The structs of a task's types.h, with the layout of a compiler.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/element_type.hpp"

namespace opgrade {

/// One number of a struct: "mass", "position.x", "colour[2]".
struct StructField {
  std::string name;
  const ElementType* type = nullptr;
  std::size_t offset = 0;
};

struct StructType {
  std::string name;
  std::vector<StructField> fields;  ///< in the order of their declaration
  std::size_t bytes = 0, alignment = 1;
};

/// The structs of a header, in their order. A struct that holds anything but numbers, vectors,
/// earlier structs and arrays of them has a reason instead of fields.
class StructTypes {
 public:
  StructTypes() = default;
  explicit StructTypes(std::string_view header);

  /// Null if there is no struct of that name. Throws std::invalid_argument with the reason if the
  /// struct cannot be a task's data.
  std::shared_ptr<const StructType> find(std::string_view name) const;

 private:
  struct Declared {
    std::shared_ptr<const StructType> type;
    std::string refusal;
  };
  std::vector<Declared> all_;
};

/// The names of vector types, half and __nv_bfloat16 that a header uses.
std::vector<std::string> cuda_types_in(std::string_view header);

/// The values of one field of all structs, one after another. Bytes between fields belong to no
/// field.
std::vector<std::byte> column_of(std::span<const std::byte> structs, const StructType& type,
                                 const StructField& field);
void set_column(std::span<std::byte> structs, const StructType& type, const StructField& field,
                std::span<const std::byte> column);

/// Declarations that fail to compile if a compiler uses another layout for the struct.
std::string layout_proof(const StructType& type);

}  // namespace opgrade
