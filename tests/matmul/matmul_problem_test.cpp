#include "grader/tasks/matmul/matmul_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "grader/tasks/conv/conv_coordinates.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;

/// A product with values that a float holds exactly, worked out by plain loops.
class Product {
 public:
  Product(int M, int N, int K) : M_(M), N_(N), K_(K), problem_(M, N, K) {
    for (const auto& buffer : problem_.buffers())
      memory_.emplace_back(static_cast<std::size_t>(buffer.elements()));
    int n = 0;
    for (float& v : memory_[1]) v = static_cast<float>(n++ * 7 % 11 - 5);
    for (float& v : memory_[2]) v = static_cast<float>(n++ * 5 % 13 - 6);
    fill_c([&](int i, int k) { return a(i, k); }, [&](int k, int j) { return b(k, j); }, K);
  }

  float a(int i, int k) const { return memory_[1][static_cast<std::size_t>(i * K_ + k)]; }
  float b(int k, int j) const { return memory_[2][static_cast<std::size_t>(k * N_ + j)]; }
  float& c(int i, int j) { return memory_[0][static_cast<std::size_t>(i * N_ + j)]; }

  template <class A, class B>
  void fill_c(A a_of, B b_of, int depth) {
    for (int i = 0; i < M_; ++i)
      for (int j = 0; j < N_; ++j) {
        c(i, j) = 0;
        for (int k = 0; k < depth; ++k) c(i, j) += a_of(i, k) * b_of(k, j);
      }
  }

  Values values() { return {memory_[0], memory_[1], memory_[2]}; }
  CheckReport check(const std::vector<int>& rows = {}, int threads = 2) {
    return problem_.check(values(), 1e-6, rows, threads);
  }
  std::string explain() { return problem_.explain(values(), check()).text; }
  const MatmulProblem& problem() const { return problem_; }

 private:
  int M_, N_, K_;
  MatmulProblem problem_;
  std::vector<std::vector<float>> memory_;
};

TEST(MatmulProblem, TheRightProductPasses) {
  for (const auto& [M, N, K] : {std::array{1, 1, 1}, {7, 5, 3}, {33, 40, 17}, {1, 70, 9}}) {
    Product product(M, N, K);
    const CheckReport report = product.check();
    EXPECT_TRUE(report.passed()) << M << ' ' << N << ' ' << K;
    EXPECT_EQ(report.checked, M * N);
  }
}

TEST(MatmulProblem, TheFirstWrongElementIsNamedByRowAndColumn) {
  for (const int threads : {1, 3}) {
    Product product(40, 23, 6);
    product.c(31, 4) += 1000;
    product.c(35, 2) = std::nanf("");
    const CheckReport report = product.check({}, threads);
    EXPECT_EQ(report.mismatches, 2);
    EXPECT_EQ(text_of(report.place), "row=31 column=4");
    EXPECT_TRUE(std::isnan(report.worst_error));
    EXPECT_TRUE(product.check({30, 32}, threads).passed());
    EXPECT_FALSE(product.check({35}, threads).passed());
  }
}

TEST(MatmulProblem, MistakesAreExplained) {
  constexpr int M = 18, N = 18, K = 20;
  Product product(M, N, K);
  const auto a = [&](int i, int k) { return product.a(i, k); };
  const auto b = [&](int k, int j) { return product.b(k, j); };
  product.fill_c(a, b, 16);
  EXPECT_THAT(product.explain(), HasSubstr("the sums end at k = 16, where K is 20"));
  product.fill_c([&](int i, int k) { return b(k, i); }, [&](int k, int j) { return a(j, k); }, K);
  EXPECT_THAT(product.explain(), HasSubstr("C is transposed"));
  product.fill_c(
      a, [&](int k, int j) { return b((j * K + k) / N, (j * K + k) % N); }, K);
  EXPECT_THAT(product.explain(), HasSubstr("B is read as if it were stored by columns"));
  product.fill_c([&](int i, int k) { return a((k * M + i) / K, (k * M + i) % K); }, b, K);
  EXPECT_THAT(product.explain(), HasSubstr("A is read as if it were stored by columns"));
  product.fill_c(a, b, K);
  EXPECT_TRUE(product.check().passed());
  for (int i = 16; i < M; ++i)
    for (int j = 0; j < N; ++j) product.c(i, j) = std::bit_cast<float>(0xFFFFFFFFU);
  EXPECT_THAT(product.explain(), HasSubstr("C is not written from row 16 on, where M is 18"));
}

