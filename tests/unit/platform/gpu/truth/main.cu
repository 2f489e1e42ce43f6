// The check's two kernels, truth and compare, against plain loops: on the emulated device with
// every access watched (CI), and on a GPU with larger shapes (`main large`). Exit code 1 for a
// mistake, 77 where no device answers.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "grader/platform/gpu/compare.hpp"
#include "grader/task/conv/device/truth.hpp"

namespace {

using opgrade::Comparison;
using opgrade::ConvShape;
using opgrade::TruthPlan;

void fail(const ConvShape& s, const char* what, double value = 0) {
  std::printf("B=%d M=%d C=%d H=%d W=%d K=%d S=%d: %s (%.17g)\n", s.B, s.M, s.C, s.H, s.W, s.K, s.S,
              what, value);
  std::exit(1);
}

void need(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : size_(values.size()) {
    need(cudaMalloc(&data_, size_ * sizeof(T)));
    set(values);
  }
  ~OnDevice() { cudaFree(data_); }
  void set(const std::vector<T>& values) {
    need(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> values() const {
    std::vector<T> result(size_);
    need(cudaMemcpy(result.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return result;
  }
  T* get() const { return data_; }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

/// A convolution, with its outputs by plain loops.
struct Problem {
  ConvShape s;
  std::vector<float> x, k;
  std::vector<double> want, sizes;  // sizes: sums of |products|, to which rounding is relative

  explicit Problem(const ConvShape& shape) : s(shape), x(s.x_size()), k(s.k_size()) {
    std::mt19937 random(static_cast<unsigned>(s.y_size()));
    std::uniform_real_distribution<float> real(-1.0F, 1.0F);
    // Images of unequal size, so that each needs its own scale.
    for (std::int64_t i = 0; i < s.x_size(); ++i)
      x[i] = real(random) * static_cast<float>(1 + i / s.x_image() % 5);
    for (float& v : k) v = real(random);
    for (int b = 0; b < s.B; ++b)
      for (int m = 0; m < s.M; ++m)
        for (int h = 0; h < s.H_out(); ++h)
          for (int w = 0; w < s.W_out(); ++w) add_output(b, m, h, w);
  }

  /// Scale of each image's errors, as in task/conv/conv_check.hpp: the typical size of a sum of C
  /// K K products of its x and k, or its largest output where that is more.
  std::vector<double> scales() const {
    std::vector<double> result;
    double k_squares = 0;
    for (const float v : k) k_squares += static_cast<double>(v) * v;
    for (int b = 0; b < s.B; ++b) {
      double x_squares = 0, largest = 0;
      for (std::int64_t i = 0; i < s.x_image(); ++i)
        x_squares += std::pow(static_cast<double>(x[b * s.x_image() + i]), 2);
      for (std::int64_t i = 0; i < s.y_image(); ++i)
        largest = std::fmax(largest, std::fabs(want[b * s.y_image() + i]));
      const double typical =
          std::sqrt(s.C * s.K * s.K * (x_squares / s.x_image()) * (k_squares / s.k_size()));
      result.push_back(std::fmax(typical, largest));
    }
    return result;
  }

 private:
  void add_output(std::size_t b, std::size_t m, int h, int w) {
    double sum = 0, size = 0;
    for (int c = 0; c < s.C; ++c)
      for (int p = 0; p < s.K; ++p)
        for (int q = 0; q < s.K; ++q) {
          const double product =
              static_cast<double>(x[((b * s.C + c) * s.H + h * s.S + p) * s.W + w * s.S + q]) *
              k[((m * s.C + c) * s.K + p) * s.K + q];
          sum += product;
          size += std::fabs(product);
        }
    want.push_back(sum);
    sizes.push_back(size);
  }
};

double double_of(unsigned long long bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Computes pieces of `most` images, each into memory of exactly its size.
void check_truth(const Problem& problem, const TruthPlan& plan, int most) {
  const ConvShape& s = problem.s;
  const OnDevice<float> x(problem.x), k(problem.k);
  for (int first = 0; first < s.B; first += most) {
    const int count = std::min(most, s.B - first);
    const OnDevice<double> want(std::vector<double>(static_cast<std::size_t>(count * s.y_image()),
                                                    std::numeric_limits<double>::quiet_NaN()));
    const OnDevice<unsigned long long> largest{std::vector<unsigned long long>(count)};
    opgrade::launch_truth(plan, x.get(), k.get(), want.get(), largest.get(), s, first, count);
    need(cudaGetLastError());
    const auto got = want.values();
    const auto got_largest = largest.values();
    for (int image = 0; image < count; ++image) {
      double most_y = 0;
      for (std::int64_t i = 0; i < s.y_image(); ++i) {
        const double value = got[image * s.y_image() + i];
        const std::int64_t at = (first + image) * s.y_image() + i;
        if (!(std::fabs(value - problem.want[at]) <= 1e-14 * problem.sizes[at]))
          fail(s, "a wrong output, by this much", value - problem.want[at]);
        most_y = std::fmax(most_y, std::fabs(value));
      }
      if (double_of(got_largest[image]) != most_y)
        fail(s, "the largest output of an image", double_of(got_largest[image]));
    }
  }
}

/// The whole check, as the referee does it.
Comparison check(const Problem& problem, const std::vector<float>& y, int most, double bound) {
  const ConvShape& s = problem.s;
  std::vector<double> squares(s.B);
  for (std::int64_t i = 0; i < s.x_size(); ++i)
    squares[i / s.x_image()] += static_cast<double>(problem.x[i]) * problem.x[i];
  double k_squares = 0;
  for (const float v : problem.k) k_squares += static_cast<double>(v) * v;
  const OnDevice<float> x(problem.x), k(problem.k), d_y(y);
  std::vector<double> typical;
  for (const double sum : squares)
    typical.push_back(std::sqrt(static_cast<double>(s.C) * s.K * s.K) *
                      std::sqrt(sum / s.x_image()) *
                      std::sqrt(k_squares / static_cast<double>(s.k_size())));
  const OnDevice<double> least_scales(typical), want{std::vector<double>(most * s.y_image())};
  OnDevice<unsigned long long> largest{std::vector<unsigned long long>(most)};
  const OnDevice<Comparison> comparison{std::vector<Comparison>(1)};
  for (int first = 0; first < s.B; first += most) {
    const int count = std::min(most, s.B - first);
    largest.set(std::vector<unsigned long long>(most));
    opgrade::launch_truth(opgrade::plan_truth(s), x.get(), k.get(), want.get(), largest.get(), s,
                          first, count);
    opgrade::launch_compare(d_y.get(), want.get(), largest.get(), least_scales.get(),
                            comparison.get(), s.y_image(), first, count, bound);
    need(cudaGetLastError());
  }
  return comparison.values()[0];
}

/// A single wrong element is found, wherever it is, and nothing else.
void check_compare(const Problem& problem, int most) {
  const ConvShape& s = problem.s;
  constexpr double kBound = 1e-5;
  std::vector<float> y(problem.want.begin(), problem.want.end());
  const Comparison right = check(problem, y, most, kBound);
  if (right.mismatches != 0 || right.first != ~0ULL || right.not_a_number != 0)
    fail(s, "a right output is called wrong", static_cast<double>(right.first));
  const double rounding = double_of(right.worst);
  if (!(rounding <= 0x1p-24) || (s.y_size() > 100 && !(rounding > 0x1p-30)))
    fail(s, "the worst error of rounded outputs", rounding);
  const std::int64_t row = s.W_out(), map = row * s.H_out(), image = s.y_image();
  const std::set<std::int64_t> places = {0,
                                         row - 1,
                                         map - row,
                                         map - 1,
                                         image - 1,
                                         image / 2,
                                         s.y_size() - row,
                                         s.y_size() - image,
                                         s.y_size() - 1,
                                         s.y_size() / 2,
                                         (s.B / 2) * image,
                                         (s.B / 2) * image + map / 2 / row * row};
  const std::vector<double> scales = problem.scales();
  for (const std::int64_t at : places) {
    const float sound = y[at];
    const auto step = static_cast<float>(kBound * scales[at / image]);
    for (const float wrong :
         {sound + 1.1F * step, sound - 1.1F * step, std::numeric_limits<float>::quiet_NaN()}) {
      y[at] = wrong;
      const Comparison got = check(problem, y, most, kBound);
      if (got.mismatches != 1 || got.first != static_cast<unsigned long long>(at))
        fail(s, "one wrong element is not found, at", static_cast<double>(at));
      if ((got.not_a_number != 0) != std::isnan(wrong)) fail(s, "not a number");
      const double ratio = double_of(got.worst) / kBound;
      if (!std::isnan(wrong) && !(ratio > 1.08 && ratio < 1.12))
        fail(s, "the worst error over the bound", ratio);
    }
    y[at] = sound + 0.9F * step;
    if (check(problem, y, most, kBound).mismatches != 0)
      fail(s, "an error within the bound is called wrong, at", static_cast<double>(at));
    y[at] = sound;
  }
  y[0] += 1e3F;
  y.back() += 1e3F;
  const Comparison both = check(problem, y, most, kBound);
  if (s.y_size() > 1 && (both.mismatches != 2 || both.first != 0)) fail(s, "two wrong elements");
}

// Odd sizes, one pixel, maps off the four of a thread, planes that are tiny, wide, high; several
// images, row groups and blocks; every K to 7 and strides, which the general kernel has.
constexpr ConvShape kSmall[] = {
    {1, 1, 1, 1, 1, 1, 1},   {1, 1, 1, 3, 3, 3, 1},   {2, 3, 2, 9, 8, 1, 1},
    {2, 5, 2, 7, 9, 2, 1},   {3, 2, 1, 9, 10, 6, 1},  {2, 4, 3, 8, 11, 4, 1},
    {2, 4, 2, 15, 13, 3, 2}, {2, 5, 1, 17, 16, 7, 3}, {3, 6, 2, 13, 12, 5, 2},
    {2, 3, 1, 3, 280, 3, 1}, {37, 5, 3, 7, 7, 3, 1},  {3, 4, 1, 30, 86, 7, 1},
    {2, 6, 4, 40, 40, 7, 1}, {9, 7, 2, 11, 11, 7, 1}, {33, 1, 1, 5, 6, 5, 1},
    {3, 9, 2, 12, 70, 5, 1}, {2, 2, 1, 7, 258, 3, 1}, {2, 3, 1, 90, 9, 7, 1},
    {5, 4, 2, 14, 12, 3, 1}, {7, 4, 1, 28, 28, 7, 1}, {2, 13, 5, 22, 21, 5, 1},
    {1, 2, 1, 41, 64, 7, 1}, {3, 2, 1, 21, 200, 5, 1}};
// The course's layers and others, with more images than a small piece of the scratch memory holds.
constexpr ConvShape kLarge[] = {{41, 4, 1, 86, 86, 7, 1},  {23, 16, 4, 40, 40, 7, 1},
                                {65, 4, 1, 28, 28, 7, 1},  {97, 16, 4, 11, 11, 7, 1},
                                {33, 12, 6, 48, 48, 5, 1}, {33, 6, 3, 30, 70, 3, 1},
                                {19, 4, 1, 86, 86, 7, 2},  {19, 5, 3, 33, 300, 3, 1}};

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    const char* must = std::getenv("OPGRADE_MUST_RUN");  // as tests/support/must_run.hpp
    std::printf("no GPU answers\n");
    return must != nullptr && std::strstr(must, "gpu") != nullptr ? 1 : 77;
  }
  std::vector<ConvShape> shapes(std::begin(kSmall), std::end(kSmall));
  if (argc > 1 && std::strcmp(argv[1], "large") == 0)
    shapes.insert(shapes.end(), std::begin(kLarge), std::end(kLarge));
  std::set<int> planned;
  int several_images = 0, several_blocks = 0;
  for (const ConvShape& s : shapes) {
    const Problem problem(s);
    const int most = (s.B + 2) / 3;
    const TruthPlan best = opgrade::plan_truth(s);
    planned.insert(best.rows);
    check_truth(problem, {}, most);
    for (const int rows : opgrade::kTruthRows) {
      const TruthPlan plan = opgrade::plan_truth(s, rows);
      if (plan.rows == 0) continue;
      check_truth(problem, plan, s.B);
      check_truth(problem, plan, most);
      several_images += plan.images > 1;
      several_blocks += plan.row_blocks(s) > 1;
    }
    std::printf("B=%d M=%d C=%d H=%d W=%d K=%d S=%d: right; %d rows, %d groups, %d images\n", s.B,
                s.M, s.C, s.H, s.W, s.K, s.S, best.rows, best.groups, best.images);
    if (s.B > 2 || argc > 1) check_compare(problem, most);
  }
  // Fails where a change of the plans leaves a kernel untested.
  if (planned.size() != 4 || several_images < 3 || several_blocks < 3) {
    std::printf("the shapes miss a kernel: %zu of 4, %d, %d\n", planned.size(), several_images,
                several_blocks);
    return 1;
  }
  return 0;
}
