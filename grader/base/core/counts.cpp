#include "grader/base/core/counts.hpp"

#include <algorithm>
#include <array>

namespace opgrade {
namespace {

using Report = const ProfileReport&;

double of_kernels(Report counted, int layer, auto value) {
  double sum = 0;
  for (const ProfileCountRow& row : counted.counts)
    if (row.step == "conv" && (row.layer == layer || layer < 0))
      sum += static_cast<double>(value(row));
  return sum;
}

double kernels(Report counted, int layer, std::int64_t ProfileCountRow::*member) {
  return of_kernels(counted, layer, [&](const ProfileCountRow& row) { return row.*member; });
}

double accesses(Report counted, int layer, std::string_view space, std::string_view use,
                std::int64_t ProfileAccessRow::*member) {
  return of_kernels(counted, layer, [&](const ProfileCountRow& row) {
    std::int64_t sum = 0;
    for (const ProfileAccessRow& access : row.accesses)
      if ((access.space == space || space.empty()) && (access.use == use || use.empty()))
        sum += access.*member;
    return sum;
  });
}

double arrays(Report counted, int layer, std::int64_t ProfileArrayRow::*member) {
  return of_kernels(counted, layer, [&](const ProfileCountRow& row) {
    std::int64_t sum = 0;
    for (const ProfileArrayRow& array : row.arrays) sum += array.*member;
    return sum;
  });
}

double ratio(double value, double over) { return over > 0 ? value / over : value; }

using Row = ProfileCountRow;
using Access = ProfileAccessRow;

constexpr std::array kCounts{
    CountName{"launches", "kernels launched",
              [](Report r, int l) { return kernels(r, l, &Row::launches); }},
    CountName{"global_load_bytes", "bytes that threads load from global memory",
              [](Report r, int l) { return accesses(r, l, "global", "load", &Access::bytes); }},
    CountName{"global_store_bytes", "bytes that threads store in global memory",
              [](Report r, int l) { return accesses(r, l, "global", "store", &Access::bytes); }},
    CountName{
        "global_load_sectors",
        "sectors of 32 bytes that the loads of warps touch; ideal: the fewest that hold the data",
        [](Report r, int l) { return accesses(r, l, "global", "load", &Access::sectors); },
        [](Report r, int l) { return accesses(r, l, "global", "load", &Access::least_sectors); }},
    CountName{
        "global_store_sectors", "the same of stores",
        [](Report r, int l) { return accesses(r, l, "global", "store", &Access::sectors); },
        [](Report r, int l) { return accesses(r, l, "global", "store", &Access::least_sectors); }},
    CountName{"loads_of_element",
              "how often the threads of a launch load an element of global memory, on average",
              [](Report r, int l) {
                return ratio(arrays(r, l, &ProfileArrayRow::loads),
                             arrays(r, l, &ProfileArrayRow::of_grids));
              }},
    CountName{"shared_load_bytes", "bytes that threads load from shared memory",
              [](Report r, int l) { return accesses(r, l, "shared", "load", &Access::bytes); }},
    CountName{
        "saved_by_shared",
        "share of loads that shared memory saves, 0 to 1: words that a thread loads there and "
        "another one wrote, without those stored there, among these and the words loaded "
        "from global memory",
        [](Report r, int l) {
          const double saved = kernels(r, l, &Row::exchanged) -
                               accesses(r, l, "shared", "store", &Access::bytes) / 4;
          const double loaded = accesses(r, l, "global", "load", &Access::bytes) / 4;
          return saved > 0 ? saved / (saved + loaded) : 0;
        }},
    CountName{
        "shared_passes",
        "passes of warps through the banks of shared memory; ideal: without conflicts",
        [](Report r, int l) { return accesses(r, l, "shared", "", &Access::wavefronts); },
        [](Report r, int l) { return accesses(r, l, "shared", "", &Access::least_wavefronts); }},
    CountName{"constant_load_bytes", "bytes that threads load from constant memory",
              [](Report r, int l) { return accesses(r, l, "constant", "", &Access::bytes); }},
    CountName{"constant_passes",
              "passes of warps through constant memory; ideal: all lanes read one word",
              [](Report r, int l) { return accesses(r, l, "constant", "", &Access::wavefronts); },
              [](Report r, int l) { return accesses(r, l, "constant", "", &Access::requests); }},
    CountName{"global_atomics", "atomic operations of threads on global memory",
              [](Report r, int l) { return accesses(r, l, "global", "atomic", &Access::lanes); }},
    CountName{"shared_atomics", "atomic operations of threads on shared memory",
              [](Report r, int l) { return accesses(r, l, "shared", "atomic", &Access::lanes); }},
    CountName{"active_lanes", "lanes of 32 that take part in a load of a warp, on average",
              [](Report r, int l) {
                return ratio(accesses(r, l, "", "load", &Access::lanes),
                             accesses(r, l, "", "load", &Access::requests));
              }},
    CountName{
        "float_operations",
        "sums, products and multiply-adds of threads, in double precision too; ideal: the task's",
        [](Report r, int l) {
          return of_kernels(r, l, [](const Row& row) {
            return row.of_float.instructions() + row.of_double.instructions();
          });
        },
        [](Report r, int l) { return r.counted_layers.at(static_cast<std::size_t>(l)).flops / 2; }},
    CountName{"double_operations", "those in double precision alone",
              [](Report r, int l) {
                return of_kernels(r, l,
                                  [](const Row& row) { return row.of_double.instructions(); });
              }},
    CountName{"barriers", "barriers of blocks",
              [](Report r, int l) { return kernels(r, l, &Row::barriers); }},
    CountName{"shuffles", "shuffles of warps",
              [](Report r, int l) { return kernels(r, l, &Row::shuffles); }},
    CountName{"fragments", "tensor-core operations of warps",
              [](Report r, int l) { return kernels(r, l, &Row::fragments); }},
};

bool is_useless(const ProfileAccessRow& access) { return access.useless; }

/// True if none of its loads changes an output, so nothing that the kernel does is needed.
bool is_useless_kernel(const Row& row) {
  const auto is_load = [](const ProfileAccessRow& access) { return access.use == "load"; };
  return std::ranges::any_of(row.accesses, is_load) &&
         std::ranges::all_of(row.accesses, [&](const ProfileAccessRow& access) {
           return !is_load(access) || access.useless;
         });
}

bool is_loaded(const Row& row, std::size_t array) {
  return std::ranges::any_of(row.accesses, [&](const ProfileAccessRow& access) {
    return access.use == "load" && !access.useless && access.array == static_cast<int>(array) + 1;
  });
}

}  // namespace

ProfileReport without_useless_loads(const ProfileReport& counted) {
  ProfileReport rest;
  rest.counted_layers = counted.counted_layers;
  rest.counts = counted.counts;
  std::erase_if(rest.counts, is_useless_kernel);
  for (ProfileCountRow& row : rest.counts) {
    if (std::ranges::none_of(row.accesses, is_useless)) continue;
    for (std::size_t i = 0; i < row.arrays.size(); ++i)
      if (!is_loaded(row, i)) row.arrays[i] = {};
    for (const ProfileAccessRow& access : row.accesses)
      if (access.useless) row.exchanged -= access.exchanged;
    std::erase_if(row.accesses, is_useless);
  }
  return rest;
}

std::span<const CountName> count_names() { return kCounts; }

const CountName* find_count(std::string_view name) {
  const auto found = std::ranges::find(kCounts, name, &CountName::name);
  return found != kCounts.end() ? &*found : nullptr;
}

}  // namespace opgrade
