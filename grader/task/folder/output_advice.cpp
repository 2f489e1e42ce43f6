#include "grader/task/folder/output_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "grader/task/folder/distribution.hpp"
#include "grader/task/folder/expression.hpp"
#include "grader/task/interface/rounding_advice.hpp"

namespace opgrade {
namespace {

std::string shown(double value) {
  const bool whole = value == std::trunc(value) && std::abs(value) < 1e15;
  return fmt::format(fmt::runtime(whole ? "{:.0f}" : "{:g}"), value);
}

/// Least number of elements; fewer may agree by chance.
constexpr std::int64_t kMany = 16;
/// What a sum may lose in its last places, as a share of a float of usual size.
constexpr double kLastPlaces = 5e-7;

/// Removes the digits that a float does not have.
double rounded_off(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 3);
  return std::round(value / unit) * unit;
}

/// Rounding errors of half and TF32.
constexpr double kReduced = 2e-3;

struct Overflow {
  const char* largest;
  const char* exponent;  ///< exp of a larger number is infinite
};

Overflow overflow_of(ElementType::Id id) {
  switch (id) {
    case ElementType::Id::f64:
      return {"1.8e308", "709.8"};
    case ElementType::Id::f16:
      return {"65504", "11.1"};
    default:  // float, and bfloat16 with the exponents of float
      return {"3.4e38", "88.7"};
  }
}

class Advice {
 public:
  explicit Advice(const WrongOutput& output)
      : o_(output),
        whole_(output.name + output.suffix),
        type_(*output.buffer.type),
        components_(output.buffer.components) {
    for (const auto& extent : o_.buffer.extents)
      extents_.push_back(std::max<std::int64_t>(evaluate(extent, o_.sizes), 1));
    for (std::int64_t i = 0; i < o_.count; ++i) wrong_ += is_wrong(i);
  }

  Hint find() const {
    if (is_unwritten(o_.element)) return unwritten();
    if (auto not_finite = not_finite_text(); !not_finite.text.empty()) return not_finite;
    const std::string name = element_name(o_.element);
    if (o_.buffer.any_order)
      return {fmt::format("{} = {} is not among the expected elements, whatever their order", name,
                          shown(got(o_.element)))};
    if (is_unchanged()) return {fmt::format("{} still holds what it held before the call", whole_)};
    if (o_.count >= kMany && all_are(got(0)))
      return {fmt::format("every element of {} is {}", whole_, shown(got(0)))};
    if (auto pattern = moved(); !pattern.text.empty()) return pattern;
    if (auto offset = constant_offset(); !offset.text.empty()) return offset;
    if (auto rounding = reduced(); !rounding.text.empty()) return rounding;
    return {where(name)};
  }

 private:
  double got(std::int64_t i) const {
    return load(type_, o_.got.data() + static_cast<std::size_t>(i) * type_.bytes);
  }
  double want(std::int64_t i) const { return o_.expected.value(i); }

  bool same(double a, double b) const {
    if (a == b || (std::isnan(a) && std::isnan(b))) return true;
    return type_.floating &&
           std::abs(a - b) <= (1e-5 + o_.tolerance) * std::max(std::abs(a), std::abs(b));
  }
  bool is_wrong(std::int64_t i) const { return !same(got(i), want(i)); }

  /// The element's name: "sum[0]", "y[3][4]", "image[3][4].x".
  std::string element_name(std::int64_t element) const {
    std::string text;
    if (components_ > 1)
      text = fmt::format(".{}", kComponentNames[static_cast<std::size_t>(element % components_)]);
    element /= components_;
    for (std::size_t i = extents_.size(); i-- > 0;) {
      text = fmt::format("[{}]", element % extents_[i]) + text;
      element /= extents_[i];
    }
    return o_.name + text + o_.suffix;
  }

  bool is_unwritten(std::int64_t element) const {
    if (o_.buffer.initial != BufferDescription::Initial::poison || !o_.before.empty()) return false;
    // Compares the whole vector, because a submission writes vectors as a whole, and one of its
    // bytes may equal the poison by chance.
    const auto begin = static_cast<std::size_t>(element - element % components_) * type_.bytes;
    const auto bytes = static_cast<std::size_t>(components_) * type_.bytes;
    for (std::size_t i = begin; i < begin + bytes; ++i)
      if (o_.got[i] != o_.poison[i % o_.poison.size()]) return false;
    return true;
  }

