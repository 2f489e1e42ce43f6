#include "grader/tasks/folder/folder_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "grader/core/parallel.hpp"
#include "grader/core/poison.hpp"
#include "grader/core/random_words.hpp"
#include "grader/core/system_random.hpp"
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

constexpr std::size_t kFilledPiece = 1 << 20;  // bytes a thread takes at a time

void fill_with(const Poison& poison, std::span<std::byte> bytes, int threads) {
  std::array<std::byte, 512 * sizeof(Poison)> block;
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = poison[i % poison.size()];
  parallel_for_pieces(
      bytes.size(), kFilledPiece, threads, [&](std::size_t begin, std::size_t count) {
        for (std::size_t at = 0; at < count; at += block.size())
          std::memcpy(bytes.data() + begin + at, block.data(), std::min(count - at, block.size()));
      });
}

}  // namespace

FolderProblem::FolderProblem(const TaskDescription& task, Coordinates sizes,
                             std::shared_ptr<ReferenceCode> reference, CallSets* sets)
    : task_(task),
      sizes_(std::move(sizes)),
      layout_(task, sizes_),
      expected_(layout_),
      staff_(task_, sizes_, layout_, static_cast<std::size_t>(expected_.words),
             std::move(reference)),
      answers_(std::make_unique<ReferenceAnswers>(staff_, sets)),
      flops_(static_cast<double>(evaluate(task.flops, sizes_))) {}

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

std::unique_ptr<Problem> FolderProblem::first_parts(int) const {
  return std::make_unique<FolderProblem>(task_, sizes_, staff_.code());
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
  const std::int64_t components = slot.buffer->components;
  return std::clamp<std::int64_t>(count, 0, slot.elements / components) * components;
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
  const auto first = copied(staff_.compute(values)), second = copied(staff_.compute(values));
  if (std::memcmp(first.data(), second.data(), first.size() * sizeof(float)) != 0)
    return {.wrong = "two calls with the same inputs give other outputs",
            .advice = "its outputs must depend on its arguments alone: is a variable not set?"};
  const auto other = poisoned != nullptr
                         ? copied(poisoned->run(ReferenceCode::Step::reference, sizes_,
                                                StaffCalls::inputs_of(values), staff_.words()))
                         : first;
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
  const auto computed = answers_->expected(values, threads);
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
    StaffCalls::Words all = StaffCalls::inputs_of(values);
    all.emplace_back(values.front());
    if (auto wrong = staff_.complaint(ReferenceCode::Step::check, all); !wrong.empty()) {
      report.mismatches = 1;
      report.set({std::move(wrong)});
    }
  }
  if (report.passed()) answers_->release_unless_timed();
  return report;
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
  const std::int64_t components = slot->buffer->components;
  Coordinates place(extents.size());
  const Coordinate component{"component", element % components};
  element /= components;
  for (std::size_t i = extents.size(); i-- > 0;) {
    const auto extent = std::max<std::int64_t>(evaluate(extents[i], sizes_), 1);
    place[i] = {std::string(kAxes[std::min(i, kAxes.size() - 1)]), element % extent};
    element /= extent;
  }
  if (components > 1) place.push_back(component);
  return place;
}

Hint FolderProblem::explain(const Values& values, const CheckReport& report) const {
  if (report.passed() || report.first < 0) return {};
  const auto [slot, element] = find(report.first);
  if (slot == nullptr) return {};
  const auto computed = answers_->expected(values, 1);
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
