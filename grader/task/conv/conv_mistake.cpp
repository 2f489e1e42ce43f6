#include "grader/task/conv/conv_mistake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/base/core/poison.hpp"
#include "grader/task/conv/part_check.hpp"
#include "grader/task/interface/rounding_advice.hpp"

namespace opgrade {
namespace {

Hint guess(std::string_view text) { return {std::string(text), Hint::Kind::guess}; }
Hint unwritten(std::string text) { return {std::move(text), Hint::Kind::unwritten}; }

/// Wide enough for any float32 summation order, narrow enough that only the right explanation fits.
constexpr double kLooseTolerance = 1e-5;

/// One wrong image and what could have been computed instead.
class MistakeMatcher {
 public:
  MistakeMatcher(const ConvOutput& output, std::span<const float> k, int b)
      : shape_(output.shape),
        x_(output.x.subspan(static_cast<std::size_t>(b * shape_.x_image()),
                            static_cast<std::size_t>(shape_.x_image()))),
        y_(output.y.subspan(static_cast<std::size_t>(b * shape_.y_image()),
                            static_cast<std::size_t>(shape_.y_image()))),
        k_(k) {
    shape_.B = 1;
    want_ = convolve(k_, x_);
  }

  const ConvShape& shape() const { return shape_; }
  std::span<const float> y() const { return y_; }

  /// ": all with h >= 79, where H_out is 80", if the unwritten elements are the last rows, columns
  /// or maps; else empty.
  std::string unwritten_part() const {
    const std::tuple<const char*, const char*, int> axes[] = {
        {"h", "H_out", shape_.H_out()}, {"w", "W_out", shape_.W_out()}, {"m", "M", shape_.M}};
    for (std::size_t axis = 0; axis < std::size(axes); ++axis) {
      const auto& [index_name, size_name, size] = axes[axis];
      const int first = first_unwritten(axis);
      if (first > 0 && first < size)
        return fmt::format(
            ": all with {} >= {}, where {} is {}; check where that loop or the grid "
            "ends",
            index_name, first, size_name, size);
    }
    return {};
  }

  bool matches_weights(const std::function<float(int m, int c, int p, int q)>& weight) const {
    std::vector<float> other(k_.size());
    std::size_t i = 0;
    for (int m = 0; m < shape_.M; ++m)
      for (int c = 0; c < shape_.C; ++c)
        for (int p = 0; p < shape_.K; ++p)
          for (int q = 0; q < shape_.K; ++q) other[i++] = weight(m, c, p, q);
    const auto instead = convolve(other, x_);
    return all_close([&](int m, int h, int w) { return instead[index(m, h, w)]; });
  }

  /// True if y[m][h][w] == want[m][h + dh][w + dw] for all elements that exist in both.
  bool matches_shift(int dh, int dw) const {
    bool any = false;
    return all_close([&](int m, int h, int w) -> std::optional<double> {
             if (h + dh < 0 || h + dh >= shape_.H_out() || w + dw < 0 || w + dw >= shape_.W_out())
               return std::nullopt;
             any = true;
             return want_[index(m, h + dh, w + dw)];
           }) &&
           any;
  }

  bool matches_transposed() const {
    if (shape_.H_out() != shape_.W_out()) return false;
    return all_close(
        [&](int m, int h, int w) -> std::optional<double> { return want_[index(m, w, h)]; });
  }

  /// The constant by which every element is too large; nullopt if the difference is not constant,
  /// or so small that it may be rounding.
  std::optional<double> offset() const {
    const double first = y_[0] - want_[0], step = kLooseTolerance * largest_of(want_);
    if (!(std::fabs(first) > 16 * step)) return std::nullopt;
    for (std::size_t i = 0; i < want_.size(); ++i)
      if (!(std::fabs(y_[i] - want_[i] - first) <= step)) return std::nullopt;
    return first;
  }

  float weight(int m, int c, int p, int q) const {
    return k_[static_cast<std::size_t>(((m * shape_.C + c) * shape_.K + p) * shape_.K + q)];
  }

