#include "grader/task/conv/conv_problem.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "grader/base/core/parallel.hpp"
#include "grader/base/core/sign_flips.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/task/conv/conv_check.hpp"
#include "grader/task/conv/conv_coordinates.hpp"
#include "grader/task/conv/conv_mistake.hpp"
#include "grader/task/interface/random_values.hpp"

namespace opgrade {
namespace {

enum Buffer { kY, kX, kK };

ConvOutput output_of(const ConvShape& shape, const Values& values) {
  return {shape, values[kX].as<float>(), values[kY].as<float>(), values[kK].as<float>()};
}

}  // namespace

ConvProblem::ConvProblem(const ConvShape& shape) : shape_(shape), sizes_(sizes_of(shape)) {}

std::vector<BufferShape> ConvProblem::buffers() const {
  const ConvShape& s = shape_;
  return {{"y", {s.B, s.M, s.H_out(), s.W_out()}},
          {"x", {s.B, s.C, s.H, s.W}},
          {"k", {s.M, s.C, s.K, s.K}}};
}

std::string ConvProblem::label() const {
  Coordinates sizes = sizes_;
  if (shape_.S == 1) sizes.pop_back();
  return text_of(sizes);
}

void ConvProblem::fill(const Values& values, std::mt19937_64& random) const {
  fill_random(values[kX].as<float>(), random);
  fill_random(values[kK].as<float>(), random);
}

void ConvProblem::begin(const Values& values) {
  reference_.emplace(shape_, values[kK].as<float>().data());
}

void ConvProblem::refresh(const Values& values, int threads) const {
  constexpr int kPairs = 16;  // pairs that a thread takes at a time
  SystemRandom random;
  const auto x = values[kX].as<float>();
  const auto image = static_cast<std::ptrdiff_t>(shape_.x_image());
  // Swaps images in pairs, so that several threads can work in parallel.
  std::vector<int> order(static_cast<std::size_t>(shape_.B));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, random);
  parallel_for_pieces(order.size() / 2, kPairs, threads, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = 2 * first; i < 2 * (first + count); i += 2) {
      const auto one = x.begin() + order[i] * image;
      std::swap_ranges(one, one + image, x.begin() + order[i + 1] * image);
    }
  });
  flip_signs(x, random(), threads);
}

std::unique_ptr<Problem> ConvProblem::first_parts(int count) const {
  ConvShape few = shape_;
  few.B = std::min(few.B, count);
  return std::make_unique<ConvProblem>(few);
}

CheckReport ConvProblem::check(const Values& values, double tolerance, std::span<const int> images,
                               int threads) const {
  if (!reference_) throw std::logic_error("a convolution is checked before begin()");
  return check_conv(*reference_, output_of(shape_, values), tolerance, images, threads);
}

Coordinates ConvProblem::place_of(std::int64_t index) const { return place_in_y(shape_, index); }

Hint ConvProblem::explain(const Values& values, const CheckReport& report) const {
  return explain_mistake(output_of(shape_, values), values[kK].as<float>(), report);
}

}  // namespace opgrade
