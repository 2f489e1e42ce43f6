#include "grader/task/folder/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "grader/base/core/nearest.hpp"
#include "grader/base/core/parallel.hpp"
#include "grader/base/core/parallel_sort.hpp"
#include "grader/task/folder/expression.hpp"
#include "grader/task/folder/stored_types.hpp"
#include "grader/task/interface/random_values.hpp"

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

std::string unknown_values(const std::string& name) {
  if (name == kGenerated) return fmt::format("'{}' takes no arguments", name);
  std::set<std::string> all;
  std::string listed;
  for (const std::string_view one : known_values()) {
    all.emplace(one);
    listed += fmt::format("{}{}", listed.empty() ? "" : ", ", one);
  }
  return fmt::format("there are no values '{}'; known are {}{}", name, listed,
                     did_you_mean(name, all));
}

/// The arguments in messages, by their number.
constexpr std::array kArguments{"", "(a)", "(a, b)"};

/// Number of elements drawn at a time.
constexpr std::size_t kBlock = 4096;

/// A random number of [0, 1) from 53 random bits.
double unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

double whole_between(double low, double high, std::mt19937_64& random) {
  return low + std::min(std::floor(unit(random) * (high - low + 1)), high - low);
}

/// Uses the method of Box and Muller, because the standard library's results differ between
/// machines.
double standard_normal(std::mt19937_64& random) {
  const double radius = std::sqrt(-2 * std::log(1 - unit(random)));
  return radius * std::cos(2 * std::numbers::pi * unit(random));
}

double number_of(const std::string& text, const Coordinates& sizes) {
  // Expressions have whole numbers only, so a text with a point or an exponent is read as a plain
  // number.
  std::size_t used = 0;
  try {
    const double value = std::stod(text, &used);
    if (text.find_first_not_of(' ', used) == text.npos && std::isfinite(value)) return value;
  } catch (const std::exception&) {
  }
  return static_cast<double>(evaluate(text, sizes));
}

/// The text between the outer parentheses, split at the commas outside of inner ones.
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

}  // namespace

std::vector<std::string_view> known_values() {
  std::vector<std::string_view> names;
  for (const Known& one : kKnown) names.push_back(one.name);
  names.emplace_back(kGenerated);
  return names;
}

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
  return with_type(type,
                   [&](auto of) { return static_cast<double>(stored_at<decltype(of)>(element)); });
}

std::int64_t load_whole(const ElementType& type, const std::byte* element) {
  return with_type(type, [&](auto of) -> std::int64_t {
    using T = decltype(of);
    if constexpr (std::is_integral_v<T>) {
      return static_cast<std::int64_t>(stored_at<T>(element));
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
  if (known == kKnown.end()) throw std::invalid_argument(unknown_values(std::string(name)));
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
        fmt::format("'{0}' takes {1} arguments, not {2}: write {0}{3}", name, known->arguments,
                    arguments.size(), kArguments[static_cast<std::size_t>(known->arguments)]));
  if (!arguments.empty()) first_ = number_of(arguments[0], sizes);
  if (arguments.size() > 1) second_ = number_of(arguments[1], sizes);
  if (kind_ == Kind::random && !type_.floating) {
    kind_ = Kind::integers;
    first_ = type_.lowest < 0 ? -100 : 0;
    second_ = std::min(type_.lowest < 0 ? 100. : 255., type_.largest);
  }
  if (arguments.size() > 1 && kind_ != Kind::normal && second_ < first_)
    throw std::invalid_argument(fmt::format("'{}' goes from {} to {}", text, first_, second_));
  const auto fits = [&](double value) {
    return type_.floating || (value >= type_.lowest && value <= type_.largest);
  };
  if (!fits(first_) || !fits(second_))
    throw std::invalid_argument(fmt::format("'{}' is beyond what {} holds", text, type_.c_name));
}

void Distribution::draw(std::span<double> values, std::int64_t first,
                        std::mt19937_64& random) const {
  switch (kind_) {
    case Kind::random: {
      std::array<float, kBlock> floats;
      fill_random(std::span(floats).first(values.size()), random);
      std::copy_n(floats.begin(), values.size(), values.begin());
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
      break;
    case Kind::offsets:
      for (double& value : values) value = whole_between(0, first_, random);
      break;
    case Kind::permutation:
      for (double& value : values) value = static_cast<double>(first++);
      break;
    case Kind::count_from:
      for (double& value : values) value = first_ + static_cast<double>(first++);
      break;
    case Kind::constant:
      std::ranges::fill(values, first_);
      break;
  }
}

/// Brings all values, once they are drawn, into their order.
void Distribution::arrange(std::vector<double>& values, std::mt19937_64& random,
                           int threads) const {
  if (kind_ == Kind::permutation) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1],
                values[static_cast<std::size_t>(unit(random) * static_cast<double>(i))]);
    return;
  }
  if (kind_ == Kind::falling)
    parallel_sort(values, threads, std::greater());
  else
    parallel_sort(values, threads, std::less());
  if (kind_ != Kind::offsets) return;
  if (!values.empty()) values.front() = 0;
  if (values.size() > 1) values.back() = first_;
}

bool Distribution::has_order() const {
  using enum Kind;
  return kind_ == sorted || kind_ == falling || kind_ == offsets || kind_ == permutation;
}

void Distribution::fill(std::span<std::byte> bytes, std::mt19937_64& random, int threads) const {
  const std::size_t count = bytes.size() / type_.bytes;
  std::vector<double> all(has_order() ? count : 0);
  // Every run but the first has its own generator, so that the number of threads changes no value.
  constexpr std::size_t kRun = 1 << 20;
  std::vector<std::uint64_t> seeds(count > 0 ? (count - 1) / kRun : 0);
  std::ranges::generate(seeds, std::ref(random));
  parallel_for(static_cast<int>(seeds.size() + 1), threads, [&](int number) {
    const auto run = static_cast<std::size_t>(number);
    std::mt19937_64 own;
    if (run > 0) own.seed(seeds[run - 1]);
    std::array<double, kBlock> block;
    const std::size_t end = std::min(count, (run + 1) * kRun);
    for (std::size_t at = run * kRun, size = 0; at < end; at += size) {
      size = std::min(kBlock, end - at);
      const auto values =
          has_order() ? std::span(all).subspan(at, size) : std::span(block).first(size);
      draw(values, static_cast<std::int64_t>(at), run > 0 ? own : random);
      if (!has_order()) store(values, type_, bytes.subspan(at * type_.bytes, size * type_.bytes));
    }
  });
  if (!has_order()) return;
  arrange(all, random, threads);
  parallel_for(static_cast<int>(seeds.size() + 1), threads, [&](int number) {
    const std::size_t at = static_cast<std::size_t>(number) * kRun;
    const auto values = std::span<const double>(all).subspan(at, std::min(kRun, count - at));
    store(values, type_, bytes.subspan(at * type_.bytes));
  });
}

}  // namespace opgrade
