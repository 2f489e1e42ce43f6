#include "grader/task/folder/folder_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "grader/base/core/parallel.hpp"
#include "grader/base/core/poison.hpp"
#include "grader/base/core/random_words.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/task/folder/expression.hpp"
#include "grader/task/folder/output_advice.hpp"
#include "grader/task/folder/output_check.hpp"
#include "grader/task/folder/picture.hpp"
#include "grader/task/folder/staff_text.hpp"
#include "grader/task/interface/buffer_memory.hpp"

namespace opgrade {
namespace {

constexpr std::array<std::string_view, 3> kAxes{"i", "j", "k"};

/// Whole numbers have no NaN, so their poison depends on the call's inputs and a secret. No answer
/// is then right because nothing was written.
Poison poison_of(const ElementType& type, const Values& values) {
  static const std::uint64_t secret = SystemRandom()();
  constexpr std::size_t kEnough = 1024;  // bytes of an input
  Poison poison;
  if (type.floating) {
    poison.fill(std::byte{kPoisonByte});
    return poison;
  }
  std::uint64_t word = secret;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const auto bytes = values[i].bytes();
    for (std::size_t at = 0; at < std::min(bytes.size(), kEnough); at += sizeof word) {
      std::uint64_t next = 0;
      std::memcpy(&next, bytes.data() + at, std::min(sizeof next, bytes.size() - at));
      word = random_word(secret, word ^ next);
    }
  }
  std::memcpy(poison.data(), &word, sizeof word);
  return poison;
}

/// The numbers of a checked output: the whole output, or one field of its structs.
struct OutputPart {
  const Slot& slot;
  const Slot& result;               ///< the slot of the result at these sizes
  const BufferDescription& buffer;  ///< describes the output as if it had these numbers only
  const ExpectedSlot& place;
  int number = 0;                      ///< index of the field
  const StructField* field = nullptr;  ///< null for an output without structs

  std::int64_t width() const { return field != nullptr ? slot.buffer->components : 1; }
  /// The index of an element among all numbers of the slot.
  std::int64_t index_of(std::int64_t element) const { return element * width() + number; }
  std::string suffix() const { return field != nullptr ? "." + field->name : ""; }

  /// The part's bytes of the slot's bytes, copied into `room` if they are not contiguous.
  std::span<const std::byte> of(std::span<const std::byte> bytes,
                                std::vector<std::byte>& room) const {
    if (field == nullptr) return bytes;
    room = column_of(bytes, *slot.buffer->record, *field);
    return room;
  }
};

/// The reference's values for a part.
class PartOfReference {
 public:
  /// `plain`: the structs of a run without kTrialFill. A number that only the fill has set then has
  /// the fill in all eight bytes, as in an output of numbers.
  PartOfReference(const OutputPart& part, std::span<const std::byte> all,
                  std::span<const std::byte> plain = {})
      : column_(part.field != nullptr ? column(part, all, plain) : Numbers()),
        expected_(part.field != nullptr ? std::as_bytes(std::span(column_)) : all,
                  part.field != nullptr ? place_of_column(part) : part.place, *part.buffer.type) {}
  PartOfReference(const PartOfReference&) = delete;
  PartOfReference& operator=(const PartOfReference&) = delete;

  const Expected& numbers() const { return expected_; }

 private:
  using Numbers = std::vector<std::uint64_t>;

  static ExpectedSlot place_of_column(const OutputPart& part) {
    const std::int64_t count = part.slot.elements / part.width();
    return {.values = 0, .scales = static_cast<std::size_t>(count), .elements = count};
  }

  static std::span<const std::byte> structs_in(const OutputPart& part,
                                               std::span<const std::byte> all) {
    return all.subspan(8 * part.place.values, part.slot.bytes());
  }

  /// Converts a field to the layout of ExpectedLayout for numbers, without scales.
  static Numbers column(const OutputPart& part, std::span<const std::byte> all,
                        std::span<const std::byte> plain) {
    const ElementType& type = *part.field->type;
    std::vector<std::byte> room, plain_room;
    const auto from = part.of(structs_in(part, all), room);
    if (!plain.empty()) part.of(structs_in(part, plain), plain_room);
    const std::size_t count = from.size() / type.bytes;
    constexpr double kNoScale = std::numeric_limits<double>::quiet_NaN();
    Numbers numbers(2 * count, std::bit_cast<std::uint64_t>(kNoScale));
    for (std::size_t i = 0; i < count; ++i) {
      const auto element = from.subspan(i * type.bytes, type.bytes);
      const bool is_filled =
          std::ranges::all_of(element, [](std::byte one) { return one == std::byte{kTrialFill}; });
      const bool is_plain =
          plain.empty() ||
          std::memcmp(element.data(), plain_room.data() + i * type.bytes, type.bytes) == 0;
      if (is_filled && !is_plain)
        std::memset(&numbers[i], kTrialFill, sizeof numbers[i]);
      else if (type.floating)
        numbers[i] = std::bit_cast<std::uint64_t>(load(type, element.data()));
      else
        numbers[i] = static_cast<std::uint64_t>(load_whole(type, element.data()));
    }
    return numbers;
  }

