#include "grader/config/public_task.hpp"

#include <yaml-cpp/yaml.h>

#include <regex>
#include <set>
#include <sstream>
#include <vector>

namespace opgrade {
namespace {

bool is_hidden(const YAML::Node& check) {
  if (!check.IsMap()) return false;
  const YAML::Node hidden = check["hidden"], visibility = check["visibility"];
  const std::string seen = visibility && visibility.IsScalar() ? visibility.Scalar() : "";
  return (hidden && hidden.as<bool>(false)) || seen == "hidden" || seen == "after deadline";
}

std::string word_in(const YAML::Node& map, const char* key) {
  const YAML::Node value = map.IsMap() ? map[key] : YAML::Node();
  return value.IsDefined() && value.IsScalar() ? value.Scalar() : "";
}

/// Takes nodes out of a text by their lines.
class Text {
 public:
  explicit Text(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines_.push_back(line);
  }

  /// False where `node`, an item of a list or a key, does not begin its line.
  bool drop(const YAML::Node& node, bool item) {
    const auto first = static_cast<std::size_t>(node.Mark().line);
    const std::size_t indent = indent_of(first);
    const bool dash = lines_[first].compare(indent, 2, "- ") == 0;
    if (dash != item || (!item && static_cast<std::size_t>(node.Mark().column) != indent))
      return false;
    auto last = first + 1;
    while (last < lines_.size() && (is_blank(last) || indent_of(last) > indent)) ++last;
    while (last > first + 1 && is_blank(last - 1)) --last;
    auto begin = first;  // with the comment above
    while (begin > 0 && indent_of(begin - 1) == indent && lines_[begin - 1][indent] == '#') --begin;
    for (; begin < last; ++begin) dropped_.insert(begin);
    return true;
  }

  void replace(const std::string& pattern, const std::string& by) {
    const std::regex wanted(pattern);
    for (auto& line : lines_) line = std::regex_replace(line, wanted, by);
  }

  std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (!dropped_.contains(i)) text += lines_[i] + "\n";
    return text;
  }

 private:
  std::size_t indent_of(std::size_t line) const {
    return std::min(lines_[line].find_first_not_of(' '), lines_[line].size());
  }
  bool is_blank(std::size_t line) const { return indent_of(line) == lines_[line].size(); }

  std::vector<std::string> lines_;
  std::set<std::size_t> dropped_;
};

class Publisher {
 public:
  explicit Publisher(const std::string& text) : root_(YAML::Load(text)), text_(text) {}

  std::string run() {
    for (YAML::Node stage : root_["stages"]) {
      std::set<std::string> hidden, kept_groups;
      for (const char* key : {"random_shapes", "fixed_shapes"}) {
        if (is_hidden(stage[key]))
          drop_key(stage, key);
        else if (stage[key])
          kept_groups.insert(word_in(stage[key], "group"));
      }
      keep_items(stage, "cases", [&](const YAML::Node& one) {
        if (is_hidden(one))
          hidden.insert(word_in(one, "name"));
        else
          kept_groups.insert(word_in(one, "group"));
        return !is_hidden(one);
      });
      for (const char* key : {"constructs", "counts"})
        keep_items(stage, key,
                   [&](const YAML::Node& one) { return !hidden.contains(word_in(one, "case")); });
      keep_items(stage, "groups", [&](const YAML::Node& one) {
        const std::string name = word_in(one, "name");
        if (!kept_groups.contains(name)) gone_groups_.insert(name);
        return kept_groups.contains(name);
      });
    }
    for (const auto& name : gone_groups_) {
      text_.replace(",\\s*requires:\\s*" + name + "\\b", "");
      text_.replace("^\\s+requires:\\s*" + name + "\\s*$", "");
      for (YAML::Node stage : root_["stages"])
        for (YAML::Node group : stage["groups"])
          if (word_in(group, "requires") == name) group.remove("requires");
    }
    text_.replace("^pass_mark:\\s*[0-9.]+", "pass_mark: 0");
    if (root_["pass_mark"]) root_["pass_mark"] = 0;
    return by_lines_ ? text_.text() : YAML::Dump(root_) + "\n";
  }

 private:
  void drop_key(YAML::Node& map, const std::string& key) {
    for (const auto& entry : map)
      if (entry.first.Scalar() == key) by_lines_ = by_lines_ && text_.drop(entry.first, false);
    map.remove(key);
  }

  void keep_items(YAML::Node& map, const char* key, const auto& keeps) {
    if (!map[key] || !map[key].IsSequence()) return;
    YAML::Node kept(YAML::NodeType::Sequence);
    std::vector<YAML::Node> gone;
    for (const YAML::Node& one : map[key]) {
      if (keeps(one))
        kept.push_back(one);
      else
        gone.push_back(one);
    }
    if (gone.empty()) return;
    if (kept.size() == 0) return drop_key(map, key);
    for (const auto& one : gone) by_lines_ = by_lines_ && text_.drop(one, true);
    map[key] = kept;
  }

  YAML::Node root_;
  Text text_;
  bool by_lines_ = true;  ///< as far as nodes begin their lines
  std::set<std::string> gone_groups_;
};

}  // namespace

std::string public_task(const std::string& text) { return Publisher(text).run(); }

}  // namespace opgrade
