#include "grader/task/folder/output_check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "grader/base/core/parallel.hpp"
#include "grader/base/core/parallel_sort.hpp"
#include "grader/base/core/random_words.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/task/folder/distribution.hpp"
#include "grader/task/folder/stored_types.hpp"

namespace opgrade {
namespace {

using ErrorKind = BufferDescription::Error;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// The error of a whole number. Differences of 64-bit numbers are computed exactly.
double whole_error(std::int64_t got, std::int64_t want, bool wraps) {
  const auto a = static_cast<std::uint64_t>(got), b = static_cast<std::uint64_t>(want);
  const bool above = wraps ? a > b : got > want;
  return static_cast<double>(above ? a - b : b - a);
}

/// The results of `part(begin, end)` for runs of elements, in their order.
template <class Part>
auto by_parts(std::int64_t count, int threads, const Part& part) {
  constexpr std::int64_t kRun = 3 << 16;  // whole pixels of 3 and of 4 numbers
  std::vector<decltype(part(count, count))> parts(static_cast<std::size_t>(count / kRun + 1));
  parallel_for_pieces(count, kRun, threads, [&](std::int64_t begin, std::int64_t size) {
    parts[static_cast<std::size_t>(begin / kRun)] = part(begin, begin + size);
  });
  return parts;
}

/// The difference of two numbers; infinite if only one side is NaN or infinite.
double difference(double got, double want) {
  if (got == want || (std::isnan(want) && std::isnan(got))) return 0;
  if (!std::isfinite(got) || !std::isfinite(want)) return kInfinite;
  return std::abs(got - want);
}

/// The sum of `part(begin, end)` over runs of elements.
template <class Part>
auto sum_by_parts(std::int64_t count, int threads, const Part& part) {
  decltype(part(count, count)) sum = 0;
  for (const auto one : by_parts(count, threads, part)) sum += one;
  return sum;
}

/// A hash that is equal for all outputs with the same set of values; another set has the same hash
/// by chance, with a probability of 2^-64.
template <class T>
std::uint64_t set_sum(std::int64_t count, int threads, std::uint64_t key, const auto& value) {
  return sum_by_parts(count, threads, [&](std::int64_t begin, std::int64_t end) {
    std::uint64_t sum = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      T one = value(i);
      if constexpr (std::is_floating_point_v<T>)  // there are many NaNs, and two zeros
        one = std::isnan(one) ? std::numeric_limits<T>::quiet_NaN() : one + 0.0;
      sum += random_word(key, std::bit_cast<std::uint64_t>(one));
    }
    return sum;
  });
}

/// Indices of the elements, sorted by value, NaN last.
template <class T>
std::vector<std::int64_t> order_of(std::int64_t count, int threads, const auto& value) {
  struct Place {
    T value;
    std::int64_t element;
  };
  std::vector<Place> places(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) places[static_cast<std::size_t>(i)] = {value(i), i};
  parallel_sort(places, threads, [](const Place& a, const Place& b) {
    if (a.value < b.value || b.value < a.value) return a.value < b.value;
    const bool a_is_number = a.value == a.value, b_is_number = b.value == b.value;
    return a_is_number != b_is_number ? a_is_number : a.element < b.element;
  });
  std::vector<std::int64_t> order(places.size());
  std::ranges::transform(places, order.begin(), &Place::element);
  return order;
}

class Comparison {
 public:
  Comparison(const BufferDescription& buffer, std::span<const std::byte> got,
             const Expected& expected, std::int64_t count, int threads)
      : buffer_(buffer),
        type_(*buffer.type),
        got_(got.data()),
        expected_(expected),
        count_(count),
        threads_(threads),
        usual_scale_(type_.floating && buffer.error == ErrorKind::scaled
                         ? expected.largest(count, threads)
                         : 1) {}