  const Numbers column_;
  const Expected expected_;
};

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
      staff_(task_, sizes_, layout_, expected_.bytes, std::move(reference)),
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
    } else if (!slot.buffer->record) {
      fill_with(poison_of(*slot.buffer->type, values), bytes, threads);
    } else {
      const StructType& type = *slot.buffer->record;
      std::ranges::fill(bytes, std::byte{kPoisonByte});
      for (const StructField& field : type.fields) {
        std::vector<std::byte> column(bytes.size() / type.bytes * field.type->bytes);
        fill_with(poison_of(*field.type, values), column, threads);
        set_column(bytes, type, field, column);
      }
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

void FolderProblem::each_output(auto visit) const {
  auto place = expected_.slots.begin();
  for (const Slot& slot : layout_.slots())
    if (slot.is_checked()) visit(slot, *place++);
}

void FolderProblem::each_part(const Slot& slot, const ExpectedSlot& place, auto visit) const {
  const BufferDescription& buffer = *slot.buffer;
  const Slot& result = result_of(slot);
  if (!buffer.record) return visit(OutputPart{slot, result, buffer, place});
  for (int number = 0; number < buffer.components; ++number) {
    const StructField& field = buffer.record->fields[static_cast<std::size_t>(number)];
    const BufferDescription numbers = buffer.column(field);
    visit(OutputPart{slot, result, numbers, place, number, &field});
  }
}

void FolderProblem::clear_padding(std::span<std::byte> expected) const {
  each_output([&](const Slot& slot, const ExpectedSlot& place) {
    if (!slot.buffer->record) return;
    const StructType& type = *slot.buffer->record;
    const auto structs = expected.subspan(8 * place.values, slot.bytes());
    std::vector<std::byte> fields_alone(structs.size());
    for (const StructField& field : type.fields)
      set_column(fields_alone, type, field, column_of(structs, type, field));
    std::ranges::copy(fields_alone, structs.begin());
  });
}

std::int64_t FolderProblem::defined(const Slot& slot, const Values& values,
                                    const StaffOutput& expected) const {
  const std::string& rule = slot.buffer->defined;
  if (rule.empty()) return slot.elements;
  std::int64_t count = 0;
  if (const auto* const buffer = task_.find(rule); buffer == nullptr) {
    count = evaluate(rule, sizes_);
  } else if (buffer->is_checked()) {
    each_output([&](const Slot& other, const ExpectedSlot& place) {
      if (other.buffer == buffer) count = Expected(expected.bytes, place, *buffer->type).whole(0);
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
    if (!slot.buffer->is_given()) continue;
    const auto bytes = Layout::given_bytes(slot, values);
    const auto are_numbers = [](const ElementType& type, std::span<const std::byte> all) {
      for (std::size_t at = 0; type.floating && at < all.size(); at += type.bytes)
        if (std::isnan(load(type, all.data() + at))) return false;
      return true;
    };
    if (!slot.buffer->record) {
      if (!are_numbers(*slot.buffer->type, bytes)) return false;
      continue;
    }
    for (const StructField& field : slot.buffer->record->fields)
      if (!are_numbers(*field.type, column_of(bytes, *slot.buffer->record, field))) return false;
  }
  return true;
}

ReferenceTrial FolderProblem::try_reference(ReferenceCode* poisoned) const {
  std::vector<BufferMemory> memory = memory_of(*this);
  const Values values = values_of(memory);
  std::mt19937_64 random(1);
  fill(values, random);
  // Copies the first output, because holding it would keep its process, and the second call must
  // run in the same process.
  const auto copied = [this](const StaffOutput& output) {
    std::vector bytes(output.bytes.begin(), output.bytes.end());
    clear_padding(bytes);
    return bytes;
  };
  const auto first = copied(staff_.compute(values)), second = copied(staff_.compute(values));
  if (first != second)
    return {.wrong = "two calls with the same inputs give other outputs",
            .advice = "its outputs must depend on its arguments alone: is a variable not set?"};
  const auto other = poisoned != nullptr
                         ? copied(poisoned->run(ReferenceCode::Step::reference, sizes_,
                                                StaffCalls::inputs_of(values), staff_.bytes()))
                         : first;
  const StaffOutput plain{.bytes = first};
  const bool numbers = inputs_are_numbers(values);
  ReferenceTrial trial;
  each_output([&](const Slot& slot, const ExpectedSlot& place) {
    each_part(slot, place, [&](const OutputPart& part) {
      // If check.cpp decides, it may not need the reference's output.
      if (!trial.wrong.empty() || part.buffer.error == BufferDescription::Error::program) return;
      BufferDescription named = part.buffer;
      named.name += part.suffix();
      const PartOfReference output(part, first), again(part, other, first);
      const auto count = defined(slot, values, plain) / part.width();
      auto found = compare_trials(named, output.numbers(), again.numbers(), count);
      if (found.wrong.empty() && numbers) found = look_for_nan(named, output.numbers(), count);
      if (found.note.empty()) found.note = trial.note;
      trial = std::move(found);
    });
  });
  return trial;
}

namespace {
/// The number by which an element's error is divided.
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
  double worst_share = -1;  // largest error as a share of the tolerance
  std::int64_t start = 0;   // index of the output's first number among those of all outputs
  each_output([&](const Slot& slot, const ExpectedSlot& place) {
    const auto count = defined(slot, values, computed);
    const auto may_differ = evaluate(slot.buffer->mismatches, sizes_);
    OutputCheck whole;
    each_part(slot, place, [&](const OutputPart& part) {
      const BufferDescription& buffer = part.buffer;
      if (buffer.error == BufferDescription::Error::program) return;
      const PartOfReference wanted(part, computed.bytes);
      std::vector<std::byte> room;
      const auto got = part.of(Layout::bytes_of(part.result, values), room);
      const double allowed = buffer.tolerance.value_or(buffer.type->floating ? tolerance : 0);
      // For structs, `mismatches` limits the wrong numbers of all fields together.
      const auto one = check_output(buffer, got, wanted.numbers(), count / part.width(), allowed,
                                    part.field != nullptr ? 0 : may_differ, threads);
      const double share = allowed > 0 ? one.worst / allowed : one.worst;
      if (share > worst_share) {
        worst_share = share;
        report.worst_error = one.worst;
        report.tolerance = allowed;
        if (count > 0)
          report.error_scale =
              scale_of(buffer, wanted.numbers(), std::max<std::int64_t>(one.first, 0));
      }
      if (one.mismatches > 0 && whole.mismatches == 0)
        whole.first = part.index_of(one.first), whole.got = one.got, whole.want = one.want;
      whole.mismatches += one.mismatches;
      if (one.mismatches > 0 && buffer.picture && !report.picture)
        report.picture = show_pictures(buffer, sizes_, got, wanted.numbers());
    });
    if (whole.mismatches <= may_differ) whole.mismatches = 0;
    if (whole.mismatches > 0 && report.mismatches == 0) {
      report.first = start + whole.first;
      report.got = whole.got;
      report.want = whole.want;
    }
    report.mismatches += whole.mismatches;
    report.checked += slot.buffer->picture ? count / picture_channels(*slot.buffer) : count;
    start += slot.elements;
  });
  // An empty output cannot be wrong.
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
    StaffCalls::Inputs all = StaffCalls::inputs_of(values);
    all.emplace_back(values.front().bytes());
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
  each_output([&, wrong = slot, index = element](const Slot& one, const ExpectedSlot& place) {
    if (&one != wrong) return;
    each_part(one, place, [&](const OutputPart& part) {
      const std::int64_t at = index / part.width();
      if (part.index_of(at) != index) return;
      std::vector<std::byte> room, room_before;
      const bool has_before = one.initial >= 0 && &one == &part.result;
      const PartOfReference wanted(part, computed.bytes);
      hint =
          advice_on({.buffer = part.buffer,
                     .name = part.result.buffer->name,
                     .got = part.of(Layout::bytes_of(part.result, values), room),
                     .before = has_before ? part.of(Layout::given_bytes(one, values), room_before)
                                          : std::span<const std::byte>(),
                     .poison = poison_of(*part.buffer.type, values),
                     .expected = wanted.numbers(),
                     .count = defined(one, values, computed) / part.width(),
                     .element = at,
                     .tolerance = report.tolerance,
                     .sizes = sizes_,
                     .suffix = part.suffix()});
    });
  });
  return hint;
}

}  // namespace opgrade
