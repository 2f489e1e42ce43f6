#include "grader/tasks/matmul/matmul_mistake.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "grader/check/part_check.hpp"
#include "grader/check/rounding_advice.hpp"
#include "grader/core/poison.hpp"
#include "grader/tasks/matmul/matmul_rows.hpp"

namespace opgrade {
namespace {

/// Wide enough for any float32 summation order, narrow enough that only the right explanation fits.
constexpr double kLoose = 1e-5;

/// The first wrong row, and what could have been computed instead.
class WrongRow {
 public:
  WrongRow(int M, int N, int K, const Values& values, int row)
      : M_(M), N_(N), K_(K), row_(row), c_(values[0]), a_(values[1]), b_(values[2]) {}

  /// True if the row is the product of the matrices that these views show.
  bool is_product(const MatrixView& a, const MatrixView& b, int depth) const {
    std::vector<double> want(static_cast<std::size_t>(N_));
    product_row(a, b, row_, depth, want);
    const auto part = check_part(want, got(), kLoose * std::sqrt(static_cast<double>(K_)),
                                 [](double largest) { return largest; });
    return part.mismatches == 0;
  }

  MatrixView a() const { return {a_.data(), K_, 1}; }
  MatrixView b() const { return {b_.data(), N_, 1}; }
  MatrixView a_by_columns() const { return {a_.data(), 1, M_}; }
  MatrixView b_by_columns() const { return {b_.data(), 1, K_}; }

  bool is_unwritten(std::size_t column) const { return is_poison(got()[column]); }

  /// True if it holds column `row_` of the right product.
  bool is_transposed() const {
    if (M_ != N_) return false;
    // Row of B^T A^T.
    std::vector<double> want(static_cast<std::size_t>(N_));
    product_row({b_.data(), 1, N_}, {a_.data(), 1, K_}, row_, K_, want);
    return check_part(want, got(), kLoose * std::sqrt(static_cast<double>(K_)), [](double largest) {
             return largest;
           }).mismatches == 0;
  }

 private:
  std::span<const float> got() const {
    return c_.subspan(static_cast<std::size_t>(row_) * static_cast<std::size_t>(N_),
                      static_cast<std::size_t>(N_));
  }

  int M_, N_, K_, row_;
  std::span<const float> c_, a_, b_;
};

}  // namespace

Hint explain_matmul(int M, int N, int K, const Values& values, const CheckReport& report) {
  if (report.passed() || report.first < 0) return {};
  const auto row = static_cast<int>(report.first / N), column = static_cast<int>(report.first % N);
  const WrongRow wrong(M, N, K, values, row);
  if (wrong.is_unwritten(static_cast<std::size_t>(column))) {
    if (row > 0 && column == 0)
      return {
          fmt::format("C is not written from row {} on, where M is {}: check where that loop or "
                      "the grid ends",
                      row, M),
          Hint::Kind::unwritten};
    if (column > 0)
      return {
          fmt::format("C is not written from column {} on, where N is {}: check where that loop "
                      "or the grid ends",
                      column, N),
          Hint::Kind::unwritten};
    return {"elements of C are not written", Hint::Kind::unwritten};
  }
  if (K > 1 && N > 1 && wrong.is_transposed())
    return {"C is transposed: element (i, j) holds what belongs to (j, i)"};
  if (K > 1 && N > 1 && wrong.is_product(wrong.a(), wrong.b_by_columns(), K))
    return {"B is read as if it were stored by columns: its element (k, j) is B[k * N + j]"};
  if (K > 1 && M > 1 && wrong.is_product(wrong.a_by_columns(), wrong.b(), K))
    return {"A is read as if it were stored by columns: its element (i, k) is A[i * K + k]"};
  for (const int tile : {4, 8, 16, 32, 64}) {
    const int whole = K / tile * tile;
    if (whole < K && wrong.is_product(wrong.a(), wrong.b(), whole))
      return {fmt::format(
          "the sums end at k = {}, where K is {}: the part of K after whole tiles is missing",
          whole, K)};
  }
  constexpr double kReduced = 2e-3;
  if (report.worst_error <= kReduced * std::sqrt(static_cast<double>(K)) &&
      report.mismatches > report.checked / 10)
    return {fmt::format(
        "every error is small, the largest {:.2g} of its row's largest element: so rounds reduced "
        "precision (half, TF32). {}",
        report.worst_error, rounding_advice(report.tolerance / std::sqrt(static_cast<double>(K))))};
  return {};
}

}  // namespace opgrade
