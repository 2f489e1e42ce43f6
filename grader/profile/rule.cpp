#include "grader/profile/rule.hpp"

#include <algorithm>

namespace opgrade {
namespace {

/// Multiply-adds of a 16 x 16 x 16 product of fragments.
constexpr std::int64_t kFragmentOperations = 16 * 16 * 16;

}  // namespace

void Evidence::add(const ProfileCountRow& row, const ProfileAccessRow* access, double clocks,
                   double counted, double least) {
  if (!(clocks > 0)) return;
  Kernel& kernel = kernels_[row.name];
  kernel.clocks += clocks;
  if (clocks <= kernel.largest) return;
  kernel.largest = clocks;
  kernel.shown = {.kernel = row.name, .counted = counted, .least = least};
  if (access != nullptr) {
    kernel.shown.file = access->file;
    kernel.shown.line = access->line;
  }
}

ProfileAdvice Evidence::advice(const char* rule, double total) const {
  const auto most = std::ranges::max_element(
      kernels_, {}, [](const auto& kernel) { return kernel.second.clocks; });
  if (most == kernels_.end()) return {};
  ProfileAdvice advice = most->second.shown;
  advice.rule = rule;
  advice.saving = total > 0 ? most->second.clocks / total : 0;
  return advice;
}

bool is_uniform_load(const ProfileAccessRow& access) {
  constexpr std::int64_t kInSector = 8;  // so many lanes could have a word of their own there
  constexpr std::int64_t kFew = 10;      // in so many warps one may have two words
  return access.space == "global" && access.use == "load" &&
         kFew * (access.sectors - access.requests) <= access.requests &&
         access.lanes > kInSector * access.requests && access.crowd > kInSector * access.requests;
}

bool is_shared_load(const ProfileAccessRow& access) {
  return access.space == "shared" && access.use == "load";
}

double multiply_adds(const ProfileCountRow& row) {
  return static_cast<double>(row.of_float.fused +
                             std::max(row.of_float.add, row.of_float.multiply) +
                             kFragmentOperations * row.fragments);
}

double words_an_operation(const ProfileCountRow& row,
                          const std::function<bool(const ProfileAccessRow&)>& of) {
  std::int64_t loaded = 0;
  for (const ProfileAccessRow& access : row.accesses)
    if (of(access)) loaded += std::max(access.bytes / 4, access.lanes);  // a half takes as long
  const auto operations = row.of_float.instructions() + row.of_double.instructions() +
                          kFragmentOperations * row.fragments;
  return operations > 0 ? static_cast<double>(loaded) / static_cast<double>(operations) : 0;
}

bool sums_products(const ProfileCountRow& row) {
  constexpr std::int64_t kSums = 4;  // a product of two pairs of halves has two
  const auto products = row.of_float.fused + row.of_float.multiply + row.of_double.fused +
                        row.of_double.multiply + kFragmentOperations * row.fragments;
  const auto sums = row.of_float.add + row.of_double.add;
  return products > 0 && kSums * products >= sums;
}

bool are_operands(double words_an_operation) {
  constexpr double kOne = 0.9, kMost = 3;  // a multiply-add has three
  return words_an_operation >= kOne && words_an_operation <= kMost;
}

void add_register_tile(const ProfileCountRow& row, double more, Evidence& evidence,
                       const std::function<bool(const ProfileAccessRow&)>& is_operand) {
  constexpr double kTile = 0.5;  // 4 x 4 outputs need 8 words for 16 operations
  const double words = words_an_operation(row, is_operand);
  const ProfileAccessRow* largest = nullptr;
  double now = 0;
  for (const ProfileAccessRow& access : row.accesses) {
    if (!is_operand(access)) continue;
    now += passes(access);
    if (largest == nullptr || access.requests > largest->requests) largest = &access;
  }
  evidence.add(row, largest,
               costs_of(row, evidence.rates()).saved_by(now * (1 - kTile / words) + more), words,
               kTile);
}

bool makes_copy(const ProfileReport& counted, const ProfileCountRow& row) {
  if (!row.copies) return false;
  std::int64_t written = 0;
  for (const ProfileAccessRow& access : row.accesses)
    if (access.space == "global" && access.use == "store") written += access.bytes / 4;
  return std::ranges::any_of(counted.counts, [&](const ProfileCountRow& other) {
    return &other != &row && other.layer == row.layer &&
           std::ranges::any_of(other.arrays, [&](const ProfileArrayRow& array) {
             return array.of_grids * 10 > written * 9 && array.of_grids * 9 < written * 10;
           });
  });
}

}  // namespace opgrade
