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
  return access.space == "global" && access.use == "load" && access.sectors == access.requests &&
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
