#include "grader/base/core/element_type.hpp"

#include <algorithm>

namespace opgrade {

const ElementType* find_element_type(std::string_view name) {
  const auto alias = std::ranges::find(kTypeAliases, name, &TypeAlias::name);
  if (alias != kTypeAliases.end()) name = alias->stands_for;
  const auto found = std::ranges::find(kElementTypes, name, &ElementType::c_name);
  return found != kElementTypes.end() ? &*found : nullptr;
}

ValueType find_value_type(std::string_view name) {
  if (const ElementType* const one = find_element_type(name)) return {one};
  if (name.empty() || name.back() < '2' || name.back() > '4') return {};
  const auto known =
      std::ranges::find(kVectorTypes, name.substr(0, name.size() - 1), &VectorType::stem);
  if (known == kVectorTypes.end()) return {};
  const ElementType& type = element_type(known->id);
  const int components = name.back() - '0';
  if (type.bytes * static_cast<std::size_t>(components) > kMostVectorBytes) return {};
  return {&type, components};
}

}  // namespace opgrade
