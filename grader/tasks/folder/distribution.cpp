#include "grader/tasks/folder/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numbers>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "grader/task/random_values.hpp"
#include "grader/tasks/folder/expression.hpp"

namespace opgrade {
namespace {

struct Known {
  std::string_view name;
  int arguments;
};
/// In the order of Distribution::Kind.
constexpr std::array kKnown{
    Known{"random", 0},     Known{"uniform", 2},  Known{"normal", 2},  Known{"integers", 2},
    Known{"sorted", 2},     Known{"falling", 2},  Known{"offsets", 1}, Known{"permutation", 0},
    Known{"count_from", 1}, Known{"constant", 1},
};

/// 53 random bits of [0, 1).
double unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

double whole_between(double low, double high, std::mt19937_64& random) {
  return low + std::min(std::floor(unit(random) * (high - low + 1)), high - low);
}

/// By Box and Muller: the library's generator differs between machines.
double standard_normal(std::mt19937_64& random) {
  const double radius = std::sqrt(-2 * std::log(1 - unit(random)));
  return radius * std::cos(2 * std::numbers::pi * unit(random));
}

double number_of(const std::string& text, const Coordinates& sizes) {
  // An expression is of whole numbers: a point or an exponent makes a plain number of it.
  std::size_t used = 0;
  try {
    const double value = std::stod(text, &used);
    if (text.find_first_not_of(' ', used) == text.npos && std::isfinite(value)) return value;
  } catch (const std::exception&) {
  }
  return static_cast<double>(evaluate(text, sizes));
}

/// What stands between the outer parentheses, cut at the commas outside of inner ones.
std::vector<std::string> arguments_of(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// The upper half of a float32.
struct Bfloat {
  std::uint16_t bits = 0;

  Bfloat() = default;
  explicit Bfloat(double value) {
    const auto whole = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    bits = static_cast<std::uint16_t>((whole + 0x7fff + (whole >> 16 & 1)) >> 16);
  }
  explicit operator double() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

/// Calls `visit` with a value of the C++ type.
auto with_type(const ElementType& type, auto visit) {
  using enum ElementType::Id;
  switch (type.id) {
    case f32:
      return visit(float{});
    case f64:
      return visit(double{});
    case f16:
      return visit(_Float16{});
    case bf16:
      return visit(Bfloat{});
    case i8:
      return visit(std::int8_t{});
    case u8:
      return visit(std::uint8_t{});
    case i16:
      return visit(std::int16_t{});
    case u16:
      return visit(std::uint16_t{});
    case i32:
      return visit(std::int32_t{});
    case u32:
      return visit(std::uint32_t{});
    case i64:
      return visit(std::int64_t{});
    case u64:
      break;
  }
  return visit(std::uint64_t{});
}

template <class T>
T at(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

}  // namespace

void store(std::span<const double> values, const ElementType& type, std::span<std::byte> bytes) {
  with_type(type, [&](auto of) {
    using T = decltype(of);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const T value = static_cast<T>(values[i]);
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
}

double load(const ElementType& type, const std::byte* element) {
  return with_type(type, [&](auto of) { return static_cast<double>(at<decltype(of)>(element)); });
}

std::int64_t load_whole(const ElementType& type, const std::byte* element) {
  return with_type(type, [&](auto of) -> std::int64_t {
    using T = decltype(of);
    if constexpr (std::is_integral_v<T>) {
      return static_cast<std::int64_t>(at<T>(element));
    } else {
      return 0;
    }
  });
}

Distribution::Distribution(std::string_view text, const Coordinates& sizes, const ElementType& type)
    : type_(type) {
  const auto open = text.find('(');
  auto name = text.substr(0, open);
  while (name.ends_with(' ')) name.remove_suffix(1);
  const auto known = std::ranges::find(kKnown, name, &Known::name);
  if (known == kKnown.end()) {
    std::string all;
    for (const auto& one : kKnown) all += fmt::format("{}{}", all.empty() ? "" : ", ", one.name);
    throw std::invalid_argument(fmt::format("there are no values '{}'; known are {}", text, all));
  }
  kind_ = static_cast<Kind>(known - kKnown.begin());
  std::vector<std::string> arguments;
  if (open != text.npos) {
    const auto close = text.rfind(')');
    if (close == text.npos || close < open || close + 1 != text.size())
      throw std::invalid_argument(fmt::format("in '{}': ')' is missing", text));
    arguments = arguments_of(text.substr(open + 1, close - open - 1));
  }
  if (static_cast<int>(arguments.size()) != known->arguments)
    throw std::invalid_argument(
        fmt::format("'{}' takes {} arguments, not {}", name, known->arguments, arguments.size()));
  if (!arguments.empty()) first_ = number_of(arguments[0], sizes);
  if (arguments.size() > 1) second_ = number_of(arguments[1], sizes);
  if (kind_ == Kind::random && !type_.floating) {
    kind_ = Kind::integers;
    first_ = type_.lowest < 0 ? -100 : 0;
    second_ = type_.lowest < 0 ? 100 : 255;
  }
  if (arguments.size() > 1 && kind_ != Kind::normal && second_ < first_)
    throw std::invalid_argument(fmt::format("'{}' goes from {} to {}", text, first_, second_));
  const auto fits = [&](double value) {
    return type_.floating || (value >= type_.lowest && value <= type_.largest);
  };
  if (!fits(first_) || !fits(second_))
    throw std::invalid_argument(fmt::format("'{}' is beyond what {} holds", text, type_.c_name));
}

std::vector<double> Distribution::values(std::size_t count, std::mt19937_64& random) const {
  std::vector<double> values(count);
  switch (kind_) {
    case Kind::random: {
      std::vector<float> floats(count);
      fill_random(floats, random);
      std::ranges::copy(floats, values.begin());
      break;
    }
    case Kind::uniform:
      for (double& value : values) value = first_ + unit(random) * (second_ - first_);
      break;
    case Kind::normal:
      for (double& value : values) value = first_ + second_ * standard_normal(random);
      break;
    case Kind::integers:
    case Kind::sorted:
    case Kind::falling:
      for (double& value : values) value = whole_between(first_, second_, random);
      if (kind_ == Kind::sorted) std::ranges::sort(values);
      if (kind_ == Kind::falling) std::ranges::sort(values, std::greater());
      break;
    case Kind::offsets:
      for (double& value : values) value = whole_between(0, first_, random);
      std::ranges::sort(values);
      if (!values.empty()) values.front() = 0;
      if (values.size() > 1) values.back() = first_;
      break;
    case Kind::permutation:
      for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
      for (std::size_t i = count; i > 1; --i)
        std::swap(values[i - 1],
                  values[static_cast<std::size_t>(unit(random) * static_cast<double>(i))]);
      break;
    case Kind::count_from:
      for (std::size_t i = 0; i < count; ++i) values[i] = first_ + static_cast<double>(i);
      break;
    case Kind::constant:
      std::ranges::fill(values, first_);
      break;
  }
  return values;
}

void Distribution::fill(std::span<std::byte> bytes, std::mt19937_64& random) const {
  store(values(bytes.size() / type_.bytes, random), type_, bytes);
}

}  // namespace opgrade
