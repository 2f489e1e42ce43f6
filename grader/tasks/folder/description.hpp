/// What a task's folder says, as plain data. docs/new-task.md gives the YAML form of every key.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/core/coordinates.hpp"
#include "grader/tasks/folder/element_type.hpp"

namespace opgrade {

/// One parameter of the student's function.
struct Parameter {
  std::string name;
  const ElementType* type = nullptr;
  bool pointer = false;
  bool constant = false;
};

/// `void solve(const float* x, float* y, int n)`
struct Prototype {
  std::string text;
  std::string name;
  std::vector<Parameter> parameters;
};

/// Throws std::invalid_argument with the reason.
Prototype parse_prototype(const std::string& text);

struct SizeDescription {
  std::string name;
  int from = 1, to = 0;
  int random = 0;  ///< the largest of a random case
};

struct BufferDescription {
  enum class Role { in, out, inout, scratch };
  enum class Initial { poison, zero };  ///< what an output holds before the call

  std::string name;
  const ElementType* type = nullptr;
  Role role = Role::in;
  bool scalar = false;               ///< passed by value
  std::vector<std::string> extents;  ///< expressions of the sizes; none for a scalar
  std::string values = "random";     ///< of an input: see Distribution
  Initial initial = Initial::poison;
  std::optional<double> tolerance;  ///< of an output; the stage's for float, 0 for integers
};

struct TaskDescription {
  std::string name, title;
  std::filesystem::path folder;
  Prototype function;
  bool host_pointers = false;  ///< a GPU stage's function copies itself
  std::vector<SizeDescription> sizes;
  std::vector<std::string> constraints;    ///< expressions of the sizes, not 0 where they hold
  std::vector<BufferDescription> buffers;  ///< in the function's order
  std::string flops = "0";
};

/// The number of elements of a buffer; 1 for a scalar. Throws std::invalid_argument where an extent
/// is below 0 or their product beyond 2^40.
std::int64_t elements_of(const BufferDescription& buffer, const Coordinates& sizes);

/// Throws std::invalid_argument: each parameter is a size or has a buffer, names are C names and
/// unique, extents and values can be evaluated at the smallest and the largest sizes.
void check(const TaskDescription& task);

}  // namespace opgrade
