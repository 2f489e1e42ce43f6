#include "grader/authoring/mutants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "grader/base/core/cpp_tokens.hpp"
#include "grader/task/folder/adapter_text.hpp"

namespace opgrade {
namespace {

class Mutator {
 public:
  explicit Mutator(const std::string& source) : source_(source), tokens_(cpp_tokens(source)) {}

  std::vector<WrongSource> all() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      drop_barrier(i);
      drop_pragma(i);
      move_bound(i);
      drop_one(i);
      start_later(i);
      store_last(i);
      make_plain(i);
      swap_index(i);
      loosen(i);
    }
    return std::move(mutants_);
  }

 private:
  /// The line without its indent.
  static std::string_view line_at(std::string_view text, std::size_t place) {
    const auto begin = place == 0 ? 0 : text.rfind('\n', place - 1) + 1;
    const auto line = text.substr(begin, text.find('\n', place) - begin);
    return line.substr(std::min(line.find_first_not_of(' '), line.size()));
  }

  std::string_view at(std::size_t i) const {
    if (i >= tokens_.size()) return {};
    return tokens_[i].in(source_);
  }
  std::string_view before(std::size_t i) const { return i > 0 ? at(i - 1) : std::string_view(); }

  /// Replaces the tokens from `first` to `last` by `text`.
  void replace(std::size_t first, std::size_t last, std::string_view text, std::string what) {
    const auto begin = tokens_[first].begin;
    const auto end = tokens_[last].begin + tokens_[last].size;
    std::string mutated = source_.substr(0, begin);
    mutated += text;
    mutated += source_.substr(end);
    mutants_.push_back(
        {fmt::format("line {}: {}: {}", tokens_[first].line, what, line_at(mutated, begin)),
         std::move(mutated)});
  }

  void drop_barrier(std::size_t i) {
    if ((at(i) == "__syncthreads" || at(i) == "__syncwarp") && at(i + 1) == "(" && at(i + 2) == ")")
      replace(i, i + 2, "", fmt::format("without {}()", at(i)));
  }

  /// Drops OpenMP directives that synchronise threads.
  void drop_pragma(std::size_t i) {
    if (!at(i).starts_with("#pragma omp")) return;
    for (const std::string_view word : {" barrier", " atomic", " critical", " reduction("}) {
      std::string text(at(i));
      const auto begin = text.find(word);
      if (begin == text.npos) continue;
      word.ends_with('(') ? text.erase(begin, text.find(')', begin) + 1 - begin) : text.erase();
      return replace(i, i, text, fmt::format("without{}", word.substr(0, word.find('('))));
    }
  }

  /// Skips the angle brackets of templates and casts, which follow a word that is not a value.
  void move_bound(std::size_t i) {
    const auto previous = before(i);
    if (previous == "template" || previous.ends_with("_cast") || previous == "numeric_limits" ||
        previous == "vector" || previous == "array")
      return;
    for (const auto& [sign, other] :
         {std::pair("<", "<="), std::pair("<=", "<"), std::pair(">", ">="), std::pair(">=", ">")})
      if (at(i) == sign) replace(i, i, other, fmt::format("{} for {}", other, sign));
  }

  void drop_one(std::size_t i) {
    if ((at(i) == "+" || at(i) == "-") && at(i + 1) == "1")
      replace(i, i + 1, "", fmt::format("without {} 1", at(i)));
  }

  void start_later(std::size_t i) {
    if (at(i) == "=" && at(i + 1) == "0" && at(i + 2) == ";")
      replace(i + 1, i + 1, "1", "from 1 on");
  }

  void store_last(std::size_t i) {
    if (at(i) == "+=") replace(i, i, "=", "= for +=");
  }

  /// Turns atomicAdd(place, value) into *(place) += value.
  void make_plain(std::size_t i) {
    if (at(i) != "atomicAdd" || at(i + 1) != "(") return;
    int depth = 0;
    std::optional<std::size_t> comma;
    for (std::size_t j = i + 1; j < tokens_.size(); ++j) {
      if (at(j) == "(" || at(j) == "[") ++depth;
      if (at(j) == ")" || at(j) == "]") --depth;
      if (at(j) == "," && depth == 1 && !comma) comma = j;
      if (depth > 0) continue;
      if (!comma) return;
      const auto text = [&](std::size_t first, std::size_t end) {
        return source_.substr(tokens_[first].begin, tokens_[end].begin - tokens_[first].begin);
      };
      return replace(i, j, fmt::format("*({}) += ({})", text(i + 2, *comma), text(*comma + 1, j)),
                     "a plain sum for atomicAdd");
    }
  }

