#include "grader/tasks/folder/output_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "grader/core/parallel.hpp"
#include "grader/tasks/folder/distribution.hpp"

namespace opgrade {
namespace {

using ErrorKind = BufferDescription::Error;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Differences of 64-bit numbers are exact.
double whole_error(std::int64_t got, std::int64_t want, bool wraps) {
  const auto a = static_cast<std::uint64_t>(got), b = static_cast<std::uint64_t>(want);
  const bool above = wraps ? a > b : got > want;
  return static_cast<double>(above ? a - b : b - a);
}

/// What `part(begin, end)` gives for runs of so many elements, in their order.
template <class Part>
auto by_parts(std::int64_t count, int threads, const Part& part) {
  constexpr std::int64_t kRun = 1 << 18;
  std::vector<decltype(part(count, count))> parts(static_cast<std::size_t>(count / kRun + 1));
  parallel_for(static_cast<int>(parts.size()), threads, [&](int i) {
    parts[static_cast<std::size_t>(i)] = part(i * kRun, std::min((i + 1) * kRun, count));
  });
  return parts;
}

/// Infinite for a NaN or an infinity on one side alone.
double difference(double got, double want) {
  if (got == want || (std::isnan(want) && std::isnan(got))) return 0;
  if (!std::isfinite(got) || !std::isfinite(want)) return kInfinite;
  return std::abs(got - want);
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
        usual_scale_(type_.floating && buffer.error == ErrorKind::scaled
                         ? expected.largest(count, threads)
                         : 1) {
    if (buffer.any_order) sort();
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

  /// Of what is expected; 1 where all of it is 0. Squares of a double need a larger exponent.
  long double norm() const {
    long double sum = 0;
    for (std::int64_t i = 0; i < count_; ++i)
      if (const long double one = want(i); std::isfinite(one)) sum += one * one;
    return sum > 0 ? std::sqrt(sum) : 1;
  }
  long double norm_of_errors() const {
    long double sum = 0;
    for (std::int64_t i = 0; i < count_; ++i) {
      const long double one = error(i);
      sum += one * one;
    }
    return std::sqrt(sum);
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
      case ErrorKind::relative:
        return std::abs(want(i));
      case ErrorKind::mixed:
        return 1 + std::abs(want(i));
      case ErrorKind::scaled: {
        const double given = expected_.scale(want_element(i));
        return std::isfinite(given) && given > 0 ? given : usual_scale_;
      }
      default:
        return 1;
    }
  }

  /// Elements by their values, NaN last.
  void sort() {
    const auto by = [&](auto value) {
      std::vector<std::int64_t> order(static_cast<std::size_t>(count_));
      std::iota(order.begin(), order.end(), std::int64_t{0});
      std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
        const auto x = value(a), y = value(b);
        return x < y || (y != y && x == x);
      });
      return order;
    };
    if (type_.floating) {
      got_order_ = by([&](std::int64_t i) { return load(type_, place(i)); });
      want_order_ = by([&](std::int64_t i) { return expected_.real(i); });
    } else {
      got_order_ = by([&](std::int64_t i) { return load_whole(type_, place(i)); });
      want_order_ = by([&](std::int64_t i) { return expected_.whole(i); });
    }
  }

  const BufferDescription& buffer_;
  const ElementType& type_;
  const std::byte* got_;
  const Expected& expected_;
  std::int64_t count_;
  double usual_scale_;
  std::vector<std::int64_t> got_order_, want_order_;
};

}  // namespace

template <class T>
T Expected::at(std::size_t first, std::int64_t element) const {
  T value;
  std::memcpy(&value, bytes_ + (first + static_cast<std::size_t>(element)) * sizeof(T), sizeof(T));
  return value;
}
template double Expected::at(std::size_t, std::int64_t) const;
template std::int64_t Expected::at(std::size_t, std::int64_t) const;

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
  const Comparison all(buffer, got, expected, count, threads);
  const bool by_norm = buffer.error == ErrorKind::norm;
  double allowed = tolerance;
  if (by_norm) {
    const long double norm = all.norm();
    check.worst = static_cast<double>(all.norm_of_errors() / norm);
    if (check.worst <= tolerance) return check;
    // The error of some element is above the mean that the norm allows.
    allowed = static_cast<double>(tolerance * norm / std::sqrt(static_cast<long double>(count)));
  }
  for (const OutputCheck& part :
       by_parts(count, threads, [&](std::int64_t begin, std::int64_t end) {
         OutputCheck one;
         for (std::int64_t i = begin; i < end; ++i) {
           const double error = all.error(i);
           if (!by_norm && !(error <= one.worst)) one.worst = error;
           if (error <= allowed || one.mismatches++ > 0) continue;
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