  Hint unwritten() const {
    const std::string& buffer = whole_;
    const std::string name = element_name(o_.element);
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < o_.count; ++i) count += is_unwritten(i);
    if (count == o_.count)
      return {fmt::format("nothing of {} is written", buffer), Hint::Kind::unwritten};
    if (count == o_.count - o_.element)
      return {fmt::format("{0} is not written from {1} on, right before: check where the grid or "
                          "the loop over it ends",
                          buffer, name),
              Hint::Kind::unwritten};
    return {fmt::format("{} of {} elements of {} are not written, the first is {}", count, o_.count,
                        buffer, name),
            Hint::Kind::unwritten};
  }

  /// Explains NaN or infinity for elements that are a number in the reference. Does not apply to
  /// outputs in any order, whose elements have no fixed place.
  Hint not_finite_text() const {
    if (!type_.floating || o_.buffer.any_order) return {};
    std::int64_t nans = 0, infinities = 0, first = -1;
    for (std::int64_t i = 0; i < o_.count; ++i) {
      if (std::isfinite(got(i)) || !std::isfinite(want(i)) || is_unwritten(i)) continue;
      if (first < 0) first = i;
      ++(std::isnan(got(i)) ? nans : infinities);
    }
    if (first < 0) return {};
    const char* const what = infinities == 0 ? "NaN" : nans == 0 ? "infinite" : "NaN or infinite";
    std::string text = fmt::format(
        "{} of {} elements of {} are {} where the reference has numbers, the first is {}. {} ends "
        "at {}, and exp overflows from {} on.",
        nans + infinities, o_.count, whole_, what, element_name(first), type_.c_name,
        overflow_of(type_.id).largest, overflow_of(type_.id).exponent);
    if (nans > 0)
      text +=
          " NaN comes of infinity / infinity, infinity - infinity, 0 / 0, the root or logarithm "
          "of a negative number, or a sum that starts from a value that nothing set.";
    else
      text += " A division by 0 is infinite, too.";
    return {text, Hint::Kind::guess};
  }

  bool is_unchanged() const {
    const auto bytes = static_cast<std::size_t>(o_.count) * type_.bytes;
    return !o_.before.empty() && std::memcmp(o_.got.data(), o_.before.data(), bytes) == 0;
  }

  bool all_are(double value) const {
    for (std::int64_t i = 0; i < o_.count; ++i)
      if (got(i) != value) return false;
    return true;
  }

  /// True if the output has want(source(i)) at i, except for up to a tenth at its edges. `source`
  /// returns a negative number if there is no such element.
  bool comes_from(auto source) const {
    std::int64_t tried = 0, agree = 0, told = 0;
    for (std::int64_t i = 0; i < o_.count; ++i) {
      const std::int64_t from = source(i);
      if (from < 0 || from >= o_.count) continue;
      ++tried;
      if (!same(got(i), want(from))) continue;
      ++agree;
      told += is_wrong(i);  // otherwise the right element agrees as well
    }
    return told >= kMany && agree * 10 >= tried * 9 && tried * 2 >= o_.count;
  }

  Hint moved() const {
    if (wrong_ < kMany) return {};
    const std::int64_t k = components_;
    const std::int64_t row = extents_.size() > 1 ? extents_.back() * k : 0;
    struct Shift {
      std::int64_t by;
      const char* what;
    };
    for (const auto& [by, what] :
         {Shift{k, "one element too early"}, Shift{-k, "one element too late"},
          Shift{row, "one row too early"}, Shift{-row, "one row too late"},
          Shift{k > 1 ? 1 : 0, "one component too early"},
          Shift{k > 1 ? -1 : 0, "one component too late"}})
      if (by != 0 && comes_from([by = by](std::int64_t i) { return i + by; }))
        return {fmt::format("{} is right, but {}: {} has the value of {}", whole_, what,
                            element_name(std::max<std::int64_t>(-by, 0)),
                            element_name(std::max<std::int64_t>(by, 0))),
                Hint::Kind::guess};
    if (extents_.size() == 2) {
      const auto rows = extents_[0], columns = extents_[1];
      if (comes_from([&](std::int64_t i) {
            const std::int64_t at = i / k;
            return (at % rows * columns + at / rows) * k + i % k;
          }))
        return {fmt::format("{} is right, but transposed: rows and columns are exchanged", whole_),
                Hint::Kind::guess};
    }
    const std::int64_t whole = o_.count / k;
    if (k > 1 && comes_from([&](std::int64_t i) { return i % whole * k + i / whole; }))
      return {fmt::format("{} has the right numbers, but first every x, then every y: the "
                          "components of an element belong next to each other",
                          whole_),
              Hint::Kind::guess};
    if (comes_from([&](std::int64_t i) { return o_.count - 1 - i; }))
      return {fmt::format("{} is right, but in reverse order", whole_), Hint::Kind::guess};
    return {};
  }

