#include "grader/grading/profile/sanitizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "grader/base/core/printable.hpp"

namespace opgrade {
namespace {

constexpr std::string_view kMark = "=========";
constexpr std::size_t kMostFindings = 50;

std::string_view trimmed(std::string_view text) {
  const auto from = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(from);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The kind that the emulated device gives a finding with this first line; nullopt for other lines.
std::optional<std::string> kind_of(std::string_view line) {
  struct Words {
    std::string_view text;
    const char* kind;
  };
  static constexpr Words kWords[] = {{"Program hit", "api_error"},
                                     {"Race reported", "data_race"},
                                     {"hazard", "data_race"},
                                     {"Uninitialized", "uninitialized_read"},
                                     {"Unused memory", "unused_memory"},
                                     {"Invalid", "invalid_access"},
                                     {"Misaligned", "invalid_access"},
                                     {"Barrier error", "barrier_error"},
                                     {"Divergent thread", "barrier_error"},
                                     {"Leaked", "leak"}};
  // The totals at the end are no findings.
  if (has(line, "SUMMARY")) return std::nullopt;
  for (const Words& words : kWords) {
    if (has(line, words.text)) return words.kind;
  }
  return std::nullopt;
}

int number(std::string_view digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return std::max(value, 0);
}

/// Reads "... at KERNEL+0xOFFSET in FILE:LINE", or of older versions "... at 0xOFFSET in
/// FILE:LINE:KERNEL". FILE is missing if the code has no line information. Returns a finding with
/// the place alone.
std::optional<Finding> place_in(std::string_view text) {
  const auto at = text.find("at ");
  if (at == std::string_view::npos || (at > 0 && text[at - 1] != ' ')) return std::nullopt;
  std::string_view where = trimmed(text.substr(at + 3));
  // Behind it racecheck says how often: "[16 hazards]".
  if (where.ends_with(']')) where = trimmed(where.substr(0, where.rfind('[')));
  const auto offset = where.find("+0x");
  const bool old = where.starts_with("0x");
  if (!old && offset == std::string_view::npos) return std::nullopt;
  Finding place;
  if (!old) place.kernel = where.substr(0, offset);
  const auto in = where.find(" in ", old ? 0 : offset);
  if (in == std::string_view::npos) return place;
  std::string_view file = where.substr(in + 4);
  const auto colon = file.find(':');
  if (colon == std::string_view::npos) {
    if (old) place.kernel = file;
    return place;
  }
  std::string_view rest = file.substr(colon + 1);
  place.line = number(rest);
  if (const auto second = rest.find(':'); old && second != std::string_view::npos)
    place.kernel = rest.substr(second + 1);
  file = file.substr(0, colon);
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos)
    file = file.substr(slash + 1);
  place.file = file;
  return place;
}

class ToolReader {
 public:
  explicit ToolReader(std::string_view tool) : tool_(tool) {}

  SanitizerOutput read(std::string_view text) {
    bool began = false, ended = false;
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      // The submission's own unfinished line may stand before the mark.
      const auto mark = line.find(kMark);
      if (mark == std::string_view::npos) continue;
      line = line.substr(mark + kMark.size());
      began = began || has(line, "COMPUTE-SANITIZER");
      ended = ended || has(line, "SUMMARY");
      if (has(line, "Error: Device not supported") || has(line, "Error: Target application") ||
          has(line, "Internal Sanitizer Error") || has(line, "Unable to")) {
        output_.problem = printable_line(std::string(trimmed(line)));
      }
      take(line);
    }
    finish();
    if (output_.problem.empty() && !began) {
      output_.problem = fmt::format("compute-sanitizer's {} did not start", tool_);
    } else if (output_.problem.empty() && !ended) {
      output_.problem = fmt::format("compute-sanitizer's {} did not finish", tool_);
    }
    return std::move(output_);
  }

 private:
  void take(std::string_view line) {
    // A finding's first line begins with one blank, what belongs to it with more.
    const bool further = line.starts_with("  ");
    if (!further) {
      finish();
      const auto kind = kind_of(line);
      if (!kind) return;
      current_ = Finding{.kind = *kind};
      message_ = trimmed(line);
      if (const auto place = place_in(line)) set(*place);
      return;
    }
    if (!current_) return;
    const std::string_view text = trimmed(line);
    if (text.starts_with("Saved host backtrace") || text.starts_with("Host Frame") ||
        text.starts_with("Device Frame")) {
      in_backtrace_ = true;
    }
    if (in_backtrace_) return;
    const auto place = place_in(text);
    if (place && current_->file.empty() && current_->kernel.empty()) {
      set(*place);
      // Text before the place belongs to the message; "at" alone does not.
      if (text.starts_with("at ")) return;
    }
    // Racecheck lists every instruction of the other side; one is enough to see the race.
    if (text.starts_with("and ") && has(message_, ", and ") && has(message_, "Race")) return;
    message_ += fmt::format("{} {}", message_.empty() || message_.ends_with(':') ? "" : ",", text);
  }

  void set(const Finding& place) {
    current_->kernel = printable_line(place.kernel);
    current_->file = printable_line(place.file);
    current_->line = place.line;
  }

  void finish() {
    in_backtrace_ = false;
    if (!current_) return;
    Finding finding = *std::move(current_);
    current_.reset();
    finding.message = printable_line(fmt::format("{} ({})", message_, tool_), 400);
    const bool known = std::ranges::any_of(output_.findings, [&](const Finding& other) {
      return other.kind == finding.kind && other.file == finding.file &&
             other.line == finding.line && other.kernel == finding.kernel;
    });
    if (!known && output_.findings.size() < kMostFindings)
      output_.findings.push_back(std::move(finding));
  }

  std::string_view tool_;
  SanitizerOutput output_;
  std::optional<Finding> current_;
  std::string message_;
  bool in_backtrace_ = false;
};

}  // namespace

SanitizerOutput read_sanitizer(std::string_view text, std::string_view tool) {
  return ToolReader(tool).read(text);
}

}  // namespace opgrade
