#include "grader/task/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "grader/task/random_values.hpp"
#include "grader/tasks/matmul/matmul_problem.hpp"

namespace opgrade {
namespace {

constexpr std::array<SizeName, 3> kSizes{SizeName{"M"}, {"N"}, {"K"}};

constexpr std::array<std::string_view, 1> kFunctions{"solve"};
constexpr std::array<std::string_view, 1> kFiles{"matmul/include/matmul.h"};

constexpr std::array kInterfaces{
    Interface{.id = "matmul",
              .task = "matmul",
              .terms = "the form of public judges of GPU kernels",
              .cpu_source = "matmul.cc",
              .gpu_source = "matmul.cu",
              .cpu_signature = "extern \"C\" void solve(const float* A, const float* B, float* C, "
                               "int M, int N, int K), with host pointers",
              .gpu_signature = "extern \"C\" void solve(const float* A, const float* B, float* C, "
                               "int M, int N, int K), with device pointers",
              .functions = kFunctions,
              .files = kFiles}};

/// On a GPU A and |B| stay from call to call. For every g products of a sum an early call can store
/// their 2^g sums, one for each pattern of signs. Later calls, which look those up, read less than
/// all of A only where N < g. With N = 32 such a table is 8e9 times as large as A.
constexpr int kLeastTimedN = 32;

struct Sizes {
  int M, N, K;
};

/// One of the kinds that a tiled kernel gets wrong.
Sizes sizes_of_kind(int kind, std::mt19937_64& random) {
  const auto any = [&](std::initializer_list<int> values) { return one_of(random, values); };
  switch (kind) {
    case 0:  // one element, one product
      return {1, 1, 1};
    case 1:  // primes
      return {any({7, 13, 29}), any({11, 31, 61}), any({5, 37, 67})};
    case 2:  // one more than whole tiles of 16, 32 and 64
      return {any({17, 33}), any({33, 65}), any({17, 65})};
    case 3:  // one less
      return {any({15, 31}), any({31, 63}), any({15, 63})};
    case 4:  // a row
      return {1, draw(random, 40, 150), draw(random, 20, 90)};
    case 5:  // a column
      return {draw(random, 40, 150), 1, draw(random, 20, 90)};
    case 6:  // whole tiles
      return {any({32, 64}), any({64, 128}), any({32, 64})};
    case 7:  // a single product an element, wider than a block has threads
      return {draw(random, 2, 9), draw(random, 1025, 1100), 1};
    default:
      return {draw(random, 1, 120), draw(random, 1, 120), draw(random, 1, 120)};
  }
}

class MatmulTask final : public Task {
 public:
  std::string_view id() const override { return "matmul"; }
  std::string_view operation() const override { return "matrix product"; }
  std::string_view buffer_names() const override { return "A, B or C"; }
  std::span<const Interface> interfaces() const override { return kInterfaces; }
  std::span<const SizeName> size_names() const override { return kSizes; }

  std::string gpu_timing_complaint(const Coordinates& sizes) const override {
    const auto N = value_of(sizes, "N");
    return N < kLeastTimedN
               ? fmt::format("on a GPU N must be at least {}, and is {}", kLeastTimedN, N)
               : "";
  }

  std::unique_ptr<Problem> problem(const Coordinates& sizes) const override {
    const auto size = [&](const char* name) { return static_cast<int>(value_of(sizes, name)); };
    return std::make_unique<MatmulProblem>(size("M"), size("N"), size("K"));
  }

  std::vector<Coordinates> random_sizes(int count, const Interface&,
                                        std::mt19937_64& random) const override {
    std::vector<Coordinates> all;
    for (int i = 0; i < count; ++i) {
      const auto [M, N, K] = sizes_of_kind(i, random);
      all.push_back({{"M", M}, {"N", N}, {"K", K}});
    }
    for (int i = count - 1; i > 0; --i)
      std::swap(all[static_cast<std::size_t>(i)],
                all[static_cast<std::size_t>(draw(random, 0, i))]);
    return all;
  }

  Coordinates control_sizes() const override { return {{"M", 37}, {"N", 41}, {"K", 29}}; }
};

}  // namespace

const Task& matmul_task() {
  static const MatmulTask task;
  return task;
}

}  // namespace opgrade
