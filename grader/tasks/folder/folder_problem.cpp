#include "grader/tasks/folder/folder_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "grader/check/rounding_advice.hpp"
#include "grader/core/error.hpp"
#include "grader/core/poison.hpp"
#include "grader/core/random_words.hpp"
#include "grader/core/system_random.hpp"
#include "grader/tasks/folder/distribution.hpp"
#include "grader/tasks/folder/expression.hpp"

namespace opgrade {
namespace {

constexpr std::array<std::string_view, 3> kAxes{"i", "j", "k"};

/// What the reference computed for one checked output.
class Expected {
 public:
  Expected(std::span<const float> words, const ExpectedSlot& slot, const ElementType& type)
      : bytes_(std::as_bytes(words).data()), slot_(slot), floating_(type.floating) {}

  double real(std::int64_t element) const {
    return at<double>(slot_.values + static_cast<std::size_t>(element));
  }
  std::int64_t whole(std::int64_t element) const {
    return at<std::int64_t>(slot_.values + static_cast<std::size_t>(element));
  }
  double value(std::int64_t element) const {
    return floating_ ? real(element) : static_cast<double>(whole(element));
  }
  /// NaN where the reference gives none.
  double scale(std::int64_t element) const {
    return at<double>(slot_.scales + static_cast<std::size_t>(element));
  }
  double largest() const {
    double largest = 0;
    for (std::int64_t i = 0; i < slot_.elements; ++i)
      if (const double size = std::abs(real(i)); std::isfinite(size))
        largest = std::max(largest, size);
    return largest > 0 ? largest : 1;
  }

 private:
  template <class T>
  T at(std::size_t index) const {
    T value;
    std::memcpy(&value, bytes_ + index * sizeof(T), sizeof(T));
    return value;
  }

