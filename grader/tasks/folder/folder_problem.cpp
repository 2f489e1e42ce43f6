#include "grader/tasks/folder/folder_problem.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <ranges>

#include "grader/core/error.hpp"
#include "grader/core/parallel.hpp"
#include "grader/core/poison.hpp"
#include "grader/core/printable.hpp"
#include "grader/core/random_words.hpp"
#include "grader/core/system_random.hpp"
#include "grader/tasks/folder/distribution.hpp"
#include "grader/tasks/folder/expression.hpp"
#include "grader/tasks/folder/output_advice.hpp"
#include "grader/tasks/folder/output_check.hpp"

namespace opgrade {
namespace {

constexpr std::array<std::string_view, 3> kAxes{"i", "j", "k"};

/// Whole numbers have no NaN: their poison is a secret of the call's inputs, so that no answer is
/// right because nothing was written.
Poison poison_of(const ElementType& type, const Values& values) {
  static const std::uint64_t secret = SystemRandom()();
  constexpr std::size_t kEnough = 256;  // words of an input
  Poison poison;
  if (type.floating) {
    poison.fill(std::byte{kPoisonByte});
    return poison;
  }
  std::uint64_t word = secret;
  for (std::size_t i = 1; i < values.size(); ++i)
    for (const float value : values[i].first(std::min(values[i].size(), kEnough)))
      word = random_word(secret, word ^ std::bit_cast<std::uint32_t>(value));
  std::memcpy(poison.data(), &word, sizeof word);
  return poison;
}

constexpr std::size_t kPiece = 1 << 20;  // words a thread takes at a time

void fill_with(const Poison& poison, std::span<std::byte> bytes, int threads) {
  std::array<std::byte, 512 * sizeof(Poison)> block;
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = poison[i % poison.size()];
  parallel_for_pieces(bytes.size(), kPiece, threads, [&](std::size_t begin, std::size_t count) {
    for (std::size_t at = 0; at < count; at += block.size())
      std::memcpy(bytes.data() + begin + at, block.data(), std::min(count - at, block.size()));
  });
}

/// Bit for bit.
bool is_same(std::span<const float> a, std::span<const float> b, int threads) {
  if (a.size() != b.size()) return false;
  std::atomic<bool> same = true;
  parallel_for_pieces(a.size(), kPiece, threads, [&](std::size_t at, std::size_t count) {
    if (std::memcmp(a.data() + at, b.data() + at, count * sizeof(float)) != 0) same = false;
  });
  return same;
}

bool has_inputs(const StaffOutput& set, StaffInputs inputs, int threads) {
  return std::ranges::equal(set.inputs, inputs,
                            [&](const auto& a, const auto& b) { return is_same(a, b, threads); });
}

}  // namespace

FolderProblem::FolderProblem(const TaskDescription& task, Coordinates sizes,
                             std::shared_ptr<ReferenceCode> reference)
    : task_(task),
      sizes_(std::move(sizes)),
      layout_(task, sizes_),
      expected_(layout_),
      reference_(std::move(reference)),
      flops_(static_cast<double>(evaluate(task.flops, sizes_))) {}

ReferenceCode& FolderProblem::reference() const {
  if (!reference_)
    throw Error(fmt::format("the reference of {} was not started", task_.name),
                "this is a bug of opgrade: please report it");
  return *reference_;
}

bool FolderProblem::is_generated(const Slot& slot) const {
  return slot.buffer->is_given() && values_of(*slot.buffer, sizes_) == kGenerated;
}

void FolderProblem::fill(const Values& values, std::mt19937_64& random) const {
  const std::scoped_lock lock(guard_);
  filled_with_ = std::mt19937_64(random)();
  make_inputs(values, random, 1);
}

void FolderProblem::make_inputs(const Values& values, std::mt19937_64& random, int threads) const {
  bool generated = false;
  for (const Slot& slot : layout_.slots()) {
    if (!slot.buffer->is_given() || slot.elements == 0) continue;
    if (is_generated(slot)) {
      generated = true;
      continue;
    }
    Distribution(values_of(*slot.buffer, sizes_), sizes_, *slot.buffer->type)
        .fill(Layout::given_bytes(slot, values), random, threads);
  }
  if (generated) generate(values, random);
  if (!task_.validates) return;
  if (const auto wrong = complaint(ReferenceCode::Step::validate, inputs_of(values));
      !wrong.empty())
    throw Error(fmt::format("the task {}: validate.cpp refuses the inputs at {}: {}", task_.name,
                            text_of(sizes_), wrong),
                "mend the task: its `values`, generate.cpp or validate.cpp");
}

/// generate.cpp makes every buffer that it may fill.
void FolderProblem::generate(const Values& values, std::mt19937_64& random) const {
  const auto made_by_it = [](const Slot& slot) {
    return slot.buffer->is_given() &&
           std::ranges::find(slot.buffer->values, kGenerated) != slot.buffer->values.end();
  };
  const auto aligned = [](std::size_t bytes) {
    return (bytes + kOutputAlignment - 1) / kOutputAlignment * kOutputAlignment;
  };
  std::size_t bytes = 0;
  for (const Slot& slot : layout_.slots())
    if (made_by_it(slot)) bytes += aligned(slot.bytes());
  const std::uint64_t number = random();
  std::array<float, 2> seed{};
  std::memcpy(seed.data(), &number, sizeof number);
  Words inputs = inputs_of(values);
  inputs.emplace_back(seed);
  const StaffOutput made = reference().run(ReferenceCode::Step::generate, sizes_, inputs,
                                           std::max<std::size_t>(bytes / sizeof(float), 1));
  const auto* next = std::as_bytes(made.words).data();
  for (const Slot& slot : layout_.slots()) {
    if (!made_by_it(slot)) continue;
    if (is_generated(slot))
      std::memcpy(Layout::given_bytes(slot, values).data(), next, slot.bytes());
    next += aligned(slot.bytes());
  }
}

std::string FolderProblem::complaint(ReferenceCode::Step step, const Words& inputs) const {
  const StaffOutput said = reference().run(step, sizes_, inputs, kStaffTextWords);
  const auto* const text = reinterpret_cast<const char*>(said.words.data());
  return printable_line({text, strnlen(text, said.words.size_bytes())});
}

void FolderProblem::set_output(const Values& values, bool zeros, int threads) const {
  for (const Slot& slot : layout_.slots()) {
    if (!slot.is_output()) continue;
    std::ranges::fill(layout_.guard_of(slot, values), std::byte{kPoisonByte});
    const auto bytes = Layout::bytes_of(slot, values);
    if (slot.initial >= 0) {
      std::ranges::copy(Layout::given_bytes(slot, values), bytes.begin());
    } else if (zeros || slot.buffer->initial == BufferDescription::Initial::zero) {
      std::ranges::fill(bytes, std::byte{0});
    } else {
      fill_with(poison_of(*slot.buffer->type, values), bytes, threads);
    }
  }
}

bool FolderProblem::poisons_output() const {
  return std::ranges::any_of(layout_.slots(), [](const Slot& slot) {
    return slot.is_output() && slot.initial < 0 &&
           slot.buffer->initial == BufferDescription::Initial::poison;
  });
}

void FolderProblem::refresh(const Values& values, int threads) const {
  const std::scoped_lock lock(guard_);
  known_.reset();
  filled_with_.reset();
  if (ahead_.empty()) compute_ahead(threads);
  if (ahead_.empty()) {
    std::mt19937_64 random(SystemRandom{}());
    make_inputs(values, random, threads);
    return;
  }
  known_ = std::move(ahead_.back());
  ahead_.pop_back();
  for (std::size_t i = 1; i < values.size(); ++i)
    parallel_for_pieces(values[i].size(), kPiece, threads, [&](std::size_t at, std::size_t count) {
      std::ranges::copy(known_->inputs[i - 1].subspan(at, count), values[i].begin() + at);
    });
}

/// For twice as many calls each time. None for the first one, which ends most wrong submissions,
/// unless others use the set, too.
void FolderProblem::compute_ahead(int threads) const {
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
          memory.emplace_back();  // no output
          for (const auto& shape : buffers() | std::views::drop(1))
            memory.emplace_back(static_cast<std::size_t>(shape.elements()));
        }
        const Values values(memory.begin(), memory.end());
        std::mt19937_64 random(seed);
        make_inputs(values, random, 1);
        return compute(values);
      };
      ahead_[number] = sets_ != nullptr ? sets_->fresh(sizes_, make, std::max(threads / count, 1))
                                        : make(seeds[number]);
    });
  } catch (...) {
    ahead_.clear();
    throw;
  }
}

