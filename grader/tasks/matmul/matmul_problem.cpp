#include "grader/tasks/matmul/matmul_problem.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "grader/check/part_check.hpp"
#include "grader/core/parallel.hpp"
#include "grader/core/sign_flips.hpp"
#include "grader/core/system_random.hpp"
#include "grader/task/random_values.hpp"
#include "grader/tasks/matmul/matmul_mistake.hpp"
#include "grader/tasks/matmul/matmul_rows.hpp"

namespace opgrade {
namespace {

enum Buffer { kC, kA, kB };

std::span<float> row_of(std::span<float> matrix, int row, int columns) {
  return matrix.subspan(static_cast<std::size_t>(row) * static_cast<std::size_t>(columns),
                        static_cast<std::size_t>(columns));
}

}  // namespace

MatmulProblem::MatmulProblem(int M, int N, int K)
    : M_(M), N_(N), K_(K), sizes_{{"M", M}, {"N", N}, {"K", K}} {}

std::vector<BufferShape> MatmulProblem::buffers() const {
  return {{"C", {M_, N_}}, {"A", {M_, K_}}, {"B", {K_, N_}}};
}

void MatmulProblem::fill(const Values& values, std::mt19937_64& random) const {
  fill_random(values[kA], random);
  fill_random(values[kB], random);
}

/// Every product of the sums gets a new sign, so that no C says anything about another.
void MatmulProblem::refresh(const Values& values, int threads) const {
  SystemRandom random;
  flip_signs(values[kA], random(), threads);
  flip_signs(values[kB], random(), threads);
}

std::unique_ptr<Problem> MatmulProblem::first_parts(int count) const {
  return std::make_unique<MatmulProblem>(std::min(M_, count), N_, K_);
}

/// The unit of a row's errors is its largest |C|, but at least a floor. The floor is sqrt(K) times
/// the root mean squares of that row of A and of B. A sum of K such products with random signs has
/// that size. Rounding errors of K float32 products grow like sqrt(K), and so does the bound.
CheckReport MatmulProblem::check(const Values& values, double tolerance, std::span<const int> rows,
                                 int threads) const {
  const double root = std::sqrt(static_cast<double>(K_));
  const int count = rows.empty() ? M_ : static_cast<int>(rows.size());
  const double b_rms = root_mean_square(values[kB]);
  const MatrixView a{values[kA].data(), K_, 1}, b{values[kB].data(), N_, 1};
  CheckReport report;
  report.tolerance = tolerance * root;
  report.checked = std::int64_t{count} * N_;
  std::mutex guard;
  constexpr int kRun = 16;  // rows that a thread takes at a time
  parallel_for((count + kRun - 1) / kRun, threads, [&](int run) {
    std::vector<double> want(static_cast<std::size_t>(N_));
    for (int i = run * kRun; i < std::min(count, (run + 1) * kRun); ++i) {
      const int row = rows.empty() ? i : rows[static_cast<std::size_t>(i)];
      product_row(a, b, row, K_, want);
      const auto part =
          check_part(want, row_of(values[kC], row, N_), report.tolerance, [&](double largest) {
            return std::max(largest, root * root_mean_square(row_of(values[kA], row, K_)) * b_rms);
          });
      const std::scoped_lock lock(guard);
      add_part(report, part, std::int64_t{row} * N_);
    }
  });
  report.place = place_of(report.first);
  return report;
}

Coordinates MatmulProblem::place_of(std::int64_t index) const {
  const std::int64_t place = std::max<std::int64_t>(index, 0);
  return {{"row", place / N_}, {"column", place % N_}};
}

Hint MatmulProblem::explain(const Values& values, const CheckReport& report) const {
  return explain_matmul(M_, N_, K_, values, report);
}

/// A 1 x 1 convolution of one image, which has K channels of 1 x N pixels. B is x, A is k, C is y.
std::optional<Problem::OnDevice> MatmulProblem::on_device() const {
  return OnDevice{
      .truth = "conv",
      .sizes = {{"B", 1}, {"M", M_}, {"C", K_}, {"H", 1}, {"W", N_}, {"K", 1}, {"S", 1}},
      .inputs = {kB, kA},
      .terms = static_cast<double>(K_)};
}

}  // namespace opgrade