  /// True if both outputs are the same set. Otherwise elements are compared in the order of their
  /// values.
  bool is_same_set() {
    const std::uint64_t key = SystemRandom()();
    const auto same_of = [&]<class T>(T, const auto& got, const auto& want) {
      if (set_sum<T>(count_, threads_, key, got) == set_sum<T>(count_, threads_, key, want))
        return true;
      got_order_ = order_of<T>(count_, threads_, got);
      want_order_ = order_of<T>(count_, threads_, want);
      return false;
    };
    return type_.floating
               ? same_of(
                     double{}, [&](std::int64_t i) { return load(type_, place(i)); },
                     [&](std::int64_t i) { return expected_.real(i); })
               : same_of(
                     std::int64_t{}, [&](std::int64_t i) { return load_whole(type_, place(i)); },
                     [&](std::int64_t i) { return expected_.whole(i); });
  }

  double got(std::int64_t i) const { return load(type_, place(got_element(i))); }
  double want(std::int64_t i) const { return expected_.value(want_element(i)); }
  std::int64_t got_element(std::int64_t i) const {
    return got_order_.empty() ? i : got_order_[static_cast<std::size_t>(i)];
  }

  double error(std::int64_t i) const {
    if (!type_.floating)
      return whole_error(load_whole(type_, place(got_element(i))), expected_.whole(want_element(i)),
                         type_.id == ElementType::Id::u64);
    const double by = difference(got(i), want(i));
    return by == 0 ? 0 : by / scale(i);
  }

  /// The largest error of these elements, at the speed of memory, if no error is above `allowed`
  /// and all numbers are finite. Otherwise nullopt, and error() decides.
  std::optional<double> largest_error(std::int64_t begin, std::int64_t end, double allowed) const {
    if (buffer_.any_order) return std::nullopt;
    return with_type(type_, [&](auto of) -> std::optional<double> {
      using T = decltype(of);
      if constexpr (std::is_integral_v<T>) {
        std::int64_t equal = 0;
        for (std::int64_t i = begin; i < end; ++i)
          equal += static_cast<std::int64_t>(stored_at<T>(place(i))) == expected_.whole(i) ? 1 : 0;
        return equal == end - begin ? std::optional(0.0) : std::nullopt;
      } else {
        switch (buffer_.error) {
          case ErrorKind::scaled:
            return largest_of<T, ErrorKind::scaled>(begin, end, allowed);
          case ErrorKind::relative:
            return largest_of<T, ErrorKind::relative>(begin, end, allowed);
          case ErrorKind::mixed:
            return largest_of<T, ErrorKind::mixed>(begin, end, allowed);
          default:
            return largest_of<T, ErrorKind::absolute>(begin, end, allowed);
        }
      }
    });
  }

  /// The norm of the expected values; 1 if all are 0. Uses long double, because squares of a double
  /// need a larger exponent.
  long double norm() const {
    const long double sum = norm_by([&](std::int64_t i) {
      const double one = want(i);
      return std::isfinite(one) ? one : 0;
    });
    return sum > 0 ? sum : 1;
  }
  long double norm_of_errors() const {
    return norm_by([&](std::int64_t i) { return error(i); });
  }

 private:
  const std::byte* place(std::int64_t element) const {
    return got_ + static_cast<std::size_t>(element) * type_.bytes;
  }
  std::int64_t want_element(std::int64_t i) const {
    return want_order_.empty() ? i : want_order_[static_cast<std::size_t>(i)];
  }

  double scale(std::int64_t i) const {
    switch (buffer_.error) {
      case ErrorKind::scaled:
        return scale_of<ErrorKind::scaled>(want_element(i));
      case ErrorKind::relative:
        return scale_of<ErrorKind::relative>(want_element(i));
      case ErrorKind::mixed:
        return scale_of<ErrorKind::mixed>(want_element(i));
      default:
        return 1;
    }
  }

  template <ErrorKind kind>
  double scale_of(std::int64_t element) const {
    if constexpr (kind == ErrorKind::scaled) {
      const double given = expected_.scale(element);
      return given > 0 && given < kInfinite ? given : usual_scale_;
    }
    const double size = std::abs(expected_.real(element));
    return kind == ErrorKind::relative ? size : kind == ErrorKind::mixed ? 1 + size : 1;
  }