std::size_t FolderProblem::words_of_set() const {
  std::size_t words = static_cast<std::size_t>(expected_.words);
  for (const auto& shape : buffers() | std::views::drop(1))
    words += 2 * static_cast<std::size_t>(shape.elements());  // made, and for the reference
  return words;
}

/// Others are computed within a millisecond, and need no process each.
bool FolderProblem::is_large() const { return words_of_set() >= 1 << 20; }

/// An eighth of the machine's memory. More than five are seldom needed: a warm-up and fifteen timed
/// calls are one, two, four and twice five.
int FolderProblem::sets_in_memory() const {
  const auto memory = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  constexpr std::size_t kMost = 5;
  return static_cast<int>(std::min(memory / 8 / (words_of_set() * sizeof(float)), kMost));
}

std::unique_ptr<Problem> FolderProblem::first_parts(int) const {
  return std::make_unique<FolderProblem>(task_, sizes_, reference_);
}

StaffOutput FolderProblem::compute(const Values& values) const {
  return reference().run(ReferenceCode::Step::reference, sizes_, inputs_of(values),
                         static_cast<std::size_t>(expected_.words));
}

/// Of fill(), where no call has changed the inputs since.
StaffOutput FolderProblem::compute_filled(const Values& values, int threads) const {
  if (sets_ == nullptr || !filled_with_ || !is_large()) return compute(values);
  StaffOutput set = sets_->of_seed(
      sizes_, *filled_with_, [&](std::uint64_t) { return compute(values); }, threads);
  return has_inputs(set, inputs_of(values), threads) ? set : compute(values);
}

