#include "grader/base/files/yaml_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <span>

#include "grader/base/core/nearest.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/yaml_document.hpp"
#include "grader/base/core/yaml_hint.hpp"

namespace opgrade {
namespace {

constexpr double kMaxBytes = 1e15;

/// Splits "4 GiB" into 4 and "GiB"; the space is optional.
std::optional<std::pair<double, std::string>> number_and_unit(const std::string& text) {
  const auto unit = text.find_first_not_of("0123456789.");
  if (unit == std::string::npos || unit == 0) return std::nullopt;
  const auto number = parse_number(text.substr(0, unit));
  const auto word = text.find_first_not_of(' ', unit);
  if (!number || word == std::string::npos) return std::nullopt;
  return std::pair{*number, text.substr(word)};
}

/// True when `node` is `tree` or one of the nodes and keys below it.
bool holds(const YAML::Node& tree, const YAML::Node& node) {
  if (tree.is(node)) return true;
  for (const auto& entry : tree) {
    if (tree.IsMap() ? holds(entry.first, node) || holds(entry.second, node) : holds(entry, node))
      return true;
  }
  return false;
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return std::isdigit(static_cast<unsigned char>(c));
  });
}

/// "1000000" for "1,000,000", "1_000_000" and "1'000'000", "0.5" for "0,5"; nullopt for other
/// texts.
std::optional<std::string> plain_number(const std::string& text) {
  constexpr std::string_view kBetween = ",_' ";
  std::vector<std::string> groups(1);
  bool comma_alone = true;
  for (const char c : text) {
    if (kBetween.find(c) == kBetween.npos) {
      groups.back() += c;
    } else if (!groups.back().empty()) {
      groups.emplace_back();
      comma_alone = comma_alone && c == ',';
    }
  }
  if (groups.size() < 2 || !std::ranges::all_of(groups, is_digits)) return std::nullopt;
  const auto rest = std::span(groups).subspan(1);
  const bool thousands = groups[0].size() <= 3 && groups[0] != "0" &&
                         std::ranges::all_of(rest, [](const auto& g) { return g.size() == 3; });
  if (thousands) return fmt::format("{}", fmt::join(groups, ""));
  if (groups.size() == 2 && comma_alone) return groups[0] + "." + groups[1];
  return std::nullopt;
}

/// 010 means ten to this reader, but eight to others.
bool begins_with_zero(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && is_digits(text);
}

/// A value that commas cut into pieces: `{to: 1,000}` and `[max(n, 3)]`.
class CutValue {
 public:
  explicit CutValue(std::string first) : text_(std::move(first)) {}

