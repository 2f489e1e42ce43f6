#include "grader/tasks/folder/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>

#include "grader/tasks/folder/distribution.hpp"
#include "grader/tasks/folder/expression.hpp"

namespace opgrade {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

struct Alias {
  std::string_view name, stands_for;
};
constexpr std::array kAliases{
    Alias{"int32_t", "int"},           Alias{"signed", "int"},
    Alias{"signed int", "int"},        Alias{"unsigned", "unsigned int"},
    Alias{"uint32_t", "unsigned int"}, Alias{"int64_t", "long long"},
    Alias{"long", "long long"},        Alias{"uint8_t", "unsigned char"},
    Alias{"int8_t", "signed char"},
};

bool is_name(std::string_view text) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) &&
         std::ranges::all_of(text, fits);
}

/// The words and signs of a text.
std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> tokens;
  bool in_word = false;
  for (const char c : text) {
    const bool word = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (std::isspace(static_cast<unsigned char>(c))) {
      in_word = false;
    } else if (word && in_word) {
      tokens.back() += c;
    } else {
      tokens.emplace_back(1, c);
      in_word = word;
    }
  }
  return tokens;
}

Parameter parameter_of(std::vector<std::string> tokens) {
  if (tokens.size() < 2) throw std::invalid_argument("each parameter has a type and a name");
  Parameter parameter{.name = tokens.back()};
  tokens.pop_back();
  if (!is_name(parameter.name))
    throw std::invalid_argument(fmt::format("'{}' is no name of a parameter", parameter.name));
  std::erase(tokens, "__restrict__");
  if (!tokens.empty() && tokens.back() == "*") {
    parameter.pointer = true;
    tokens.pop_back();
  }
  parameter.constant = std::erase(tokens, "const") > 0;
  std::string type;
  for (const auto& word : tokens) type += (type.empty() ? "" : " ") + word;
  parameter.type = find_element_type(type);
  if (parameter.type == nullptr) {
    std::string known;
    for (const auto& one : kElementTypes)
      known += fmt::format("{}{}", known.empty() ? "" : ", ", one.c_name);
    throw std::invalid_argument(
        fmt::format("'{}' has the type '{}'; known are {}", parameter.name, type, known));
  }
  return parameter;
}

/// The smallest and the largest sizes.
std::vector<Coordinates> ends_of(const TaskDescription& task) {
  std::vector<Coordinates> ends(2);
  for (const auto& size : task.sizes) {
    ends[0].push_back({size.name, size.from});
    ends[1].push_back({size.name, size.to});
  }
  return ends;
}

}  // namespace

const ElementType* find_element_type(std::string_view name) {
  const auto alias = std::ranges::find(kAliases, name, &Alias::name);
  if (alias != kAliases.end()) name = alias->stands_for;
  const auto found = std::ranges::find(kElementTypes, name, &ElementType::c_name);
  return found != kElementTypes.end() ? &*found : nullptr;
}

Prototype parse_prototype(const std::string& text) {
  Prototype prototype{.text = text};
  while (prototype.text.ends_with(';') || prototype.text.ends_with(' ')) prototype.text.pop_back();
  const auto tokens = tokens_of(prototype.text);
  if (tokens.size() < 4 || tokens[0] != "void" || !is_name(tokens[1]) || tokens[2] != "(" ||
      tokens.back() != ")")
    throw std::invalid_argument("it must read as `void solve(const float* x, float* y, int n)`");
  prototype.name = tokens[1];
  std::vector<std::string> one;
  for (std::size_t i = 3; i < tokens.size(); ++i) {
    if (tokens[i] != "," && i + 1 < tokens.size()) {
      one.push_back(tokens[i]);
      continue;
    }
    prototype.parameters.push_back(parameter_of(one));
    one.clear();
  }
  return prototype;
}

std::int64_t elements_of(const BufferDescription& buffer, const Coordinates& sizes) {
  std::int64_t product = 1;
  for (const auto& extent : buffer.extents) {
    const auto value = evaluate(extent, sizes);
    if (value < 0)
      throw std::invalid_argument(fmt::format("'{}' has the extent {} = {} at {}", buffer.name,
                                              extent, value, text_of(sizes)));
    if (__builtin_mul_overflow(product, value, &product) || product > kMostElements)
      throw std::invalid_argument(
          fmt::format("'{}' has more than 2^40 elements at {}", buffer.name, text_of(sizes)));
  }
  return product;
}

void check(const TaskDescription& task) {
  const auto fail = [](const std::string& why) { throw std::invalid_argument(why); };
  std::set<std::string> names;
  for (const auto& parameter : task.function.parameters)
    if (!names.insert(parameter.name).second)
      fail(fmt::format("two parameters are named '{}'", parameter.name));
  for (const auto& size : task.sizes) {
    if (!is_name(size.name)) fail(fmt::format("'{}' is no name of a size", size.name));
    if (size.to < size.from)
      fail(fmt::format("'{}' goes from {} to {}", size.name, size.from, size.to));
  }
  bool writes = false;
  for (const auto& parameter : task.function.parameters) {
    const bool sized =
        std::ranges::find(task.sizes, parameter.name, &SizeDescription::name) != task.sizes.end();
    const auto buffer = std::ranges::find(task.buffers, parameter.name, &BufferDescription::name);
    if (sized && (parameter.pointer || parameter.type->floating))
      fail(fmt::format("'{}' is a size, so its type must be an integer", parameter.name));
    if (sized) continue;
    if (buffer == task.buffers.end())
      fail(fmt::format("'{}' is neither one of `sizes` nor one of `buffers`", parameter.name));
    using enum BufferDescription::Role;
    if (buffer->role != in && (!parameter.pointer || parameter.constant))
      fail(fmt::format("'{}' cannot be written: its type must be a pointer without const",
                       parameter.name));
    if (parameter.pointer && buffer->extents.empty())
      fail(fmt::format("'{}' needs `extents`, such as [n]", parameter.name));
    writes |= buffer->role == out || buffer->role == inout;
  }
  if (!writes) fail("no buffer is an output: give one `role: out` or `role: inout`");
  for (const auto& size : task.sizes)
    if (!names.contains(size.name))
      fail(fmt::format("the size '{}' is no parameter of the function", size.name));
  for (const auto& buffer : task.buffers)
    if (!names.contains(buffer.name))
      fail(fmt::format("'{}' is no parameter of the function", buffer.name));
  for (const auto& sizes : ends_of(task)) {
    for (const auto& buffer : task.buffers) {
      elements_of(buffer, sizes);
      Distribution(buffer.values, sizes, *buffer.type);
    }
    for (const auto& constraint : task.constraints) evaluate(constraint, sizes);
    evaluate(task.flops, sizes);
  }
}

}  // namespace opgrade