StaffOutput FolderProblem::expected(const Values& values, int threads) const {
  const std::scoped_lock lock(guard_);
  if (known_ && has_inputs(*known_, inputs_of(values), threads)) return *known_;
  known_.reset();  // its process serves this call
  StaffOutput output = compute_filled(values, threads);
  if (is_large()) known_ = output;
  return output;
}

const Slot& FolderProblem::result_of(const Slot& slot) const {
  const BufferDescription& buffer = *slot.buffer;
  if (buffer.or_in.empty() || evaluate(buffer.or_when, sizes_) == 0) return slot;
  return *std::ranges::find_if(layout_.slots(),
                               [&](const Slot& s) { return s.buffer->name == buffer.or_in; });
}

void FolderProblem::each_output(const StaffOutput& expected, auto visit) const {
  auto place = expected_.slots.begin();
  for (const Slot& slot : layout_.slots())
    if (slot.is_checked())
      visit(slot, result_of(slot), Expected(expected.words, *place++, *slot.buffer->type));
}

std::int64_t FolderProblem::defined(const Slot& slot, const Values& values,
                                    const StaffOutput& expected) const {
  const std::string& rule = slot.buffer->defined;
  if (rule.empty()) return slot.elements;
  std::int64_t count = 0;
  if (const auto* const buffer = task_.find(rule); buffer == nullptr) {
    count = evaluate(rule, sizes_);
  } else if (buffer->is_checked()) {
    each_output(expected, [&](const Slot& other, const Slot&, const Expected& numbers) {
      if (other.buffer == buffer) count = numbers.whole(0);
    });
  } else {
    for (const Slot& other : layout_.slots())
      if (other.buffer == buffer)
        count = load_whole(*buffer->type, Layout::given_bytes(other, values).data());
  }
  return std::clamp<std::int64_t>(count, 0, slot.elements);
}