  /// Share of elements that equal the right answer.
  double right_share(const std::function<bool(int h, int w)>& where) const {
    double right = 0, all = 0;
    const double allowed = kLooseTolerance * largest_of(want_);
    each_element([&](int m, int h, int w) {
      if (!where(h, w)) return true;
      const auto at = index(m, h, w);
      all += 1;
      right += std::fabs(y_[at] - want_[at]) <= allowed ? 1 : 0;
      return true;
    });
    return all > 0 ? right / all : 1;
  }

 private:
  /// The first h, w or m (axis 0, 1 or 2) of the unwritten elements if everything from there on is
  /// unwritten; else -1.
  int first_unwritten(std::size_t axis) const {
    int first = -1, last_written = -1;
    each_element([&](int m, int h, int w) {
      const int at[] = {h, w, m};
      if (!is_poison(y_[index(m, h, w)])) {
        last_written = std::max(last_written, at[axis]);
      } else if (first < 0 || at[axis] < first) {
        first = at[axis];
      }
      return true;
    });
    return last_written < first ? first : -1;
  }
  std::size_t index(int m, int h, int w) const {
    return static_cast<std::size_t>((std::int64_t{m} * shape_.H_out() + h) * shape_.W_out() + w);
  }
  std::vector<double> convolve(std::span<const float> k, std::span<const float> x) const {
    std::vector<double> y(y_.size());
    FastConv<double>(shape_, k.data()).image(x.data(), y.data());
    return y;
  }
  /// Visits elements until `visit` returns false; returns false in that case.
  bool each_element(const auto& visit) const {
    for (int m = 0; m < shape_.M; ++m)
      for (int h = 0; h < shape_.H_out(); ++h)
        for (int w = 0; w < shape_.W_out(); ++w)
          if (!visit(m, h, w)) return false;
    return true;
  }
  bool all_close(const std::function<std::optional<double>(int, int, int)>& instead) const {
    const double allowed = kLooseTolerance * largest_of(want_);
    return each_element([&](int m, int h, int w) {
      const auto value = instead(m, h, w);
      return !value || std::fabs(y_[index(m, h, w)] - *value) <= allowed;
    });
  }

