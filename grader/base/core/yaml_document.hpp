/// Reads a text that should hold one YAML document.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "grader/base/core/yaml_hint.hpp"

namespace opgrade {

struct YamlDocument {
  std::optional<YAML::Node> root;    ///< nullopt if the text is empty
  std::optional<YAML::Mark> second;  ///< where a second document begins
};

/// The most values of a document; each alias counts as all the values it stands for. The config of
/// a full term has some 500.
inline constexpr std::size_t kMaxYamlValues = 100'000;

/// Counts a document's values without following its aliases, and finds where documents begin.
class YamlCounter : public YAML::EventHandler {
 public:
  explicit YamlCounter(const std::string& text) : text_(text) {}

  std::optional<YAML::Mark> last_start;

  void OnDocumentStart(const YAML::Mark& mark) override { last_start = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (anchor != 0) throw YAML::ParserException(mark, "'&' names a value, and none follows");
    leaf(mark, anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string&) override {
    expect_text(mark, tag);
    if (is_open_quote(text_, mark.line, mark.column))
      throw YAML::ParserException(mark, "the file ends within quotes");
    leaf(mark, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(mark, sizes_[anchor]);
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back({anchor, total_});
  }
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back({anchor, total_});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YAML::anchor_t anchor;
    std::size_t before;
  };

  /// Refuses "!x", which names a type and leaves its value empty. "?" and "!" are the tags of plain
  /// and of quoted texts.
  static void expect_text(const YAML::Mark& mark, const std::string& tag) {
    if (tag.size() > 1 && tag.front() == '!')
      throw YAML::ParserException(mark, "'!' names a type, and none is known here");
  }
  void leaf(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) sizes_[anchor] = 1;
    add(mark, 1);
  }
  void close() {
    ++total_;
    if (open_.back().anchor != 0) sizes_[open_.back().anchor] = total_ - open_.back().before;
    open_.pop_back();
  }
  void add(const YAML::Mark& mark, std::size_t values) {
    total_ += values;
    if (total_ <= kMaxYamlValues) return;
    throw YAML::ParserException(mark, "more than " + std::to_string(kMaxYamlValues) +
                                          " values, those that aliases stand for included");
  }

  const std::string& text_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, std::size_t> sizes_;
  std::size_t total_ = 0;
};

/// The last tab that indents a line up to `last_line` (from 0); nullopt if there is none.
inline std::optional<YAML::Mark> indenting_tab(const std::string& text, int last_line) {
  std::optional<YAML::Mark> found;
  std::istringstream lines(text);
  std::string line;
  for (int number = 0; number <= last_line && std::getline(lines, line); ++number) {
    const auto tab = line.find_first_not_of(" -");
    if (tab == line.npos || line[tab] != '\t') continue;
    found.emplace();
    found->line = number;
    found->column = static_cast<int>(tab);
  }
  return found;
}

/// The last line with text up to a mistake, for its message, because yaml-cpp often notices a
/// mistake only at the end of the file.
inline std::string quoted_line(const std::string& text, const YAML::Mark& mark) {
  constexpr std::size_t kLongest = 80;
  std::istringstream lines(text);
  std::string line, quoted;
  for (int number = 0; number <= mark.line && std::getline(lines, line); ++number)
    if (const auto begin = line.find_first_not_of(" \t\r"); begin != line.npos)
      quoted = line.substr(begin, kLongest);
  return quoted;
}

/// Throws YAML::Exception if the text is no YAML or stands for more than kMaxYamlValues. Does not
/// use YAML::LoadAll, because in yaml-cpp 0.7 it loops forever and uses up memory if a document
/// begins with a comma.
inline YamlDocument read_yaml(const std::string& text) try {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  YamlCounter counter(text);
  YamlDocument document;
  if (!parser.HandleNextDocument(counter)) return document;
  document.root = YAML::Load(text);
  if (parser.HandleNextDocument(counter)) document.second = counter.last_start;
  return document;
} catch (const YAML::Exception& e) {
  // yaml-cpp itself would only say "illegal map value".
  if (const auto tab = indenting_tab(text, e.mark.line))
    throw YAML::ParserException(*tab, "a tab: YAML is indented by spaces alone");
  constexpr const char* kRest = "; other problems show once this is corrected";
  const auto hint = yaml_hint(text, e.mark.line, e.mark.column);
  if (!hint)
    throw YAML::ParserException(
        e.mark, e.msg + ", in or above this line: " + quoted_line(text, e.mark) + kRest);
  YAML::Mark mark = e.mark;
  mark.line = hint->line;
  mark.column = hint->column;
  throw YAML::ParserException(
      mark, hint->advice + " (" + e.msg + "): " + quoted_line(text, mark) + kRest);
}

}  // namespace opgrade
