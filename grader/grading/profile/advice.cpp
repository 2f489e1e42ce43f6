#include "grader/grading/profile/advice.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "grader/grading/profile/costs.hpp"

namespace opgrade {
namespace {

/// What a rule found in the kernels of a profile. A rule that finds nothing adds nothing.
class Evidence {
 public:
  explicit Evidence(const GpuRates& rates) : rates_(rates) {}

  const GpuRates& rates() const { return rates_; }

  /// Adds a launch that would take `clocks` less. `access` is the line to show, or null; the
  /// largest wins.
  void add(const ProfileCountRow& row, const ProfileAccessRow* access, double clocks,
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

  /// The advice for the kernel that has most to save; all kernels together took `total` clocks.
  ProfileAdvice advice(const char* rule, double total) const {
    const auto most = std::ranges::max_element(
        kernels_, {}, [](const auto& kernel) { return kernel.second.clocks; });
    if (most == kernels_.end()) return {};
    ProfileAdvice advice = most->second.shown;
    advice.rule = rule;
    advice.saving = total > 0 ? most->second.clocks / total : 0;
    return advice;
  }

 private:
  struct Kernel {
    double clocks = 0, largest = 0;
    ProfileAdvice shown;
  };
  const GpuRates& rates_;
  std::map<std::string, Kernel> kernels_;
};

/// Multiply-adds of a 16 x 16 x 16 product of fragments.
constexpr std::int64_t kFragmentOperations = 16 * 16 * 16;

/// True if all lanes of a warp load one word at the same time.
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

/// Multiply-adds of threads and of products of fragments. A separate product and sum count as one.
double multiply_adds(const ProfileCountRow& row) {
  return static_cast<double>(row.of_float.fused +
                             std::max(row.of_float.add, row.of_float.multiply) +
                             kFragmentOperations * row.fragments);
}

/// The words that loads for which `of` holds bring, for each floating-point instruction of a
/// thread.
double words_an_operation(const ProfileCountRow& row,
                          const std::function<bool(const ProfileAccessRow&)>& of) {
  std::int64_t loaded = 0;
  for (const ProfileAccessRow& access : row.accesses)
    if (of(access)) loaded += std::max(access.bytes / 4, access.lanes);  // a half takes as long
  const auto operations = row.of_float.instructions() + row.of_double.instructions() +
                          kFragmentOperations * row.fragments;
  return operations > 0 ? static_cast<double>(loaded) / static_cast<double>(operations) : 0;
}

/// True for products of matrices and convolutions, false for reductions.
bool sums_products(const ProfileCountRow& row) {
  constexpr std::int64_t kSums = 4;  // a product of two pairs of halves has two
  const auto products = row.of_float.fused + row.of_float.multiply + row.of_double.fused +
                        row.of_double.multiply + kFragmentOperations * row.fragments;
  const auto sums = row.of_float.add + row.of_double.add;
  return products > 0 && kSums * products >= sums;
}

/// True if so many loads feed arithmetic, rather than other work of the kernel.
bool are_operands(double words_an_operation) {
  constexpr double kOne = 0.9, kMost = 3;  // a multiply-add has three
  return words_an_operation >= kOne && words_an_operation <= kMost;
}

/// Adds what a thread that computes 4 x 4 outputs in registers saves, and `more` passes.
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

/// True if the kernel only copies, and another one of the computation loads what it wrote.
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

/// True for the store of `sums[i] += ...` in shared memory.
bool is_sum(const ProfileCountRow& row, const ProfileAccessRow& access) {
  return access.space == "shared" && access.use == "store" &&
         std::ranges::any_of(row.accesses, [&](const ProfileAccessRow& load) {
           return is_shared_load(load) && load.line == access.line && load.file == access.file &&
                  load.requests == access.requests;
         });
}

/// All lanes of a warp load the same word of a small array: the constant cache broadcasts it
/// without a pass through the load units. Rung 1 shows it.
void constant_memory(const ProfileReport&, const ProfileCountRow& row, Evidence& evidence) {
  constexpr std::int64_t kConstantBytes = 64 * 1024, kOften = 8, kSmall = 2;
  const Costs costs = costs_of(row, evidence.rates());
  for (const ProfileAccessRow& access : row.accesses) {
    if (!is_uniform_load(access) || access.array == 0) continue;
    const auto& array = row.arrays.at(static_cast<std::size_t>(access.array - 1));
    if (array.bytes > kConstantBytes || array.loads < kOften * array.of_grids) continue;
    // One of two operands of the same size grows with the problem.
    const bool small = std::ranges::any_of(row.arrays, [&](const ProfileArrayRow& other) {
      return other.bytes >= kSmall * array.bytes;
    });
    if (!small) continue;
    evidence.add(row, &access, costs.saved_by(passes(access)), static_cast<double>(access.requests),
                 0);
  }
}

/// The threads of a block load the same elements again and again: a tile in shared memory has each
/// once. Rung 2 shows it.
void shared_tile(const ProfileReport&, const ProfileCountRow& row, Evidence& evidence) {
  constexpr std::int64_t kOften = 2;
  const Costs costs = costs_of(row, evidence.rates());
  for (std::size_t i = 0; i < row.arrays.size(); ++i) {
    const ProfileArrayRow& array = row.arrays[i];
    if (array.loads < kOften * array.of_blocks || array.loads < 2 * kOften * array.of_grids)
      continue;
    const ProfileAccessRow* largest = nullptr;
    double now = 0, from_tile = 0;
    for (const ProfileAccessRow& access : row.accesses) {
      if (access.space != "global" || access.use != "load" || is_uniform_load(access) ||
          access.array != static_cast<int>(i + 1))
        continue;
      now += passes(access);
      from_tile += static_cast<double>(access.requests);
      if (largest == nullptr || access.requests > largest->requests) largest = &access;
    }
    if (largest == nullptr) continue;
    // The tile's elements are loaded once and stored once.
    const double saved = now - from_tile - 2 * static_cast<double>(array.of_blocks) / 32;
    evidence.add(row, largest, costs.saved_by(saved),
                 static_cast<double>(array.loads) / static_cast<double>(array.of_grids),
                 static_cast<double>(array.of_blocks) / static_cast<double>(array.of_grids));
  }
}

/// Each multiply-add loads its operands from shared memory: a thread that computes several outputs
/// uses a loaded value several times, and keeps its sums in registers. Rungs 3 and 5 show it.
void register_tile(const ProfileReport&, const ProfileCountRow& row, Evidence& evidence) {
  if (!sums_products(row) || !are_operands(words_an_operation(row, is_shared_load))) return;
  double sums = 0;
  for (const ProfileAccessRow& access : row.accesses)
    if (is_sum(row, access)) sums += passes(access);
  add_register_tile(row, sums, evidence, [](const ProfileAccessRow& access) {
    return is_shared_load(access) || is_uniform_load(access);
  });
}

/// Each multiply-add loads its operands from the cache of global memory, where other threads of the
/// block find them, too: the remedy is that of register_tile(). Rung 2 shows it.
void direct_operands(const ProfileReport&, const ProfileCountRow& row, Evidence& evidence) {
  constexpr std::int64_t kOften = 4;
  constexpr double kFew = 0.5;
  // If a tile in shared memory has the operands, these loads fill it.
  if (!sums_products(row) || words_an_operation(row, is_shared_load) >= kFew) return;
  const auto is_operand = [&](const ProfileAccessRow& access) {
    if (access.space != "global" || access.use != "load" || access.array == 0) return false;
    const auto& array = row.arrays.at(static_cast<std::size_t>(access.array - 1));
    return array.loads >= kOften * array.of_blocks;
  };
  if (are_operands(words_an_operation(row, is_operand)))
    add_register_tile(row, 0, evidence, is_operand);
}

/// A kernel only rearranges an array in device memory for the next one: the next one can gather its
/// elements itself. Rung 4 shows it.
void fused_copy(const ProfileReport& counted, const ProfileCountRow& row, Evidence& evidence) {
  if (!makes_copy(counted, row)) return;
  const ProfileAccessRow* store = nullptr;
  for (const ProfileAccessRow& access : row.accesses)
    if (access.space == "global" && access.use == "store") store = &access;
  std::int64_t different = 0;
  for (const ProfileArrayRow& array : row.arrays) different += array.of_grids;
  evidence.add(row, store, costs_of(row, evidence.rates()).clocks(),
               store != nullptr ? static_cast<double>(store->bytes) : 0,
               static_cast<double>(4 * different));
}

/// Register tiles are filled word by word: a load of 16 bytes takes one instruction, and one pass
/// where all lanes read the same. Rung 6 shows it.
void vector_loads(const ProfileReport&, const ProfileCountRow& row, Evidence& evidence) {
  constexpr double kFew = 0.3, kMany = 0.9;
  constexpr std::int64_t kCrowd = 16;
  const double words = words_an_operation(row, is_shared_load);
  if (words < kFew || words >= kMany) return;
  const ProfileAccessRow* largest = nullptr;
  double fewer = 0;
  for (const ProfileAccessRow& access : row.accesses) {
    if (!is_shared_load(access) || access.bytes > 4 * access.lanes) continue;
    const bool same =
        access.crowd >= kCrowd * access.requests && access.wavefronts == access.requests;
    fewer += (same ? 0.75 : 0.25) * static_cast<double>(access.requests);
    if (largest == nullptr || access.requests > largest->requests) largest = &access;
  }
  if (largest != nullptr)
    evidence.add(row, largest, costs_of(row, evidence.rates()).saved_by(fewer),
                 static_cast<double>(largest->bytes) / static_cast<double>(largest->lanes), 16);
}

/// The kernel computes more than the task asks for, such as rows of a tile that no output uses, and
/// loads the operands from shared memory. Rung 7 shows it.
void needless_arithmetic(const ProfileReport& counted, const ProfileCountRow& row,
                         Evidence& evidence) {
  constexpr double kMore = 1.3;
  const auto layer = static_cast<std::size_t>(row.layer);
  if (layer >= counted.layers.size() || counted.layers[layer].flops <= 0) return;
  if (!sums_products(row)) return;  // a tree of sums is no tile
  const double needed = counted.layers[layer].flops / 2;
  const double done = multiply_adds(row);
  if (done < kMore * needed) return;
  const Costs costs = costs_of(row, evidence.rates());
  const double needless = 1 - needed / done;
  double operands = 0;
  for (const ProfileAccessRow& access : row.accesses)
    if (is_shared_load(access)) operands += passes(access);
  const Costs fewer{costs.passes - needless * operands, costs.arithmetic * needed / done,
                    costs.memory};
  evidence.add(row, nullptr, costs.clocks() - fewer.clocks(), done, needed);
}

/// Lanes of a warp have left the loop or never had work: blocks that fit the outputs keep them
/// busy. Rung 8 shows it.
void idle_lanes(const ProfileReport&, const ProfileCountRow& row, Evidence& evidence) {
  constexpr double kFull = 32, kEnough = 0.92;
  // The last steps of a tree of sums have no more work.
  if (row.exchanged > 0 && !sums_products(row)) return;
  const ProfileAccessRow* largest = nullptr;
  double lanes = 0, requests = 0;
  for (const ProfileAccessRow& access : row.accesses) {
    if (access.use != "load") continue;
    lanes += static_cast<double>(access.lanes);
    requests += static_cast<double>(access.requests);
    if (largest == nullptr || access.requests > largest->requests) largest = &access;
  }
  const double active = requests > 0 ? lanes / requests : kFull;
  if (active > kEnough * kFull) return;
  const Costs costs = costs_of(row, evidence.rates());
  const double share = active / kFull;
  const Costs full{costs.passes * share, costs.arithmetic * share, costs.memory};
  evidence.add(row, largest, costs.clocks() - full.clocks(), active, kFull);
}

/// The lanes of a warp use few bytes of each sector that they touch.
void uncoalesced(const ProfileReport&, const ProfileCountRow& row, Evidence& evidence) {
  constexpr double kMore = 1.5;
  const Costs costs = costs_of(row, evidence.rates());
  for (const ProfileAccessRow& access : row.accesses) {
    const auto sectors = static_cast<double>(access.sectors);
    const auto least = static_cast<double>(access.least_sectors);
    if (access.space != "global" || access.use == "atomic" || sectors < kMore * least) continue;
    const auto requests = static_cast<double>(access.requests);
    ProfileAccessRow dense = access;
    dense.sectors = access.least_sectors;
    evidence.add(row, &access,
                 costs.saved_by(passes(access) - passes(dense),
                                memory_clocks(row, access, evidence.rates()) -
                                    memory_clocks(row, dense, evidence.rates())),
                 sectors / requests, least / requests);
  }
}

/// Finds accesses to this memory that take far more turns than the fewest they need, except atomic
/// operations, because their addresses are data, such as the bin of a value.
void needless_turns(const ProfileCountRow& row, std::string_view space,
                    std::int64_t ProfileAccessRow::*fewest, Evidence& evidence) {
  constexpr double kMore = 1.5;
  const Costs costs = costs_of(row, evidence.rates());
  for (const ProfileAccessRow& access : row.accesses) {
    const auto now = static_cast<double>(access.wavefronts);
    const auto least = static_cast<double>(access.*fewest);
    if (access.space != space || access.use == "atomic" || now < kMore * least) continue;
    const auto requests = static_cast<double>(access.requests);
    evidence.add(row, &access, costs.saved_by(now - least), now / requests, least / requests);
  }
}

/// Lanes of a warp use different words of one bank of shared memory, which takes them in turn.
void bank_conflicts(const ProfileReport&, const ProfileCountRow& row, Evidence& evidence) {
  needless_turns(row, "shared", &ProfileAccessRow::least_wavefronts, evidence);
}

/// Lanes of a warp read different constants, which come one after another.
void constant_order(const ProfileReport&, const ProfileCountRow& row, Evidence& evidence) {
  needless_turns(row, "constant", &ProfileAccessRow::requests, evidence);
}

/// Many lanes of a warp change one address by atomic operations, which happen one after another.
void crowded_atomics(const ProfileReport&, const ProfileCountRow& row, Evidence& evidence) {
  constexpr std::int64_t kCrowd = 8;
  const Costs costs = costs_of(row, evidence.rates());
  for (const ProfileAccessRow& access : row.accesses) {
    if (access.use != "atomic" || access.crowd < kCrowd * access.requests) continue;
    const auto requests = static_cast<double>(access.requests);
    evidence.add(row, &access, costs.saved_by(passes(access) - requests),
                 static_cast<double>(access.crowd) / requests, 1);
  }
}

/// A kernel of float data computes in double, often because of a literal such as 1.0.
void double_arithmetic(const ProfileReport&, const ProfileCountRow& row, Evidence& evidence) {
  const auto doubles = row.of_double.instructions();
  if (doubles == 0) return;
  ProfileCountRow single = row;
  single.of_float.add += doubles;
  single.of_double = {};
  evidence.add(
      row, nullptr,
      costs_of(row, evidence.rates()).clocks() - costs_of(single, evidence.rates()).clocks(),
      static_cast<double>(doubles), 0);
}

/// Adds to the evidence what one kernel of the profile shows.
using Look = void(const ProfileReport& counted, const ProfileCountRow& row, Evidence& evidence);

struct Rule {
  const char* name;
  Look* look;
  bool last = false;  ///< comes behind the others, which change what it is about
  /// The rule that follows this one, whatever it saves: its kernel changes with this remedy.
  Look* next = nullptr;
};

constexpr Rule kRules[] = {
    {"constant_memory", &constant_memory, false, &direct_operands},
    {"shared_tile", &shared_tile, false, &direct_operands},
    {"fused_copy", &fused_copy, false, &register_tile},
    {"register_tile", &register_tile},
    {"register_tile", &direct_operands},
    {"vector_loads", &vector_loads},
    {"needless_arithmetic", &needless_arithmetic, true},
    {"idle_lanes", &idle_lanes},
    {"uncoalesced", &uncoalesced},
    {"bank_conflicts", &bank_conflicts},
    {"constant_order", &constant_order},
    {"crowded_atomics", &crowded_atomics},
    {"double_arithmetic", &double_arithmetic},
};

constexpr double kWorthAStep = 0.05;  // of the kernels' time
constexpr std::size_t kMost = 3;

struct Found {
  const Rule* rule = nullptr;
  ProfileAdvice advice;
  double rank = 0;
};

}  // namespace

std::vector<ProfileAdvice> advise(const ProfileReport& counted) {
  const GpuRates& rates = gpu_rates(counted.roofline);
  double total = 0;
  for (const ProfileCountRow& row : counted.counts) total += costs_of(row, rates).clocks();
  std::vector<Found> all;
  for (const Rule& rule : kRules) {
    Evidence evidence(rates);
    for (const ProfileCountRow& row : counted.counts) rule.look(counted, row, evidence);
    ProfileAdvice advice = evidence.advice(rule.name, total);
    const double saving = advice.saving;
    if (saving >= kWorthAStep) all.push_back({&rule, std::move(advice), saving});
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Found::rank);
  if (all.size() > kMost) all.resize(kMost);
  for (Found& found : all) {
    if (found.rule->last) found.rank = 0;
    for (const Found& other : all)
      if (found.rule->next == other.rule->look)
        found.rank = std::max(found.rank, other.advice.saving);
  }
  std::ranges::stable_sort(all, [](const Found& a, const Found& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.rule < b.rule;
  });
  std::vector<ProfileAdvice> advice;
  for (Found& found : all) advice.push_back(std::move(found.advice));
  return advice;
}

}  // namespace opgrade