  /// True if `piece` belongs to this value.
  bool takes(const std::string& piece) const {
    return has_open_bracket(text_) || plain_number(text_ + ", " + piece);
  }
  void add(const std::string& piece) { text_ += ", " + piece; }
  std::string advice() const {
    const auto number = plain_number(text_);
    return number ? fmt::format("a number has no commas: write {}", *number)
                  : fmt::format("put it in quotes: \"{}\"", text_);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// Notes each text that is followed by a comment beginning with a letter or a digit: "Lab #3".
void note_cut_texts(const YAML::Node& node, const std::vector<std::string_view>& lines,
                    ProblemList& problems, int depth = 0) {
  constexpr int kDeepest = 2;  // limits the depth, because aliases may form a circle
  if (!node.IsDefined() || depth > kDeepest) return;
  if (node.IsMap())
    for (const auto& entry : node) note_cut_texts(entry.second, lines, problems, depth + 1);
  const YAML::Mark mark = node.Mark();
  if (!node.IsScalar() || mark.is_null() || static_cast<std::size_t>(mark.line) >= lines.size())
    return;
  const std::string& text = node.Scalar();
  auto rest = lines[static_cast<std::size_t>(mark.line)];
  rest.remove_prefix(std::min(static_cast<std::size_t>(mark.column), rest.size()));
  if (text.empty() || !rest.starts_with(text) || parse_number(text)) return;
  rest.remove_prefix(text.size());
  const auto comment = rest.find_first_not_of(' ');
  if (comment == rest.npos || comment == 0 || rest[comment] != '#' || comment + 1 >= rest.size() ||
      !std::isalnum(static_cast<unsigned char>(rest[comment + 1])))
    return;
  problems.note(node,
                fmt::format("note: '{}' ends before '{}', which is a comment: put the text in "
                            "quotes if that belongs to it",
                            text, rest.substr(comment)));
}

ConfigProblem problem_at(const std::string& file, const YAML::Mark& where,
                         const std::string& text) {
  constexpr std::size_t kLongest = 1000;
  const bool known = !where.is_null();
  return {file, known ? where.line + 1 : 0, known ? where.column + 1 : 0,
          printable_line(text, kLongest)};
}

}  // namespace

std::optional<double> parse_number(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> parse_duration_ms(const std::string& text) {
  const auto parts = number_and_unit(text);
  if (!parts) return std::nullopt;
  for (const auto& [unit, ms] : {std::pair{"us", 1e-3}, {"ms", 1.0}, {"s", 1e3}, {"min", 6e4}}) {
    if (parts->second == unit) return parts->first * ms;
  }
  return std::nullopt;
}

std::string to_text(const std::vector<ConfigProblem>& problems) {
  std::string text;
  for (const auto& p : problems) {
    const std::string file = printable_line(p.file);
    text += p.line > 0 ? fmt::format("{}:{}:{}: {}\n", file, p.line, p.column, p.text)
                       : fmt::format("{}: {}\n", file, p.text);
  }
  return text;
}

void ProblemList::add_source(std::string file, const YAML::Node& root) {
  sources_.emplace_back(std::move(file), root);
}

void ProblemList::stands_for(const YAML::Node& merged, const YAML::Node& original) {
  merged_.emplace_back(merged, original);
}

void ProblemList::add_in(const std::string& file, const YAML::Mark& where,
                         const std::string& text) {
  problems_.push_back(problem_at(file, where, text));
}

void ProblemList::add(const YAML::Node& where, const std::string& text) {
  problems_.push_back(about(where, text));
}

ConfigProblem ProblemList::about(const YAML::Node& where, const std::string& text) const {
  for (const auto& [merged, original] : merged_) {
    if (merged.is(where)) return about(original, text);
  }
  return problem_at(file_of(where), where.Mark(), text);
}

void ProblemList::note(const YAML::Node& where, const std::string& text) {
  const YAML::Mark mark = where.Mark();
  notes_.push_back({file_of(where), mark.line + 1, mark.column + 1, text});
}

std::string ProblemList::file_of(const YAML::Node& node) const {
  if (sources_.size() < 2) return file_;
  for (const auto& [merged, original] : merged_)
    if (merged.is(node)) return file_of(original);
  for (const auto& [file, root] : sources_) {
    if (holds(root, node)) return file;
  }
  return file_;
}

void ProblemList::check_text(const YAML::Node& where, const std::string& what) {
  const std::string text = where.Scalar();
  if (printable_line(text, text.size()) != text)
    add(where, fmt::format("{} holds characters that cannot be seen: {}", what, text));
}

std::optional<YAML::Node> read_document(const std::string& text, const std::string& file,
                                        const char* kind, ProblemList& problems) {
  if (text.find('\0') != std::string::npos) {
    problems.add_in(file, YAML::Mark::null_mark(), "not a text file");
    return std::nullopt;
  }
  try {
    const YamlDocument document = read_yaml(text);
    if (document.second)
      problems.add_in(file, *document.second,
                      fmt::format("a second YAML document: one file is one {}", kind));
    if (!document.root) return YAML::Node();
    note_cut_texts(*document.root, lines_of(text), problems);
    return *document.root;
  } catch (const YAML::Exception& e) {
    problems.add_in(file, e.mark, e.msg);
    return std::nullopt;
  }
}

MapReader::MapReader(YAML::Node node, std::string what, ProblemList& problems)
    : node_(std::move(node)), what_(std::move(what)), problems_(problems), is_map_(node_.IsMap()) {
  if (!is_map_) {
    problems_.add(node_, fmt::format("{} must be a mapping of keys to values", what_));
    return;
  }
  find_cut_values();
  std::set<std::string> seen;
  std::size_t number = 0;
  for (const auto& entry : node_) {
    if (pieces_.contains(number++)) continue;
    if (!entry.first.IsScalar()) {
      problems_.add(entry.first, fmt::format("a key of {} must be a word", what_));
    } else if (!seen.insert(entry.first.Scalar()).second) {
      problems_.add(entry.first,
                    fmt::format("'{}' is given twice in {}", entry.first.Scalar(), what_));
    }
  }
}

void MapReader::find_cut_values() {
  const std::vector<YAML::iterator::value_type> entries(node_.begin(), node_.end());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].second.IsScalar()) continue;
    const std::size_t first = i;
    CutValue value(entries[i].second.Scalar());
    while (i + 1 < entries.size() && entries[i + 1].second.IsNull() &&
           entries[i + 1].first.IsScalar() && value.takes(entries[i + 1].first.Scalar())) {
      value.add(entries[++i].first.Scalar());
      pieces_.insert(i);
    }
    if (i > first)
      problems_.add(entries[first].second, "in {{...}} a comma ends a value, so '{}' is cut: {}",
                    value.text(), value.advice());
  }
}

