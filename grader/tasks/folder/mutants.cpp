#include "grader/tasks/folder/mutants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

namespace opgrade {
namespace {

struct Token {
  std::size_t begin = 0, size = 0;
  int line = 1;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Longer signs before those that they begin with.
constexpr std::array<std::string_view, 17> kSigns{"<<<", ">>>", "<<=", ">>=", "<<", ">>",
                                                  "<=",  ">=",  "==",  "!=",  "+=", "-=",
                                                  "*=",  "&&",  "||",  "++",  "--"};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> tokens() {
    while (at_ < text_.size()) {
      if (!skip()) take();
    }
    return std::move(tokens_);
  }

 private:
  bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }

  void move(std::size_t count) {
    const auto part = text_.substr(at_, count);
    line_ += static_cast<int>(std::ranges::count(part, '\n'));
    if (const auto last = part.rfind('\n'); last != part.npos) {
      first_of_line_ = part.find_first_not_of(" \t", last + 1) == part.npos;
    } else if (!part.empty() && !std::isspace(static_cast<unsigned char>(part.front()))) {
      first_of_line_ = false;
    }
    at_ += part.size();
  }

  /// Behind the next `end`.
  void move_behind(std::string_view end, std::size_t from) {
    const auto found = text_.find(end, at_ + from);
    move(found == text_.npos ? text_.size() - at_ : found + end.size() - at_);
  }

  bool skip() {
    if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
      move(1);
    } else if (starts("//") || (text_[at_] == '#' && first_of_line_)) {
      const auto end = text_.find('\n', at_);
      move(end == text_.npos ? text_.size() - at_ : end - at_);
    } else if (starts("/*")) {
      move_behind("*/", 2);
    } else if (text_[at_] == '"' || text_[at_] == '\'') {
      const char quote = text_[at_];
      std::size_t size = 1;
      while (at_ + size < text_.size() && text_[at_ + size] != quote)
        size += text_[at_ + size] == '\\' ? 2 : 1;
      move(size + 1);
    } else {
      return false;
    }
    return true;
  }

  void take() {
    std::size_t size = 1;
    if (is_word(text_[at_])) {
      while (at_ + size < text_.size() && is_word(text_[at_ + size])) ++size;
    } else if (const auto sign =
                   std::ranges::find_if(kSigns, [&](std::string_view one) { return starts(one); });
               sign != kSigns.end()) {
      size = sign->size();
    }
    tokens_.push_back({at_, size, line_});
    move(size);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool first_of_line_ = true;
  std::vector<Token> tokens_;
};

class Mutator {
 public:
  explicit Mutator(const std::string& source) : source_(source), tokens_(Lexer(source).tokens()) {}

  std::vector<Mutant> all() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      drop_barrier(i);
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
  std::string_view at(std::size_t i) const {
    if (i >= tokens_.size()) return {};
    return std::string_view(source_).substr(tokens_[i].begin, tokens_[i].size);
  }
  std::string_view before(std::size_t i) const { return i > 0 ? at(i - 1) : std::string_view(); }

  /// The tokens from `first` to `last` become `text`.
  void replace(std::size_t first, std::size_t last, std::string_view text, std::string what) {
    const auto begin = tokens_[first].begin;
    const auto end = tokens_[last].begin + tokens_[last].size;
    std::string mutated = source_.substr(0, begin);
    mutated += text;
    mutated += source_.substr(end);
    mutants_.push_back({fmt::format("line {}: {}", tokens_[first].line, what), std::move(mutated)});
  }

  void drop_barrier(std::size_t i) {
    if ((at(i) == "__syncthreads" || at(i) == "__syncwarp") && at(i + 1) == "(" && at(i + 2) == ")")
      replace(i, i + 2, "", fmt::format("without {}()", at(i)));
  }

  /// Brackets of templates and casts have a word in front that is no value.
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

  /// atomicAdd(place, value) as *(place) += value.
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
  std::vector<Token> tokens_;
  std::vector<Mutant> mutants_;
};

}  // namespace

std::vector<Mutant> mutants_of(const std::string& source) { return Mutator(source).all(); }

}  // namespace opgrade