TEST(MatmulProblem, FreshInputsKeepSizesAndChangeSigns) {
  MatmulProblem problem(40, 30, 50);
  std::vector<float> c(1200), a(2000, 2), b(1500, 3);
  problem.refresh({c, a, b}, 2);
  for (const auto& [values, size] : {std::pair{&a, 2.0F}, {&b, 3.0F}}) {
    int negative = 0;
    for (const float v : *values) {
      EXPECT_EQ(std::fabs(v), size);
      negative += v < 0;
    }
    EXPECT_GT(negative, static_cast<int>(values->size()) / 3);
    EXPECT_LT(negative, static_cast<int>(values->size()) * 2 / 3);
  }
}

/// As the referee on a GPU computes it.
TEST(MatmulProblem, IsA1x1Convolution) {
  Product product(6, 11, 7);
  const auto on_device = product.problem().on_device();
  ASSERT_TRUE(on_device);
  const ConvShape s = shape_of(on_device->sizes);
  const std::size_t x = on_device->inputs[0], k = on_device->inputs[1];
  const Values values = product.values();
  ASSERT_EQ(s.x_size(), static_cast<std::int64_t>(values[x].size()));
  ASSERT_EQ(s.k_size(), static_cast<std::int64_t>(values[k].size()));
  ASSERT_EQ(s.y_size(), static_cast<std::int64_t>(values[0].size()));
  for (int m = 0; m < s.M; ++m)
    for (int w = 0; w < s.W; ++w) {
      float sum = 0;
      for (int channel = 0; channel < s.C; ++channel)
        sum += values[x][static_cast<std::size_t>(channel * s.W + w)] *
               values[k][static_cast<std::size_t>(m * s.C + channel)];
      EXPECT_EQ(sum, values[0][static_cast<std::size_t>(m * s.W + w)]);
    }
}

TEST(MatmulTask, RandomSizesCoverEveryKindForEverySeed) {
  const Interface& interface = find_interface("matmul");
  const Task& task = task_of(interface);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    const auto all = task.random_sizes(8, interface, random);
    ASSERT_EQ(all.size(), 8U);
    const auto any = [&](auto predicate) {
      return std::ranges::any_of(all, [&](const Coordinates& sizes) {
        return predicate(value_of(sizes, "M"), value_of(sizes, "N"), value_of(sizes, "K"));
      });
    };
    EXPECT_TRUE(any([](auto M, auto N, auto K) { return M == 1 && N == 1 && K == 1; }));
    EXPECT_TRUE(any([](auto M, auto N, auto) { return M == 1 && N > 32; }));
    EXPECT_TRUE(any([](auto M, auto N, auto) { return N == 1 && M > 32; }));
    EXPECT_TRUE(any([](auto, auto N, auto K) { return K == 1 && N > 1024; }));
    EXPECT_TRUE(
        any([](auto M, auto N, auto K) { return M % 32 == 0 && N % 32 == 0 && K % 32 == 0; }));
    for (const int tile : {16, 32})
      EXPECT_TRUE(any([&](auto, auto N, auto) { return N > tile && N % tile != 0; }));
    for (const Coordinates& sizes : all) EXPECT_LT(task.problem(sizes)->flops(), 5e6);
  }
}

}  // namespace
}  // namespace opgrade