MapReader::~MapReader() {
  if (!is_map_) return;
  std::size_t number = 0;
  for (const auto& entry : node_) {
    if (pieces_.contains(number++)) continue;
    if (!entry.first.IsScalar() || known_.contains(entry.first.Scalar())) continue;
    const std::string& key = entry.first.Scalar();
    const auto meant = nearest(key, known_);
    problems_.add(entry.first, meant ? fmt::format("unknown key '{}' in {}; did you mean '{}'?",
                                                   key, what_, *meant)
                                     : fmt::format("unknown key '{}' in {}; known are {}", key,
                                                   what_, fmt::join(known_, ", ")));
  }
}

YAML::Node MapReader::node(const std::string& key) {
  known_.insert(key);
  if (is_map_) {
    // Iterates, because operator[] hides all but the first of equal keys.
    for (const auto& entry : node_) {
      if (entry.first.IsScalar() && entry.first.Scalar() == key) return entry.second;
    }
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

bool MapReader::use_key(const std::string& key) {
  const YAML::Node found = node(key);
  return found.IsDefined() && !found.IsNull();
}

void MapReader::require(const std::string& key) {
  if (!is_map_ || use_key(key)) return;
  std::string empty;
  for (const auto& entry : node_)
    if (entry.second.IsNull() && entry.first.IsScalar()) empty = entry.first.Scalar();
  problems_.add(node_, fmt::format("{} needs the key '{}'{}", what_, key,
                                   empty.empty() ? ""
                                                 : fmt::format("; '{}' has no value: a text that "
                                                               "begins with '#' needs quotes",
                                                               empty)));
}

std::optional<YAML::Node> MapReader::scalar(const std::string& key, const char* kind) {
  const YAML::Node found = node(key);
  if (!found.IsDefined()) return std::nullopt;
  if (!found.IsScalar()) {
    problems_.add(found, fmt::format("'{}' must be {}", key, kind));
    return std::nullopt;
  }
  return found;
}

void MapReader::read(const std::string& key, std::string& value) {
  const auto found = scalar(key, "text");
  if (!found) return;
  problems_.check_text(*found, fmt::format("'{}'", key));
  value = found->Scalar();
}

void MapReader::read_lines(const std::string& key, std::string& value) {
  if (const auto found = scalar(key, "text")) value = found->Scalar();
}

void MapReader::read(const std::string& key, bool& value) {
  const auto found = scalar(key, "true or false");
  if (!found) return;
  // Refuses YAML 1.1's yes, no, on and off, because readers disagree about what they mean.
  if (found->Scalar() == "true" || found->Scalar() == "false") {
    value = found->Scalar() == "true";
  } else {
    problems_.add(*found,
                  fmt::format("'{}' must be true or false, not '{}'", key, found->Scalar()));
  }
}

void MapReader::read(const std::string& key, double& value, double minimum, double maximum) {
  const auto found = scalar(key, "a number");
  if (!found) return;
  const auto number = parse_number(found->Scalar());
  if (!number) {
    const auto plain = plain_number(found->Scalar());
    problems_.add(*found, fmt::format("'{}' must be a finite number, not '{}'{}", key,
                                      found->Scalar(), plain ? ": write " + *plain : ""));
  } else if (begins_with_zero(found->Scalar())) {
    problems_.add(*found,
                  fmt::format("'{}' is {}: write a number without a 0 in front, which some readers "
                              "of YAML take for octal",
                              key, found->Scalar()));
  } else if (!(*number >= minimum && *number <= maximum)) {
    const std::string range = maximum < std::numeric_limits<int>::max()
                                  ? fmt::format("from {} to {}", minimum, maximum)
                                  : fmt::format("at least {}", minimum);
    problems_.add(*found, fmt::format("'{}' is {}, but must be {}", key, found->Scalar(), range));
  } else {
    value = *number;
  }
}

void MapReader::read(const std::string& key, int& value, int minimum, int maximum) {
  double number = value;
  read(key, number, minimum, maximum);
  if (number == std::floor(number)) {
    value = static_cast<int>(number);
  } else {
    problems_.add(node(key), fmt::format("'{}' must be a whole number", key));
  }
}

void MapReader::read(const std::string& key, std::chrono::milliseconds& value) {
  const auto found = scalar(key, "a time such as 10 s");
  if (!found) return;
  const auto ms = parse_duration_ms(found->Scalar());
  if (ms && *ms >= 1 && *ms <= 1e9) {
    value = std::chrono::milliseconds(static_cast<std::int64_t>(*ms));
  } else {
    problems_.add(*found,
                  fmt::format("'{}' must be a time with its unit (500 ms, 10 s, 2 min), not '{}'",
                              key, found->Scalar()));
  }
}

void MapReader::read_bytes(const std::string& key, std::int64_t& value) {
  const auto found = scalar(key, "a size such as 64 MiB");
  if (!found) return;
  if (const auto parts = number_and_unit(found->Scalar())) {
    for (const auto& [unit, bytes] :
         {std::pair{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}) {
      if (parts->second == unit && parts->first * bytes >= 1 && parts->first * bytes <= kMaxBytes) {
        value = static_cast<std::int64_t>(parts->first * bytes);
        return;
      }
    }
  }
  problems_.add(*found,
                fmt::format("'{}' must be a size with its unit (64 KiB, 16 MiB, 4 GiB), not '{}'",
                            key, found->Scalar()));
}

void MapReader::read(const std::string& key, std::vector<std::string>& value) {
  if (!use_key(key)) return;
  value.clear();
  std::optional<CutValue> cut;
  each(key, [&](const YAML::Node& entry) {
    if (cut && entry.IsScalar()) {
      cut->add(entry.Scalar());
      if (has_open_bracket(cut->text())) return;
      problems_.add(entry, "in [...] a comma ends an entry of '{}', so '{}' is cut: {}", key,
                    cut->text(), cut->advice());
      cut.reset();
    } else if (entry.IsScalar() && has_open_bracket(entry.Scalar())) {
      cut.emplace(entry.Scalar());
      value.push_back(entry.Scalar());
    } else if (entry.IsScalar()) {
      problems_.check_text(entry, fmt::format("'{}'", key));
      value.push_back(entry.Scalar());
    } else {
      problems_.add(entry, fmt::format("an entry of '{}' must be text", key));
    }
  });
}

void MapReader::each(const std::string& key, const std::function<void(const YAML::Node&)>& visit) {
  if (!use_key(key)) return;
  const YAML::Node found = node(key);
  if (!found.IsSequence()) {
    problems_.add(found, fmt::format("'{}' must be a list", key));
    return;
  }
  for (const auto& entry : found) visit(entry);
}

}  // namespace opgrade