  void swap_index(std::size_t i) {
    if (at(i) == "threadIdx" && at(i + 1) == "." && (at(i + 2) == "x" || at(i + 2) == "y"))
      replace(i + 2, i + 2, at(i + 2) == "x" ? "y" : "x", "threadIdx.x for .y or the reverse");
    if (at(i) == "blockIdx") replace(i, i, "threadIdx", "threadIdx for blockIdx");
  }

  void loosen(std::size_t i) {
    if (at(i) == "&&") replace(i, i, "||", "|| for &&");
  }

  const std::string& source_;
  std::vector<CppToken> tokens_;
  std::vector<WrongSource> mutants_;
};

/// True if the function can compute the number of elements, because it takes all sizes that the
/// extents name.
bool is_known(const TaskDescription& task, const BufferDescription& buffer) {
  Coordinates sizes;
  for (const auto& size : task.sizes)
    if (task.function.find(size.name) != nullptr) sizes.push_back({size.name, size.to});
  try {
    elements_of(buffer, sizes);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

/// A source that sets each output, from the input `from` unless it is null.
std::string source_of(const TaskDescription& task, Device device, const std::string& value,
                      const BufferDescription* from) {
  const bool kernel = device != Device::cpu && !task.host_pointers;
  std::string text = fmt::format("#include \"{}.h\"\n\n", task.name);
  text += "template <class To, class From>\n";
  text += kernel ? "__global__ void set(To* to, long long n, const From* from, long long m) {\n"
                   "  for (long long i = threadIdx.x; i < n; i += blockDim.x)\n"
                 : "void set(To* to, long long n, const From* from, long long m) {\n"
                   "  for (long long i = 0; i < n; ++i)\n";
  text += fmt::format(
      "    to[i] = from && i < m ? static_cast<To>(from[i]) : static_cast<To>({});\n}}\n\n", value);
  text += task.function.definition() + " {\n";
  text += kExpressionFunctions;
  for (const auto& buffer : task.buffers) {
    if (!buffer.is_checked() || buffer.name == kReturned || !is_known(task, buffer)) continue;
    // A struct is copied as bytes.
    const bool bytes = buffer.record || (from != nullptr && from->record);
    const std::string type(bytes ? "unsigned char" : buffer.type->c_name);
    if (buffer.scalar && buffer.record) {
      text +=
          fmt::format("  __builtin_memset(&{}, {}, sizeof {});\n", buffer.name, value, buffer.name);
      continue;
    }
    if (buffer.scalar) {
      for (int i = 0; i < buffer.components; ++i)
        text += fmt::format("  reinterpret_cast<{}*>(&{})[{}] = static_cast<{}>({});\n", type,
                            buffer.name, i, type, value);
      continue;
    }
    text += fmt::format("  set{}(reinterpret_cast<{}*>({}), {}, {}, {});\n",
                        kernel ? "<<<1, 256>>>" : "", type, buffer.name,
                        bytes ? bytes_text(buffer) : elements_text(buffer),
                        from != nullptr ? fmt::format("reinterpret_cast<const {}*>({})",
                                                      bytes ? type : from->type->c_name, from->name)
                                        : fmt::format("static_cast<const {}*>(nullptr)", type),
                        from == nullptr ? "0"
                        : bytes         ? bytes_text(*from)
                                        : elements_text(*from));
  }
  if (task.function.returns_record)
    text += "  return {};\n";
  else if (task.function.returns_components > 1)
    text +=
        fmt::format("  return {{static_cast<{}>({})}};\n", task.function.returns->c_name, value);
  else if (task.function.returns != nullptr)
    text += fmt::format("  return static_cast<{}>({});\n", task.function.returns_spelled, value);
  return text + "}\n";
}

std::string nothing(const TaskDescription& task) {
  return fmt::format("#include \"{}.h\"\n\n{} {{{}}}\n", task.name, task.function.definition(),
                     task.function.returns != nullptr ? " return {}; " : "");
}

}  // namespace

std::vector<WrongSource> mutants_of(const std::string& source) { return Mutator(source).all(); }

std::vector<WrongSource> guesses_at(const TaskDescription& task, Device device) {
  if (!task.program.empty())
    return {{"writes nothing", "#include <wb.h>\n\nint main() { return 0; }\n"}};
  std::vector<WrongSource> guesses{{"writes nothing", nothing(task)},
                                   {"writes zeros", source_of(task, device, "0", nullptr)},
                                   {"writes ones", source_of(task, device, "1", nullptr)}};
  for (const auto& buffer : task.buffers)
    if (buffer.role == BufferDescription::Role::in && !buffer.scalar && is_known(task, buffer))
      guesses.push_back({"copies " + buffer.name, source_of(task, device, "0", &buffer)});
  return guesses;
}

}  // namespace opgrade
