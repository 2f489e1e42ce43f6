#include "grader/task/folder/reference_answers.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <ranges>
#include <utility>

#include "grader/base/core/parallel.hpp"
#include "grader/base/core/system_random.hpp"

namespace opgrade {
namespace {

constexpr std::size_t kPiece = 4 << 20;  // bytes a thread takes at a time

/// Compares bit for bit.
bool is_same(std::span<const std::byte> a, std::span<const std::byte> b, int threads) {
  if (a.size() != b.size()) return false;
  std::atomic<bool> same = true;
  parallel_for_pieces(a.size(), kPiece, threads, [&](std::size_t at, std::size_t count) {
    if (std::memcmp(a.data() + at, b.data() + at, count) != 0) same = false;
  });
  return same;
}

bool has_inputs(const StaffOutput& set, StaffInputs inputs, int threads) {
  return std::ranges::equal(set.inputs, inputs,
                            [&](const auto& a, const auto& b) { return is_same(a, b, threads); });
}

}  // namespace

void ReferenceAnswers::fill(const Values& values, std::mt19937_64& random) {
  const std::scoped_lock lock(guard_);
  filled_with_ = std::mt19937_64(random)();
  staff_.make_inputs(values, random, 1);
}

void ReferenceAnswers::refresh(const Values& values, int threads) {
  const std::scoped_lock lock(guard_);
  known_.reset();
  filled_with_.reset();
  if (ahead_.empty()) compute_ahead(threads);
  if (ahead_.empty()) {
    std::mt19937_64 random(SystemRandom{}());
    staff_.make_inputs(values, random, threads);
    return;
  }
  known_ = std::move(ahead_.back());
  ahead_.pop_back();
  for (std::size_t i = 1; i < values.size(); ++i) {
    const auto to = values[i].bytes();
    parallel_for_pieces(to.size(), kPiece, threads, [&](std::size_t at, std::size_t count) {
      std::ranges::copy(known_->inputs[i - 1].subspan(at, count), to.subspan(at).begin());
    });
  }
}

/// Doubles the number of calls each time. The first call has none ahead, because it ends most wrong
/// submissions, unless other submissions use the set, too.
void ReferenceAnswers::compute_ahead(int threads) {
  if (!is_large()) return;
  const int least = sets_ != nullptr ? 1 : 2;
  const int wanted = sets_ != nullptr ? std::max(ahead_next_, 1) : ahead_next_;
  const int count = std::min({wanted, threads, sets_in_memory()});
  ahead_next_ = std::max(2 * ahead_next_, 2);
  if (count < least) return;
  std::vector<std::uint64_t> seeds(static_cast<std::size_t>(count));
  SystemRandom random_seed;
  std::ranges::generate(seeds, std::ref(random_seed));
  ahead_.resize(seeds.size());
  ahead_inputs_.resize(seeds.size());
  try {
    parallel_for(count, threads, [&](int i) {
      const auto number = static_cast<std::size_t>(i);
      const auto make = [&](std::uint64_t seed) {
        auto& memory = ahead_inputs_[number];
        if (memory.empty()) {
          memory.emplace_back(BufferSize{0});  // no memory for the output
          for (const auto& shape : staff_.layout().shared() | std::views::drop(1))
            memory.emplace_back(shape.size());
        }
        const Values values = values_of(memory);
        std::mt19937_64 random(seed);
        staff_.make_inputs(values, random, 1);
        return staff_.compute(values);
      };
      ahead_[number] = sets_ != nullptr
                           ? sets_->fresh(staff_.sizes(), make, std::max(threads / count, 1))
                           : make(seeds[number]);
    });
  } catch (...) {
    ahead_.clear();
    throw;
  }
}

std::size_t ReferenceAnswers::bytes_of_set() const {
  std::size_t bytes = staff_.bytes();
  for (const auto& shape : staff_.layout().shared() | std::views::drop(1))
    bytes += 2 * shape.size().bytes();  // the inputs, and their copy for the reference
  return bytes;
}

/// Smaller problems are computed within a millisecond, so they do not need a process each.
bool ReferenceAnswers::is_large() const { return bytes_of_set() >= 4 << 20; }

/// As many as fit into an eighth of the machine's memory. More than five are seldom needed: a
/// warm-up and fifteen timed calls are one, two, four and twice five.
int ReferenceAnswers::sets_in_memory() const {
  const auto memory = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  constexpr std::size_t kMost = 5;
  return static_cast<int>(std::min(memory / 8 / bytes_of_set(), kMost));
}

/// The outputs for the inputs of fill(), if no call has changed these inputs since.
StaffOutput ReferenceAnswers::compute_filled(const Values& values, int threads) const {
  if (sets_ == nullptr || !filled_with_ || !is_large()) return staff_.compute(values);
  StaffOutput set = sets_->of_seed(
      staff_.sizes(), *filled_with_, [&](std::uint64_t) { return staff_.compute(values); },
      threads);
  return has_inputs(set, StaffCalls::inputs_of(values), threads) ? set : staff_.compute(values);
}

StaffOutput ReferenceAnswers::expected(const Values& values, int threads) {
  const std::scoped_lock lock(guard_);
  if (known_ && has_inputs(*known_, StaffCalls::inputs_of(values), threads)) return *known_;
  known_.reset();  // frees its process for this call
  StaffOutput output = compute_filled(values, threads);
  if (is_large()) known_ = output;
  return output;
}

void ReferenceAnswers::release_unless_timed() {
  constexpr int kAfterOneCall = 2;
  const std::scoped_lock lock(guard_);
  if (ahead_next_ <= kAfterOneCall) known_.reset();
}

}  // namespace opgrade