  /// Tried before rounding, because a small offset of large outputs looks like rounding.
  Hint constant_offset() const {
    if (o_.count < kMany || wrong_ < kMany) return {};
    const double first = got(0) - want(0);
    if (!std::isfinite(first) || first == 0) return {};
    double usual = std::abs(first);
    for (std::int64_t i = 0; i < o_.count; ++i)
      usual = std::max({usual, std::abs(got(i)), std::abs(want(i))});
    // The type rounds the sum, so offsets agree up to a few of its last places. An offset that is
    // no larger than these is rounding itself.
    const double step = type_.floating ? usual * kLastPlaces : 0;
    if (std::abs(first) <= 16 * step) return {};
    for (std::int64_t i = 0; i < o_.count; ++i)
      if (!(std::abs(got(i) - want(i) - first) <= step)) return {};
    return {fmt::format("every element of {} is too {} by {}: look for a constant that is added "
                        "once, such as the value from which the sum starts",
                        whole_, first > 0 ? "large" : "small",
                        shown(type_.floating ? rounded_off(std::abs(first)) : std::abs(first))),
            Hint::Kind::guess};
  }

  Hint reduced() const {
    if (!type_.floating) return {};
    const double usual = o_.expected.largest(o_.count, 1);
    double worst = 0;
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < o_.count; ++i) {
      const double off = std::abs(got(i) - want(i));
      const double error = off / (o_.expected.gives_scale(i) ? o_.expected.scale(i) : usual);
      // The second condition is needed because a scale may be so much larger than the outputs that
      // wrong outputs are within it.
      if (!(error <= kReduced && off <= usual / 4)) return {};
      worst = std::max(worst, error);
      count += error > o_.tolerance;
    }
    if (count < kMany || count * 10 <= o_.count) return {};
    return {fmt::format(
                "every error is small, the largest {:.2g} of {}: so rounds reduced precision "
                "or a sum in an unlucky order. {}",
                worst, o_.expected.gives_scale(0) ? "the size of its terms" : "the largest output",
                rounding_advice(o_.tolerance)),
            Hint::Kind::guess};
  }

  std::string where(const std::string& name) const {
    if (o_.count > 1 && wrong_ == 1) return fmt::format("only {} is wrong", name);
    if (o_.element == 0) return fmt::format("the first wrong element is {}", name);
    const auto tile =
        std::ranges::find_if(kTiles, [&](std::int64_t size) { return o_.element % size == 0; });
    if (wrong_ == o_.count - o_.element && tile != kTiles.end() && o_.count - o_.element < *tile)
      return fmt::format(
          "{} is right before {} and wrong from there on: the {} elements behind the last whole "
          "tile of {}",
          whole_, name, o_.count - o_.element, *tile);
    return fmt::format("the first wrong element is {}, the {} before it {} right", name, o_.element,
                       o_.element == 1 ? "is" : "are");
  }

  static constexpr std::array<std::int64_t, 7> kTiles{1024, 512, 256, 128, 64, 32, 16};

  const WrongOutput& o_;
  const std::string whole_;  ///< "y", or "bodies.x" for a field
  const ElementType& type_;
  std::vector<std::int64_t> extents_;
  const std::int64_t components_;
  std::int64_t wrong_ = 0;
};

}  // namespace

Hint advice_on(const WrongOutput& output) { return Advice(output).find(); }

}  // namespace opgrade