  ConvShape shape_;
  std::span<const float> x_, y_, k_;
  std::vector<double> want_;
};

template <class Predicate>
bool all_of_image(std::span<const float> image, Predicate predicate) {
  return std::all_of(image.begin(), image.end(), predicate);
}

/// "element" if all images have the property that image b has, else "element of image b".
std::string element(const ConvOutput& output, int b, const std::function<bool(float)>& has) {
  return all_of_image(output.y, has) ? "element" : fmt::format("element of image {}", b);
}

/// The mistake with the mask, if the image has the sums that this mistake gives; else empty.
std::string_view wrong_mask(const MistakeMatcher& suspect) {
  const ConvShape& s = suspect.shape();
  const auto k = [&](int m, int c, int p, int q) { return suspect.weight(m, c, p, q); };
  const bool wide = s.K > 1;
  const int last = s.K - 1;
  struct Mistake {
    bool shows;
    std::string_view words;
    std::function<float(int m, int c, int p, int q)> weight;
  };
  const Mistake mistakes[] = {
      {true, "every element has the wrong sign: the products are subtracted",
       [&](int m, int c, int p, int q) { return -k(m, c, p, q); }},
      {wide,
       "the mask is flipped: k[m][c][K-1-p][K-1-q] is used where the course uses k[m][c][p][q]",
       [&](int m, int c, int p, int q) { return k(m, c, last - p, last - q); }},
      {wide, "the mask is transposed: p and q are swapped in k[m][c][p][q]",
       [&](int m, int c, int p, int q) { return k(m, c, q, p); }},
      {wide, "the last row and column of the mask are left out: a loop ends at K-1",
       [&](int m, int c, int p, int q) { return p == last || q == last ? 0 : k(m, c, p, q); }},
      {wide, "the last row of the mask is left out: the loop over p ends at K-1",
       [&](int m, int c, int p, int q) { return p == last ? 0 : k(m, c, p, q); }},
      {wide, "the last column of the mask is left out: the loop over q ends at K-1",
       [&](int m, int c, int p, int q) { return q == last ? 0 : k(m, c, p, q); }},
      {s.C > 1, "only the first input channel counts: the sum over c is missing",
       [&](int m, int c, int p, int q) { return c == 0 ? k(m, c, p, q) : 0; }},
      {s.C > 1, "only the last input channel counts: y is overwritten and not summed over c",
       [&](int m, int c, int p, int q) { return c == s.C - 1 ? k(m, c, p, q) : 0; }},
      {s.M > 1,
       "every output map uses the first map's mask: the index m is missing in k[m][c][p][q]",
       [&](int, int c, int p, int q) { return k(0, c, p, q); }},
  };
  const auto* const found = std::ranges::find_if(
      mistakes, [&](const Mistake& m) { return m.shows && suspect.matches_weights(m.weight); });
  return found == std::end(mistakes) ? "" : found->words;
}

std::optional<Hint> constant_offset(const MistakeMatcher& suspect) {
  const auto offset = suspect.offset();
  if (!offset) return std::nullopt;
  return guess(
      fmt::format("every element is too {} by {:.3g}: look for a constant that is added once, such "
                  "as the value from which the sum starts",
                  *offset > 0 ? "large" : "small", std::fabs(*offset)));
}

Hint explain_image(const MistakeMatcher& suspect, const ConvOutput& output, int b) {
  const ConvShape& s = suspect.shape();
  const auto is_zero = [](float v) { return v == 0; };
  if (all_of_image(suspect.y(), is_poison))
    return unwritten(
        fmt::format("no {} was written{}, or all were added to y's old content with +=",
                    element(output, b, is_poison),
                    all_of_image(output.y, is_poison)
                        ? " (on a GPU also: no kernel was launched, or y was not copied "
                          "back)"
                        : ""));
  if (all_of_image(suspect.y(), is_zero))
    return {fmt::format("every {} is zero: check that the loops run and that y gets their sum",
                        element(output, b, is_zero))};
  if (std::any_of(suspect.y().begin(), suspect.y().end(), is_poison))
    return unwritten("some elements were never written" + suspect.unwritten_part());
  if (std::any_of(suspect.y().begin(), suspect.y().end(), [](float v) { return std::isnan(v); })) {
    return {
        "some elements are NaN: an uninitialised value, or a sum that starts from y's old content"};
  }
  const float first = suspect.y()[0];
  const bool several = suspect.y().size() > 1;
  const auto is_first = [&](float v) { return v == first; };
  if (several && all_of_image(suspect.y(), is_first))
    return {fmt::format("every {} has the same value", element(output, b, is_first))};
  if (const auto mask = wrong_mask(suspect); !mask.empty()) return guess(mask);
  if (const auto offset = constant_offset(suspect)) return *offset;
  if (suspect.matches_transposed()) return guess("the image is transposed: h and w are swapped");
  for (const auto& [dh, dw, text] : {std::tuple{1, 0, "one row too high"},
                                     {-1, 0, "one row too low"},
                                     {0, 1, "one column too far left"},
                                     {0, -1, "one column too far right"}}) {
    if (suspect.matches_shift(dh, dw))
      return guess(fmt::format("the output is shifted: everything is {}", text));
  }
  const auto inner = [&](int h, int w) { return h < s.H_out() - 1 && w < s.W_out() - 1; };
  if (s.H_out() > 2 && s.W_out() > 2 && suspect.right_share(inner) == 1)
    return {"only the last row or column is wrong: a bound is off by one"};
  for (const int tile : {8, 16, 32}) {
    const auto covered = [&](int h, int w) {
      return h < s.H_out() / tile * tile && w < s.W_out() / tile * tile;
    };
    const bool partial = s.H_out() % tile != 0 || s.W_out() % tile != 0;
    if (partial && s.H_out() >= tile && s.W_out() >= tile && suspect.right_share(covered) == 1)
      return {fmt::format(
          "only the rest beyond whole {0}x{0} tiles is wrong: H_out or W_out is not a multiple of "
          "the tile",
          tile)};
  }
  return {};
}

/// Half and TF32 keep 11 bits. Rounding x, k and the sum gives errors of up to 2e-3 if the sum is
/// one product. Truncating x and k, as tensor cores may, gives errors of the same size. A race or a
/// wrong bound spoils few elements, or causes larger errors.
bool looks_rounded(const CheckReport& report, const ConvShape& shape) {
  constexpr double kReducedPrecision = 2e-3;
  return report.worst_error <= relative_bound(shape, kReducedPrecision) &&
         report.mismatches > report.checked / 10;
}

/// Number of images at the end that have no written element.
int unwritten_images(const ConvOutput& output) {
  const auto image = static_cast<std::size_t>(output.shape.y_image());
  int count = 0;
  while (count < output.shape.B) {
    const auto b = static_cast<std::size_t>(output.shape.B - 1 - count);
    if (!all_of_image(output.y.subspan(b * image, image), is_poison)) break;
    ++count;
  }
  return count;
}

/// True if image b of the output is right.
bool image_right(const FastConv<double>& reference, const ConvOutput& output, int b) {
  const int images[] = {b};
  return check_conv(reference, output, kLooseTolerance, images, 1).passed();
}

}  // namespace

Hint explain_mistake(const ConvOutput& output, std::span<const float> k,
                     const CheckReport& report) {
  if (report.passed() || report.first < 0) return {};
  const ConvShape& s = output.shape;
  const auto b = static_cast<int>(report.first / s.y_image());
  if (looks_rounded(report, s)) {
    // If outputs are large, a constant offset looks as small as rounding, but is equal in all
    // elements.
    if (auto offset = constant_offset(MistakeMatcher(output, k, b))) return *std::move(offset);
    return {fmt::format(
        "every error is small, the largest {:.2g} of its image's largest output: the rounding "
        "of reduced precision (half, TF32) or of a transform (Winograd, FFT). {}",
        report.worst_error, rounding_advice(report.tolerance / relative_bound(s, 1)))};
  }
  const FastConv<double> reference(s, k.data());
  Hint looks = explain_image(MistakeMatcher(output, k, b), output, b);
  // A guess must fit the last image, too.
  if (looks.kind == Hint::Kind::guess && b < s.B - 1 && !image_right(reference, output, s.B - 1) &&
      explain_image(MistakeMatcher(output, k, s.B - 1), output, s.B - 1).text != looks.text)
    looks = {};
  if (const auto missing = unwritten_images(output); b > 0 && missing == s.B - b) {
    return unwritten(fmt::format(
        "{} {} right, and no element of {} was written: the grid, or the loop over b, covers {} of "
        "{} images",
        b == 1 ? "image 0" : fmt::format("images 0 to {}", b - 1), b == 1 ? "is" : "are",
        missing == 1 ? fmt::format("image {}", b) : fmt::format("images {} to {}", b, s.B - 1), b,
        s.B));
  }
  if (b > 0 && s.B > 1) {
    const bool rest_wrong = !image_right(reference, output, s.B - 1);
    const std::string where =
        rest_wrong
            ? fmt::format(
                  "{} right, from image {} on they are not",
                  b == 1 ? std::string("image 0 is") : fmt::format("images 0 to {} are", b - 1), b)
            : fmt::format("image {} is the first that is wrong, the last one is right", b);
    const std::string why = rest_wrong ? ": is the batch split so that its last part is lost?" : "";
    if (looks.text.empty()) return {where + why};
    return {fmt::format("{} ({}){}", where, looks.text, why), looks.kind};
  }
  if (s.B > 1 && image_right(reference, output, s.B - 1) && looks.text.empty()) {
    return {"the first image is wrong and the last is right"};
  }
  return looks;
}

}  // namespace opgrade
