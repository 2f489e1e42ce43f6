#include "grader/task/folder/struct_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "grader/base/core/cpp_tokens.hpp"

namespace opgrade {
namespace {

/// A struct with more numbers is a mistake, such as an array that should be a buffer of its own.
constexpr std::size_t kMostFields = 256;

std::size_t rounded_up(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

bool is_word(std::string_view token) {
  const char first = token.front();
  return first == '_' || (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
}

std::optional<std::size_t> number_in(std::string_view token) {
  std::size_t value = 0;
  const auto [end, failed] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (failed != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return value;
}

/// The fields of a struct for one type.
struct Part {
  std::vector<StructField> fields;
  std::size_t bytes = 0, alignment = 1;
};

Part part_of(const ValueType& value) {
  const auto count = static_cast<std::size_t>(value.components);
  Part part{.bytes = value.type->bytes * count};
  // CUDA's vectors of three have the alignment of one number.
  part.alignment = count == 3 ? value.type->bytes : part.bytes;
  for (std::size_t i = 0; i < count; ++i)
    part.fields.push_back({count > 1 ? fmt::format(".{}", kComponentNames[i]) : "", value.type,
                           i * value.type->bytes});
  return part;
}

using Words = std::span<const std::string_view>;

/// Reads the structs of a header one after another.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view header) {
    for (const CppToken& token : cpp_tokens(header))
      if (const auto text = token.in(header); !text.starts_with('#')) words_.push_back(text);
  }

  struct Found {
    StructType type;
    std::string refusal;
  };

  std::vector<Found> read() {
    std::vector<std::string> scopes;  // of open braces; empty for one that opens no namespace
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] == "struct") {
        i = read_struct(i, joined(scopes));
      } else if (words_[i] == "namespace") {
        const auto open = find(i, "{");
        std::string name;
        for (std::size_t k = i + 1; k < open; ++k) name += words_[k];
        scopes.push_back(name);
        i = open;
      } else if (words_[i] == "{") {
        scopes.emplace_back();
      } else if (words_[i] == "}" && !scopes.empty()) {
        scopes.pop_back();
      }
    }
    return std::move(found_);
  }

 private:
  static std::string joined(const std::vector<std::string>& scopes) {
    std::string text;
    for (const auto& scope : scopes)
      if (!scope.empty()) text += scope + "::";
    return text;
  }

  std::size_t find(std::size_t from, std::string_view word) const {
    return static_cast<std::size_t>(
        std::find(words_.begin() + static_cast<std::ptrdiff_t>(from), words_.end(), word) -
        words_.begin());
  }

