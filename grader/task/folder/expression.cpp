#include "grader/task/folder/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <stdexcept>

namespace opgrade {
namespace {

using Number = std::int64_t;

/// More than any extent needs, and far less than the stack allows.
constexpr int kMostNested = 50;

class Parser {
 public:
  Parser(std::string_view text, const Coordinates& sizes) : text_(text), sizes_(sizes) {}

  Number whole() {
    const Number value = comparison();
    if (!at_end()) fail(fmt::format("'{}' is not expected there", text_.substr(at_)));
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::invalid_argument(fmt::format("in '{}': {}", text_, why));
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  void expect(std::string_view sign) {
    if (!take(sign)) fail(fmt::format("'{}' is missing", sign));
  }

  Number comparison() {
    const Number left = sum();
    if (take("==")) return left == sum();
    if (take("!=")) return left != sum();
    if (take("<=")) return left <= sum();
    if (take(">=")) return left >= sum();
    if (take("<")) return left < sum();
    if (take(">")) return left > sum();
    return left;
  }

  Number sum() {
    Number value = product();
    for (;;) {
      if (take("+")) {
        if (__builtin_add_overflow(value, product(), &value)) too_large();
      } else if (take("-")) {
        if (__builtin_sub_overflow(value, product(), &value)) too_large();
      } else {
        return value;
      }
    }
  }

  Number product() {
    Number value = factor();
    for (;;) {
      if (take("*")) {
        if (__builtin_mul_overflow(value, factor(), &value)) too_large();
      } else if (take("/")) {
        value /= divisor(value);
      } else if (take("%")) {
        value %= divisor(value);
      } else {
        return value;
      }
    }
  }

  Number divisor(Number of) {
    const Number value = factor();
    if (value == 0) fail("division by zero");
    if (value == -1 && of == std::numeric_limits<Number>::min()) too_large();
    return value;
  }

  Number factor() {
    if (++nested_ > kMostNested) fail("it is nested too deeply");
    skip_blanks();
    Number value = 0;
    if (take("(")) {
      value = comparison();
      expect(")");
    } else if (take("-")) {
      if (__builtin_sub_overflow(Number{0}, factor(), &value)) too_large();
    } else if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      const auto end = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (end.ec != std::errc()) too_large();
      at_ = static_cast<std::size_t>(end.ptr - text_.data());
    } else {
      value = named(name());
    }
    --nested_;
    return value;
  }

  std::string_view name() {
    const auto begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    if (at_ == begin) fail("a number or the name of a size is missing");
    return text_.substr(begin, at_ - begin);
  }

  Number named(std::string_view word) {
    if (take("(")) {
      if (word == "pow2_ceil") return power_of_two();
      if (word != "min" && word != "max" && word != "ceil_div")
        fail(fmt::format("there is no function '{}'", word));
      const Number first = comparison();
      expect(",");
      const Number second = comparison();
      expect(")");
      if (word == "min") return std::min(first, second);
      if (word == "max") return std::max(first, second);
      if (second == 0) fail("division by zero");
      if (second == -1 && first == std::numeric_limits<Number>::min()) too_large();
      return first / second + (first % second != 0 ? 1 : 0);
    }
    const auto found = std::ranges::find(sizes_, word, &Coordinate::name);
    if (found == sizes_.end()) fail(fmt::format("'{}' is no size of the task", word));
    return found->value;
  }

  /// Parses the rest of `pow2_ceil(`: the smallest power of two that is not below the argument.
  Number power_of_two() {
    const Number least = comparison();
    expect(")");
    Number power = 1;
    while (power < least)
      if (__builtin_mul_overflow(power, 2, &power)) too_large();
    return power;
  }

  [[noreturn]] void too_large() const { fail("a number does not fit in 64 bits"); }

  std::string_view text_;
  const Coordinates& sizes_;
  std::size_t at_ = 0;
  int nested_ = 0;
};

}  // namespace

std::int64_t evaluate(std::string_view expression, const Coordinates& sizes) {
  return Parser(expression, sizes).whole();
}

}  // namespace opgrade