bool FolderProblem::inputs_are_numbers(const Values& values) const {
  for (const Slot& slot : layout_.slots()) {
    if (!slot.buffer->is_given() || !slot.buffer->type->floating) continue;
    const auto bytes = Layout::given_bytes(slot, values);
    for (std::size_t at = 0; at < bytes.size(); at += slot.buffer->type->bytes)
      if (std::isnan(load(*slot.buffer->type, bytes.data() + at))) return false;
  }
  return true;
}

ReferenceTrial FolderProblem::try_reference(ReferenceCode* poisoned) const {
  std::vector<std::vector<float>> memory;
  for (const auto& shape : buffers())
    memory.emplace_back(static_cast<std::size_t>(shape.elements()));
  const Values values(memory.begin(), memory.end());
  std::mt19937_64 random(1);
  fill(values, random);
  // An output that is held keeps its process; the second call shall be the same one's.
  const auto copied = [](const StaffOutput& output) {
    return std::vector(output.words.begin(), output.words.end());
  };
  const auto run = [&](ReferenceCode& code) {
    return copied(code.run(ReferenceCode::Step::reference, sizes_, inputs_of(values),
                           static_cast<std::size_t>(expected_.words)));
  };
  const auto first = run(reference()), second = run(reference());
  if (std::memcmp(first.data(), second.data(), first.size() * sizeof(float)) != 0)
    return {.wrong = "two calls with the same inputs give other outputs",
            .advice = "its outputs must depend on its arguments alone: is a variable not set?"};
  const auto other = poisoned != nullptr ? run(*poisoned) : first;
  const StaffOutput plain{.words = first}, filled{.words = other};
  const bool numbers = inputs_are_numbers(values);
  ReferenceTrial trial;
  each_output(plain, [&, place = expected_.slots.begin()](const Slot& slot, const Slot&,
                                                          const Expected& output) mutable {
    const BufferDescription& buffer = *slot.buffer;
    const Expected again(filled.words, *place++, *buffer.type);
    // check.cpp may need no output of the reference.
    if (!trial.wrong.empty() || buffer.error == BufferDescription::Error::program) return;
    const auto count = defined(slot, values, plain);
    auto found = compare_trials(buffer, output, again, count);
    if (found.wrong.empty() && numbers) found = look_for_nan(buffer, output, count);
    if (found.note.empty()) found.note = trial.note;
    trial = std::move(found);
  });
  return trial;
}

namespace {
/// What the error of an element is divided by.
ErrorScale scale_of(const BufferDescription& buffer, const Expected& expected,
                    std::int64_t element) {
  using Error = BufferDescription::Error;
  if (!buffer.type->floating) return ErrorScale::none;
  switch (buffer.error) {
    case Error::scaled:
      return expected.gives_scale(element) ? ErrorScale::terms : ErrorScale::output;
    case Error::relative:
      return ErrorScale::expected;
    case Error::mixed:
      return ErrorScale::mixed;
    case Error::norm:
      return ErrorScale::norm;
    default:
      return ErrorScale::none;
  }
}
}  // namespace

