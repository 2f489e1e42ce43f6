#include "grader/grading/profile/address_sanitizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "grader/base/core/finding_kind.hpp"
#include "grader/base/core/printable.hpp"

namespace opgrade {
namespace {

struct SanitizerWords {
  std::string_view report;  ///< of the sanitizer
  const char* kind;
  const char* message;  ///< with {} for "reads" or "writes"
};

constexpr SanitizerWords kSanitizerWords[] = {
    {"heap-buffer-overflow", "out_of_bounds", "The code {} outside memory that it allocated"},
    {"use-after-poison", "out_of_bounds", "The code {} in front of the first element of a tensor"},
    {"global-buffer-overflow", "index_out_of_range", "The code {} outside a global array"},
    {"buffer-overflow", "index_out_of_range", "The code {} outside a local array"},
    {"buffer-underflow", "index_out_of_range", "The code {} in front of a local array"},
    {"heap-use-after-free", "use_after_free", "The code {} memory that it has freed"},
    {"stack-use-after", "use_after_free", "The code {} a local variable that is gone"},
    {"double-free", "invalid_free", "The code frees memory a second time"},
    {"free", "invalid_free", "The code frees a pointer that new or malloc did not give"},
    {"stack-overflow", "stack_overflow", "A recursion does not end, or a local array is large"},
    {"FPE", "division_by_zero", "A whole number is divided by zero"},
    {"SEGV", "out_of_bounds",
     "The code {} memory that is not its own: an index far outside, or a null pointer"},
    {"BUS", "out_of_bounds", "The code {} memory that is not its own"},
    {"dealloc-mismatch", "invalid_free", "Memory of new[] belongs to delete[], of malloc to free"},
};

bool mentions(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// Splits "path:12:5" or "path:12" into its parts; returns false for anything else.
bool split_place(std::string_view text, std::string& path, int& line) {
  std::string place(text);
  for (int numbers = 0; numbers < 2; ++numbers) {
    const auto colon = place.rfind(':');
    if (colon == place.npos || place.find_first_not_of("0123456789", colon + 1) != place.npos)
      break;
    line = std::atoi(place.c_str() + colon + 1);
    place.resize(colon);
  }
  path = place;
  return line > 0 && !path.empty();
}

/// Reads a line "    #1 0x55aa in name(float*) /path/file.cc:12:5", or the thread sanitizer's
/// "    #1 name._omp_fn.0 /path/file.cc:12 (module+0x12) (BuildId: 5a)", if the linker gives
/// modules such a number.
bool read_frame(std::string text, Finding& frame, std::string& path) {
  if (text.find("    #") != 0) return false;
  text.resize(std::min(text.rfind(" (BuildId: "), text.size()));
  if (const auto module = text.rfind(" ("); text.ends_with(')') && module != text.npos)
    text.resize(module);
  const auto in = text.find(" in ");
  const auto name = in != text.npos ? in + 4 : text.find(' ', 4) + 1;
  const auto last = text.rfind(' ');
  if (last < name) return false;
  if (!split_place(std::string_view(text).substr(last + 1), path, frame.line)) return false;
  frame.kernel = text.substr(name, text.find_first_of("( ", name) - name);
  frame.kernel.resize(std::min(frame.kernel.find("._omp_fn"), frame.kernel.size()));
  frame.file = std::filesystem::path(path).filename();
  return true;
}

Finding begun(const std::string& line) {
  const auto name = line.substr(line.find("Sanitizer: ") + std::string_view("Sanitizer: ").size());
  const auto known = std::ranges::find_if(kSanitizerWords, [&](const SanitizerWords& words) {
    return mentions(name.substr(0, name.find(" on ")), words.report);
  });
  if (known == std::end(kSanitizerWords)) return {.kind = "undefined_behavior", .message = name};
  return {.kind = known->kind, .message = known->message};
}

void set_verb(std::string& message, const char* verb) {
  const auto at = message.find("{}");
  if (at != message.npos) message.replace(at, 2, verb);
}

void make_printable(std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    finding.message = printable_line(finding.message);
    finding.kernel = printable_line(finding.kernel);
    finding.file = printable_line(finding.file);
  }
}

}  // namespace

namespace {
/// The verb for a line such as "Previous atomic write of size 4".
std::string_view verb_in(const std::string& access) {
  return access.find("rite of size") != access.npos ? "writes" : "reads";
}

std::string text_of_race(const Finding& here, std::string_view first, const Finding& there,
                         std::string_view second) {
  const std::string begin = "Two threads use the same memory at once: one ";
  if (here.file != there.file || here.line != there.line)
    return fmt::format("{}{} it in this line, the other {} it in {}.", begin, first, second,
                       here.file == there.file ? fmt::format("line {}", there.line)
                                               : fmt::format("{}:{}", there.file, there.line));
  if (first == second) return "Two threads write the same memory at once, both in this line.";
  return fmt::format("{}{} it and the other {} it, both in this line.", begin, first, second);
}
}  // namespace

std::vector<Finding> read_thread_sanitizer(const std::string& text,
                                           const std::function<bool(const std::string&)>& is_own) {
  std::vector<Finding> findings;
  std::istringstream lines(text);
  bool open = false, other = false;  // a race; its second access
  bool update = false;               // that was lost
  Finding race;
  std::string_view first, second;  // what the two accesses do
  for (std::string line; std::getline(lines, line);) {
    Finding frame;
    std::string path;
    if (mentions(line, "WARNING: ThreadSanitizer: data race")) {
      open = true;
      other = false;
      race = {};
    } else if (mentions(line, "WARNING: ThreadSanitizer: lost update")) {
      update = true;
    } else if (update) {
      update = false;
      if (!read_frame(line, frame, path) || is_own(path)) continue;
      frame.kind = "lost_update";
      frame.message =
          "Another thread changed the value between this write and the atomic read before it.";
      findings.push_back(frame);
    } else if (open && mentions(line, "  Previous ")) {
      other = true;
      second = verb_in(line);
    } else if (open && (line.starts_with("SUMMARY:") || mentions(line, "  Location "))) {
      open = false;  // "heap block of size" follows, with the stack of its allocation
    } else if (open && mentions(line, " of size ")) {
      first = verb_in(line);
    } else if (open && read_frame(line, frame, path) && !is_own(path)) {
      if (!other && race.line == 0) race = frame;
      if (!other || race.line == 0) continue;
      race.kind = "data_race";
      race.message = text_of_race(race, first, frame, second);
      if (!is_listed(findings, race)) findings.push_back(race);
      open = false;
    }
  }
  make_printable(findings);
  return findings;
}

std::vector<Finding> read_address_sanitizer(const std::string& text,
                                            const std::function<bool(const std::string&)>& is_own) {
  constexpr std::size_t kMost = 10;
  std::vector<Finding> findings;
  findings.reserve(kMost);  // `open` points into it
  std::istringstream lines(text);
  Finding* open = nullptr;  // its stacks follow
  bool allocation = false;  // the stack is of an allocation
  for (std::string line; std::getline(lines, line) && findings.size() < kMost;) {
    Finding frame;
    std::string path;
    if (const auto error = line.find(": runtime error: "); error != line.npos) {
      if (!split_place(line.substr(0, error), path, frame.line) || is_own(path)) continue;
      frame.file = std::filesystem::path(path).filename();
      frame.message = line.substr(error + std::string_view(": runtime error: ").size()) + ".";
      frame.kind = mentions(frame.message, "division by zero") ? "division_by_zero"
                   : mentions(frame.message, "out of bounds")  ? "index_out_of_range"
                                                               : "undefined_behavior";
      if (!is_listed(findings, frame)) findings.push_back(frame);
    } else if (mentions(line, "ERROR: AddressSanitizer: ")) {
      open = &findings.emplace_back(begun(line));
      allocation = false;
    } else if (open == nullptr) {
      continue;
    } else if (mentions(line, "READ of size") || mentions(line, "caused by a READ")) {
      set_verb(open->message, "reads");
    } else if (mentions(line, "WRITE of size") || mentions(line, "caused by a WRITE")) {
      set_verb(open->message, "writes");
    } else if (mentions(line, "allocated by thread")) {
      allocation = true;
    } else if (line.starts_with("SUMMARY:")) {
      set_verb(open->message, "uses");
      open->message += '.';
      open = nullptr;
    } else if (read_frame(line, frame, path) && !is_own(path)) {
      if (!allocation && open->line == 0) {
        open->kernel = frame.kernel;
        open->file = frame.file;
        open->line = frame.line;
      } else if (allocation) {
        open->message += fmt::format(" in {}:{}", frame.file, frame.line);
        allocation = false;
      }
    }
  }
  if (open != nullptr) set_verb(open->message, "uses");  // cut off
  std::erase_if(findings, [](const Finding& finding) { return finding.line == 0; });
  make_printable(findings);
  return findings;
}

}  // namespace opgrade