  std::size_t end_of_braces(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < words_.size(); ++i) {
      depth += words_[i] == "{" ? 1 : words_[i] == "}" ? -1 : 0;
      if (depth == 0) return i;
    }
    return words_.size();
  }

  /// Returns the index of the last word that belongs to the struct.
  std::size_t read_struct(std::size_t at, const std::string& scope) {
    const bool is_typedef = at > 0 && words_[at - 1] == "typedef";
    Found one;
    std::size_t i = at + 1;
    for (; i < words_.size() && words_[i] != "{" && words_[i] != ";" && words_[i] != ":"; ++i) {
      if (words_[i] == "(" && i + 1 < words_.size()) {
        one.type.alignment = number_in(words_[i + 1]).value_or(0);
      } else if (words_[i] == "*" || words_[i] == "&" || words_[i] == ",") {
        return i;  // a parameter such as `struct A* a`
      } else if (is_word(words_[i]) && words_[i] != "alignas" && words_[i] != "__align__" &&
                 words_[i] != "final") {
        one.type.name = scope + std::string(words_[i]);
      }
    }
    if (i >= words_.size() || words_[i] == ";") return i;  // a declaration without a body
    const std::size_t open = find(i, "{"), close = end_of_braces(open);
    if (close == words_.size()) return close;
    if (is_typedef && close + 1 < words_.size() && is_word(words_[close + 1]))
      one.type.name = scope + std::string(words_[close + 1]);
    try {
      if (words_[i] == ":") throw std::invalid_argument("it has a base class");
      if (one.type.alignment == 0) throw std::invalid_argument("its alignment is no number");
      read_fields(Words(words_).subspan(open + 1, close - open - 1), scope, one.type);
    } catch (const std::invalid_argument& e) {
      one.refusal = e.what();
    }
    if (!one.type.name.empty()) found_.push_back(std::move(one));
    return close;
  }

  void read_fields(Words body, const std::string& scope, StructType& type) const {
    for (const std::string_view token : {"(", "{", "<", "*", "&", "=", ":", "static", "const"}) {
      const auto at = std::ranges::find(body, token);
      if (at == body.end()) continue;
      // Two colons belong to the name of a struct in a namespace.
      if (token == ":" && at + 1 != body.end() && *(at + 1) == ":") continue;
      throw std::invalid_argument(
          fmt::format("'{}' stands in it: a task's struct has fields such as `float x, y;` and "
                      "`float colour[3];` alone",
                      token));
    }
    while (!body.empty()) {
      const auto end = static_cast<std::size_t>(std::ranges::find(body, ";") - body.begin());
      if (end > 0) add_fields(body.first(end), scope, type);
      body = body.subspan(std::min(end + 1, body.size()));
    }
    if (type.fields.empty()) throw std::invalid_argument("it has no fields");
    type.bytes = rounded_up(type.bytes, type.alignment);
  }

  /// Adds the fields of a statement such as `float x, y[3]`.
  void add_fields(Words statement, const std::string& scope, StructType& type) const {
    const auto first_end = static_cast<std::size_t>(
        std::ranges::find_if(statement, [](auto word) { return word == "," || word == "["; }) -
        statement.begin());
    if (first_end < 2)
      throw std::invalid_argument(fmt::format("'{}' is no field", statement.front()));
    std::string spelled;
    for (const std::string_view word : statement.first(first_end - 1))
      if (word != "struct")
        spelled += (spelled.empty() || !is_word(word) || spelled.back() == ':' ? "" : " ") +
                   std::string(word);
    const Part part = find_part(spelled, scope);
    Words rest = statement.subspan(first_end - 1);
    while (!rest.empty()) {
      const auto end = static_cast<std::size_t>(std::ranges::find(rest, ",") - rest.begin());
      add_field(rest.first(end), part, type);
      rest = rest.subspan(std::min(end + 1, rest.size()));
    }
  }

  [[noreturn]] static void refuse_length() {
    throw std::invalid_argument(
        fmt::format("it has more than {} numbers: give them a buffer of their own", kMostFields));
  }

  /// Adds one field such as `y[3]`.
  static void add_field(Words declared, const Part& part, StructType& type) {
    if (declared.empty() || !is_word(declared.front()))
      throw std::invalid_argument("a field has no name");
    std::vector<std::size_t> extents;
    for (std::size_t i = 1; i < declared.size(); i += 3) {
      const auto extent = i + 2 < declared.size() && declared[i] == "[" && declared[i + 2] == "]"
                              ? number_in(declared[i + 1])
                              : std::nullopt;
      if (!extent || *extent == 0 || *extent > kMostFields)
        throw std::invalid_argument(
            fmt::format("the length of '{}' is no number from 1 to {}, such as 3", declared.front(),
                        kMostFields));
      extents.push_back(*extent);
    }
    type.alignment = std::max(type.alignment, part.alignment);
    type.bytes = rounded_up(type.bytes, part.alignment);
    std::vector<std::string> names{std::string(declared.front())};
    for (const std::size_t extent : extents) {
      std::vector<std::string> longer;
      for (const auto& name : names)
        for (std::size_t i = 0; i < extent; ++i) longer.push_back(fmt::format("{}[{}]", name, i));
      names = std::move(longer);
      if (type.fields.size() + names.size() * part.fields.size() > kMostFields) refuse_length();
    }
    if (type.fields.size() + part.fields.size() > kMostFields) refuse_length();
    for (const auto& name : names) {
      for (const StructField& field : part.fields)
        type.fields.push_back({name + field.name, field.type, type.bytes + field.offset});
      type.bytes += part.bytes;
    }
  }

  Part find_part(const std::string& spelled, const std::string& scope) const {
    if (const ValueType value = find_value_type(spelled)) return part_of(value);
    for (const auto& name : {scope + spelled, spelled}) {
      const auto known = std::ranges::find(
          found_, name, [](const Found& one) -> const auto& { return one.type.name; });
      if (known == found_.end()) continue;
      if (!known->refusal.empty())
        throw std::invalid_argument(fmt::format("in '{}': {}", spelled, known->refusal));
      Part part{.bytes = known->type.bytes, .alignment = known->type.alignment};
      for (const StructField& field : known->type.fields)
        part.fields.push_back({"." + field.name, field.type, field.offset});
      return part;
    }
    throw std::invalid_argument(fmt::format(
        "a field has the type '{}': known are numbers, CUDA's vector types and earlier structs",
        spelled));
  }

  std::vector<std::string_view> words_;
  std::vector<Found> found_;
};

}  // namespace

StructTypes::StructTypes(std::string_view header) {
  for (auto& [type, refusal] : HeaderReader(header).read())
    all_.push_back({std::make_shared<const StructType>(std::move(type)), std::move(refusal)});
}

std::shared_ptr<const StructType> StructTypes::find(std::string_view name) const {
  const auto found = std::ranges::find(
      all_, name, [](const Declared& one) { return std::string_view(one.type->name); });
  if (found == all_.end()) return nullptr;
  if (!found->refusal.empty())
    throw std::invalid_argument(
        fmt::format("the struct {} of types.h cannot be the data of a "
                    "task: {}",
                    name, found->refusal));
  return found->type;
}

std::vector<std::string> cuda_types_in(std::string_view header) {
  std::vector<std::string> names;
  for (const CppToken& token : cpp_tokens(header)) {
    const std::string name(token.in(header));
    const ValueType value = find_value_type(name);
    if (value && (value.components > 1 || value.type->narrow()) &&
        std::ranges::find(names, name) == names.end())
      names.push_back(name);
  }
  return names;
}

std::vector<std::byte> column_of(std::span<const std::byte> structs, const StructType& type,
                                 const StructField& field) {
  const std::size_t count = structs.size() / type.bytes, bytes = field.type->bytes;
  std::vector<std::byte> column(count * bytes);
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(column.data() + i * bytes, structs.data() + i * type.bytes + field.offset, bytes);
  return column;
}

void set_column(std::span<std::byte> structs, const StructType& type, const StructField& field,
                std::span<const std::byte> column) {
  const std::size_t count = structs.size() / type.bytes, bytes = field.type->bytes;
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(structs.data() + i * type.bytes + field.offset, column.data() + i * bytes, bytes);
}

std::string layout_proof(const StructType& type) {
  constexpr const char* kWhy = "opgrade and the compiler must agree on this struct of types.h";
  std::string text =
      fmt::format("static_assert(sizeof({0}) == {1} && alignof({0}) == {2}, \"{3}\");\n", type.name,
                  type.bytes, type.alignment, kWhy);
  for (const StructField& field : type.fields)
    text += fmt::format("static_assert(__builtin_offsetof({}, {}) == {}, \"{}\");\n", type.name,
                        field.name, field.offset, kWhy);
  return text;
}

}  // namespace opgrade