  const std::byte* bytes_;
  const ExpectedSlot& slot_;
  bool floating_;
};

/// Of an element whose expected value is `want`, in units of `scale`; infinite for a NaN or
/// infinity on one side alone.
double error_of(double got, double want, double scale) {
  if (std::isnan(want) && std::isnan(got)) return 0;
  if (got == want) return 0;
  if (!std::isfinite(got) || !std::isfinite(want)) return std::numeric_limits<double>::infinity();
  return std::abs(got - want) / scale;
}

/// What an output without content holds, again and again. Whole numbers have no NaN: theirs is a
/// secret of the call's inputs, so that no answer is right because nothing was written.
using Poison = std::array<std::byte, 8>;

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

bool is_unwritten(const Slot& slot, std::span<const std::byte> bytes, std::int64_t element,
                  const Poison& poison) {
  if (slot.buffer->initial != BufferDescription::Initial::poison ||
      slot.buffer->role != BufferDescription::Role::out)
    return false;
  const auto begin = static_cast<std::size_t>(element) * slot.buffer->type->bytes;
  for (std::size_t i = begin; i < begin + slot.buffer->type->bytes; ++i)
    if (bytes[i] != poison[i % poison.size()]) return false;
  return true;
}

/// "sum[0]", "y[3][4]".
std::string element_name(const BufferDescription& buffer, std::int64_t element,
                         const Coordinates& sizes) {
  std::string text;
  for (std::size_t i = buffer.extents.size(); i-- > 0;) {
    const auto extent = std::max<std::int64_t>(evaluate(buffer.extents[i], sizes), 1);
    text = fmt::format("[{}]", element % extent) + text;
    element /= extent;
  }
  return buffer.name + text;
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

void FolderProblem::fill(const Values& values, std::mt19937_64& random) const {
  for (const Slot& slot : layout_.slots()) {
    if (slot.is_output() && slot.initial < 0) continue;
    Distribution(slot.buffer->values, sizes_, *slot.buffer->type)
        .fill(Layout::given_bytes(slot, values), random);
  }
}

void FolderProblem::set_output(const Values& values, bool zeros) const {
  for (const Slot& slot : layout_.slots()) {
    if (!slot.is_output()) continue;
    const auto bytes = Layout::bytes_of(slot, values);
    if (slot.initial >= 0) {
      std::ranges::copy(Layout::given_bytes(slot, values), bytes.begin());
    } else if (zeros || slot.buffer->initial == BufferDescription::Initial::zero) {
      std::ranges::fill(bytes, std::byte{0});
    } else {
      const Poison poison = poison_of(*slot.buffer->type, values);
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = poison[i % poison.size()];
    }
  }
}

void FolderProblem::refresh(const Values& values, int) const {
  SystemRandom seed;
  std::mt19937_64 random(seed());
  fill(values, random);
}

std::unique_ptr<Problem> FolderProblem::first_parts(int) const {
  return std::make_unique<FolderProblem>(task_, sizes_, reference_);
}

CheckReport FolderProblem::check(const Values& values, double tolerance, std::span<const int>,
                                 int) const {
  if (!reference_)
    throw Error(fmt::format("the reference of {} was not started", task_.name),
                "this is a bug of opgrade: please report it");
  const std::vector<std::span<const float>> inputs(values.begin() + 1, values.end());
  // Doubles lie in it.
  std::vector<double> memory(static_cast<std::size_t>(expected_.words + 1) / 2);
  const std::span<float> words(reinterpret_cast<float*>(memory.data()),
                               static_cast<std::size_t>(expected_.words));
  reference_->compute(sizes_, inputs, words);

  CheckReport report;
  report.tolerance = tolerance;
  double worst_share = -1;  // of the tolerance
  auto place = expected_.slots.begin();
  for (const Slot& slot : layout_.slots()) {
    if (!slot.is_checked()) continue;
    const ElementType& type = *slot.buffer->type;
    const Expected expected(words, *place++, type);
    const auto bytes = Layout::bytes_of(slot, values);
    const double allowed = slot.buffer->tolerance.value_or(type.floating ? tolerance : 0);
    const double usual_scale = type.floating ? expected.largest() : 1;
    for (std::int64_t i = 0; i < slot.elements; ++i) {
      const double got = load(type, bytes.data() + static_cast<std::size_t>(i) * type.bytes);
      const double want = expected.value(i);
      const double given = type.floating ? expected.scale(i) : 1;
      const double error =
          error_of(got, want, std::isfinite(given) && given > 0 ? given : usual_scale);
      const bool wrong = !(error <= allowed);
      const double share = allowed > 0 ? error / allowed : error;
      if (share > worst_share) {
        worst_share = share;
        report.worst_error = error;
        report.tolerance = allowed;
      }
      if (wrong && report.mismatches++ == 0) {
        report.first = report.checked + i;
        report.got = got;
        report.want = want;
      }
    }
    report.checked += slot.elements;
  }
  report.place = place_of(report.first);
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
  const BufferDescription& buffer = *slot->buffer;
  const std::string name = element_name(buffer, element, sizes_);
  const auto bytes = Layout::bytes_of(*slot, values);
  const Poison poison = poison_of(*buffer.type, values);
  const auto unwritten = [&](std::int64_t i) { return is_unwritten(*slot, bytes, i, poison); };
  if (unwritten(element)) {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < slot->elements; ++i) count += unwritten(i);
    const bool to_the_end = count == slot->elements - element;
    if (count == slot->elements)
      return {fmt::format("nothing of {} is written", buffer.name), Hint::Kind::unwritten};
    if (to_the_end)
      return {fmt::format("{0} is not written from {1} on, right before: check where the grid or "
                          "the loop over it ends",
                          buffer.name, name),
              Hint::Kind::unwritten};
    return {fmt::format("{} of {} elements of {} are not written, the first is {}", count,
                        slot->elements, buffer.name, name),
            Hint::Kind::unwritten};
  }
  std::string text = fmt::format("the first wrong element is {}", name);
  if (slot->elements > 1 && report.mismatches == 1) text = fmt::format("only {} is wrong", name);
  constexpr double kReduced = 2e-3;
  constexpr int kMany = 16;  // fewer small errors may be chance
  if (buffer.type->floating && report.worst_error <= kReduced && report.mismatches >= kMany &&
      report.mismatches > report.checked / 10)
    return {fmt::format("every error is small, the largest {:.2g}: so rounds reduced precision or "
                        "a sum in an unlucky order. {}",
                        report.worst_error, rounding_advice(report.tolerance)),
            Hint::Kind::guess};
  return {text};
}

}  // namespace opgrade