CheckReport FolderProblem::check(const Values& values, double tolerance, std::span<const int>,
                                 int threads) const {
  const auto computed = expected(values, threads);
  CheckReport report;
  report.tolerance = tolerance;
  double worst_share = -1;  // of the tolerance
  std::int64_t start = 0;   // of the output in the numbering of all
  each_output(computed, [&](const Slot& slot, const Slot& result, const Expected& wanted) {
    const BufferDescription& buffer = *slot.buffer;
    const auto count = defined(slot, values, computed);
    if (buffer.error != BufferDescription::Error::program) {
      const double allowed = buffer.tolerance.value_or(buffer.type->floating ? tolerance : 0);
      const auto one = check_output(buffer, Layout::bytes_of(result, values), wanted, count,
                                    allowed, evaluate(buffer.mismatches, sizes_), threads);
      const double share = allowed > 0 ? one.worst / allowed : one.worst;
      if (share > worst_share) {
        worst_share = share;
        report.worst_error = one.worst;
        report.tolerance = allowed;
        if (count > 0)
          report.error_scale = scale_of(buffer, wanted, std::max<std::int64_t>(one.first, 0));
      }
      if (one.mismatches > 0 && report.mismatches == 0) {
        report.first = start + one.first;
        report.got = one.got;
        report.want = one.want;
      }
      report.mismatches += one.mismatches;
    }
    report.checked += count;
    start += slot.elements;
  });
  // Nothing of an empty output is wrong.
  report.checked = std::max<std::int64_t>(report.checked, 1);
  report.place = place_of(report.first);
  for (const Slot& slot : layout_.slots()) {
    if (report.mismatches > 0 || !slot.is_output()) continue;
    const auto guard = layout_.guard_of(slot, values);
    if (std::ranges::count(guard, std::byte{kPoisonByte}) == std::ssize(guard)) continue;
    report.mismatches = 1;
    report.set({fmt::format("memory right behind {} was overwritten", slot.buffer->name)});
  }
  if (report.mismatches == 0 && task_.judges()) {
    Words all = inputs_of(values);
    all.emplace_back(values.front());
    if (auto wrong = complaint(ReferenceCode::Step::check, all); !wrong.empty()) {
      report.mismatches = 1;
      report.set({std::move(wrong)});
    }
  }
  if (report.passed()) release_unless_timed();
  return report;
}

/// A case of many large problems is not to hold a process of the reference for each.
void FolderProblem::release_unless_timed() const {
  constexpr int kAfterOneCall = 2;
  const std::scoped_lock lock(guard_);
  if (ahead_next_ <= kAfterOneCall) known_.reset();
}

std::pair<const Slot*, std::int64_t> FolderProblem::find(std::int64_t index) const {
  for (const Slot& slot : layout_.slots()) {
    if (!slot.is_checked()) continue;
    if (index < slot.elements) return {&slot, index};
    index -= slot.elements;
  }
  return {nullptr, 0};
}

Coordinates FolderProblem::place_of(std::int64_t index) const {
  auto [slot, element] = find(std::max<std::int64_t>(index, 0));
  if (slot == nullptr) return {{"i", 0}};
  const auto& extents = slot->buffer->extents;
  Coordinates place(extents.size());
  for (std::size_t i = extents.size(); i-- > 0;) {
    const auto extent = std::max<std::int64_t>(evaluate(extents[i], sizes_), 1);
    place[i] = {std::string(kAxes[std::min(i, kAxes.size() - 1)]), element % extent};
    element /= extent;
  }
  return place;
}

Hint FolderProblem::explain(const Values& values, const CheckReport& report) const {
  if (report.passed() || report.first < 0) return {};
  const auto [slot, element] = find(report.first);
  if (slot == nullptr) return {};
  const auto computed = expected(values, 1);
  Hint hint;
  each_output(computed, [&, wrong = slot, place = element](const Slot& one, const Slot& result,
                                                           const Expected& wanted) {
    if (&one != wrong) return;
    hint =
        advice_on({.buffer = *one.buffer,
                   .name = result.buffer->name,
                   .got = Layout::bytes_of(result, values),
                   .before = one.initial >= 0 && &one == &result ? Layout::given_bytes(one, values)
                                                                 : std::span<std::byte>(),
                   .poison = poison_of(*one.buffer->type, values),
                   .expected = wanted,
                   .count = defined(one, values, computed),
                   .element = place,
                   .tolerance = report.tolerance,
                   .sizes = sizes_});
  });
  return hint;
}

}  // namespace opgrade