  template <class T, ErrorKind kind>
  std::optional<double> largest_of(std::int64_t begin, std::int64_t end, double allowed) const {
    double largest = 0;
    std::int64_t right = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const double by = std::abs(static_cast<double>(stored_at<T>(place(i))) - expected_.real(i));
      // Division by at least the smallest double makes 0 by 0 equal 0 without a branch, which would
      // be mispredicted half of the time and take as long as everything else.
      const double one =
          by / std::max(scale_of<kind>(i), std::numeric_limits<double>::denorm_min());
      right += one <= allowed ? 1 : 0;
      largest = one > largest ? one : largest;
    }
    return right == end - begin ? std::optional(largest) : std::nullopt;
  }

  long double norm_by(const auto& number) const {
    return std::sqrt(sum_by_parts(count_, threads_, [&](std::int64_t begin, std::int64_t end) {
      long double sum = 0;
      for (std::int64_t i = begin; i < end; ++i) {
        const long double one = number(i);
        sum += one * one;
      }
      return sum;
    }));
  }

  const BufferDescription& buffer_;
  const ElementType& type_;
  const std::byte* got_;
  const Expected& expected_;
  std::int64_t count_;
  int threads_;
  double usual_scale_;
  std::vector<std::int64_t> got_order_, want_order_;
};

}  // namespace

double Expected::largest(std::int64_t count, int threads) const {
  const auto parts = by_parts(count, threads, [&](std::int64_t begin, std::int64_t end) {
    double largest = 0;
    for (std::int64_t i = begin; i < end; ++i)
      if (const double size = std::abs(real(i)); std::isfinite(size))
        largest = std::max(largest, size);
    return largest;
  });
  const double largest = *std::ranges::max_element(parts);
  return largest > 0 ? largest : 1;
}

OutputCheck check_output(const BufferDescription& buffer, std::span<const std::byte> got,
                         const Expected& expected, std::int64_t count, double tolerance,
                         std::int64_t may_differ, int threads) {
  OutputCheck check;
  Comparison all(buffer, got, expected, count, threads);
  if (buffer.any_order && all.is_same_set()) return check;
  const bool by_norm = buffer.error == ErrorKind::norm;
  const int numbers_each = buffer.picture ? picture_channels(buffer) : 1;
  double allowed = tolerance;
  if (by_norm) {
    const long double norm = all.norm();
    check.worst = static_cast<double>(all.norm_of_errors() / norm);
    if (check.worst <= tolerance) return check;
    // The norm of the errors is too large, so some element's error is above the mean that the
    // tolerance allows. Such elements are the mismatches.
    allowed = static_cast<double>(tolerance * norm / std::sqrt(static_cast<long double>(count)));
  }
  for (const OutputCheck& part :
       by_parts(count, threads, [&](std::int64_t begin, std::int64_t end) {
         OutputCheck one;
         if (const auto largest = by_norm ? std::nullopt : all.largest_error(begin, end, allowed)) {
           one.worst = *largest;
           return one;
         }
         std::int64_t wrong_pixel = -1;
         for (std::int64_t i = begin; i < end; ++i) {
           const double error = all.error(i);
           if (!by_norm && !(error <= one.worst)) one.worst = error;
           if (error <= allowed || std::exchange(wrong_pixel, i / numbers_each) == i / numbers_each)
             continue;
           if (one.mismatches++ > 0) continue;
           one.first = all.got_element(i);
           one.got = all.got(i);
           one.want = all.want(i);
         }
         return one;
       })) {
    if (part.mismatches > 0 && check.mismatches == 0)
      check.first = part.first, check.got = part.got, check.want = part.want;
    check.mismatches += part.mismatches;
    if (!by_norm && !(part.worst <= check.worst)) check.worst = part.worst;
  }
  if (check.mismatches <= may_differ) check.mismatches = 0, check.first = -1;
  return check;
}

}  // namespace opgrade
