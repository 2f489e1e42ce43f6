#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "grader/base/core/printable.hpp"
#include "grader/grading/profile/events.hpp"

namespace opgrade {
namespace {

/// A name is one word of a table, not a page; templates of templates are cut.
constexpr std::size_t kLongestName = 300;
/// No honest call makes more; beyond it the reader would only cost memory.
constexpr std::size_t kMostEvents = 2'000'000;
/// Lines of kernels that access memory, in all ways of launching them.
constexpr std::size_t kMostCountLines = 20'000;
// Bounds of one event, so that no sum over all of them leaves 64 bits.
constexpr std::int64_t kLongest = 3'600'000'000'000;  // an hour in ns
constexpr std::int64_t kMostBytes = std::int64_t{1} << 42;

/// One line, taken field by field. A field that does not fit makes the line bad.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  std::string_view word() {
    const auto end = std::min(rest_.find(' '), rest_.size());
    const auto field = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    good_ = good_ && !field.empty();
    return field;
  }

  void numbers(auto&... out) { (number(out), ...); }

  template <class T>
  void number(T& out) {
    const auto field = word();
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), out);
    good_ = good_ && error == std::errc() && end == field.data() + field.size() && !(out < T{0});
  }

  /// Start and end of something that did not end before it started.
  void interval(std::int64_t& start, std::int64_t& end) {
    numbers(start, end);
    good_ = good_ && start <= end && end - start <= kLongest;
  }

  void bytes(auto&... out) {
    numbers(out...);
    good_ = good_ && ((out <= kMostBytes) && ...);
  }

  std::string one_of(std::initializer_list<std::string_view> words) {
    const auto field = word();
    good_ = good_ && std::find(words.begin(), words.end(), field) != words.end();
    return std::string(field.substr(0, 10));
  }

  void sizes(int (&out)[3]) {
    for (int& size : out) number(size);
  }

  std::string rest() {
    good_ = good_ && !rest_.empty();
    auto name = printable_line(std::string(rest_), kLongestName);
    rest_ = {};
    return name;
  }

  void require(bool holds) { good_ = good_ && holds; }
  bool good() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

std::optional<ProfileStep> step_named(std::string_view word) {
  if (word == "prolog") return ProfileStep::prolog;
  if (word == "conv") return ProfileStep::call;
  if (word == "epilog") return ProfileStep::epilog;
  return std::nullopt;
}

class EventReader {
 public:
  ProfileEvents read(std::string_view text) {
    int number = 0;
    bool ended = false;
    while (!text.empty() && !ended) {
      const auto end = std::min(text.find('\n'), text.size());
      const auto line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++number;
      Fields fields(line);
      const auto kind = fields.word();
      if (number == 1) {
        fields.require(kind == "opgrade-profile" && fields.word() == "1");
      } else if (kind == "end") {
        ended = true;
      } else {
        event(kind, fields);
      }
      if (!fields.good()) return broken(fmt::format("line {} is not an event", number));
      if (stored() > kMostEvents) return broken("there are too many events");
    }
    if (!ended) return broken("it breaks off");
    return std::move(events_);
  }

 private:
  std::size_t stored() const {
    return events_.steps.size() + events_.kernels.size() + events_.calls.size() +
           events_.memory.size() + events_.counts.size();
  }

  ProfileEvents broken(const std::string& why) {
    events_.problem = "the record of the submission's process cannot be read: " + why;
    return std::move(events_);
  }

  void event(std::string_view kind, Fields& f) {
    if (kind == "device") {
      DeviceLimits& d = events_.device;
      f.numbers(d.multiprocessors, d.warps, d.blocks, d.shared_bytes, d.registers, d.major,
                d.minor);
      d.name = f.rest();
    } else if (kind == "step") {
      StepEvent& e = events_.steps.emplace_back();
      const auto step = step_named(f.word());
      f.require(step.has_value());
      e.step = step.value_or(ProfileStep::call);
      f.number(e.layer);
      f.interval(e.begin, e.end);
      f.number(e.thread);
    } else if (kind == "kernel") {
      KernelEvent& e = events_.kernels.emplace_back();
      f.interval(e.start, e.end);
      f.number(e.correlation);
      f.sizes(e.grid);
      f.sizes(e.block);
      f.numbers(e.registers, e.static_shared, e.dynamic_shared, e.local);
      e.name = f.rest();
    } else if (kind == "call") {
      CallEvent& e = events_.calls.emplace_back();
      f.interval(e.start, e.end);
      f.numbers(e.thread, e.correlation);
      const auto api = f.word();
      f.require(api == "runtime" || api == "driver");
      e.driver = api == "driver";
      e.name = f.rest();
    } else if (kind == "copy" || kind == "fill") {
      MemoryEvent& e = events_.memory.emplace_back();
      f.interval(e.start, e.end);
      f.number(e.correlation);
      f.bytes(e.bytes);
      if (kind == "copy") {
        e.from = printable_line(std::string(f.word()), 20);
        e.to = printable_line(std::string(f.word()), 20);
      }
    } else if (kind == "count") {
      CountEvent& e = events_.counts.emplace_back();
      f.bytes(e.count);
      const auto word = f.word();
      const auto step = step_named(word);
      f.require(step.has_value() || word == "none");
      e.in_step = step.has_value();
      e.step = step.value_or(ProfileStep::call);
      f.number(e.layer);
      f.sizes(e.grid);
      f.sizes(e.block);
      f.numbers(e.static_shared, e.dynamic_shared);
      e.name = f.rest();
    } else if (kind == "did") {
      ProfileCountRow& did = last_count(f);
      for (ProfileArithmetic* const type : {&did.of_float, &did.of_double})
        f.bytes(type->add, type->multiply, type->fused, type->divide);
      f.bytes(did.barriers, did.shuffles, did.votes, did.fragments, did.threads, did.idle,
              did.same_address, did.exchanged);
      int copies = 0;
      f.number(copies);
      did.copies = copies != 0;
    } else if (kind == "array") {
      ProfileArrayRow& row = last_count(f).arrays.emplace_back();
      f.bytes(row.bytes, row.loads, row.of_blocks, row.of_grids);
    } else if (kind == "access") {
      ProfileCountRow& did = last_count(f);
      ProfileAccessRow& row = did.accesses.emplace_back();
      row.space = f.one_of({"global", "shared", "constant"});
      row.use = f.one_of({"load", "store", "atomic"});
      f.numbers(row.line, row.array);
      f.require(row.array <= static_cast<int>(did.arrays.size()));
      f.bytes(row.requests, row.lanes, row.bytes, row.sectors, row.least_sectors, row.wavefronts,
              row.least_wavefronts, row.crowd, row.exchanged, row.site);
      row.file = f.rest();
    } else if (kind == "uncounted") {
      int line = 0;
      f.number(line);
      const std::string place = fmt::format("{}:{}", f.rest(), line);
      std::string& problem = events_.problem;
      problem = problem.empty() ? "what these lines do was not counted: " + place
                                : problem + ", " + place;
    } else if (kind == "lost") {
      f.number(events_.lost);
    } else {
      f.require(false);
    }
  }

  ProfileCountRow& last_count(Fields& f) {
    f.require(!events_.counts.empty() && ++count_lines_ < kMostCountLines);
    if (events_.counts.empty()) events_.counts.emplace_back();
    return events_.counts.back().did;
  }

  ProfileEvents events_;
  std::size_t count_lines_ = 0;
};

}  // namespace

ProfileEvents read_events(std::string_view text) { return EventReader().read(text); }

}  // namespace opgrade
