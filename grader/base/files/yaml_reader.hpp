/// Reads YAML strictly: every key must be known, and every value must have its type. Collects all
/// complaints with their places.
#pragma once

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace opgrade {

struct ConfigProblem {
  std::string file;
  int line = 0;    ///< from 1; 0 if the whole file is meant
  int column = 0;  ///< from 1
  std::string text;
};

/// "file:line:column: text", one problem a line.
std::string to_text(const std::vector<ConfigProblem>& problems);

/// The complaints about one config and the files that it extends.
class ProblemList {
 public:
  explicit ProblemList(std::string file) : file_(std::move(file)) {}
  /// `root` is the document of `file`: complaints about its nodes name that file.
  void add_source(std::string file, const YAML::Node& root);
  /// Reports complaints about `merged` at the place of `original`.
  void stands_for(const YAML::Node& merged, const YAML::Node& original);
  /// `text` may quote the file, so it is made printable.
  void add_in(const std::string& file, const YAML::Mark& where, const std::string& text);
  void add(const YAML::Node& where, const std::string& text);
  template <class... Values>
  void add(const YAML::Node& where, fmt::format_string<Values...> text, Values&&... values) {
    add(where, fmt::format(text, std::forward<Values>(values)...));
  }
  /// The problem that add() would add.
  ConfigProblem about(const YAML::Node& where, const std::string& text) const;
  /// Complains if reports and terminals would not show the text as it is; `what` names it.
  void check_text(const YAML::Node& where, const std::string& what);
  /// The file that contains `node`.
  std::string file_of(const YAML::Node& node) const;
  /// Adds a remark; the config stays usable.
  void note(const YAML::Node& where, const std::string& text);
  std::size_t count() const { return problems_.size(); }
  std::vector<ConfigProblem> take() { return std::move(problems_); }
  std::vector<ConfigProblem> take_notes() { return std::move(notes_); }

 private:
  std::string file_;
  std::vector<std::pair<std::string, YAML::Node>> sources_;
  std::vector<std::pair<YAML::Node, YAML::Node>> merged_;  ///< merged nodes, each with its original
  std::vector<ConfigProblem> problems_, notes_;
};

/// The root of a text with one document. For any other text complains and returns nullopt. `kind`
/// names the document in the complaint.
std::optional<YAML::Node> read_document(const std::string& text, const std::string& file,
                                        const char* kind, ProblemList& problems);

/// One mapping of the file. Read or use every key that it may have: the destructor complains about
/// all other keys and names the nearest known key.
class MapReader {
 public:
  /// `what` names the mapping in messages: "a case".
  MapReader(YAML::Node node, std::string what, ProblemList& problems);
  ~MapReader();
  MapReader(const MapReader&) = delete;
  MapReader& operator=(const MapReader&) = delete;

  /// True if the mapping has the key. Also marks the key as known.
  bool use_key(const std::string& key);
  void require(const std::string& key);
  YAML::Node node(const std::string& key);

  void read(const std::string& key, std::string& value);
  void read(const std::string& key, bool& value);
  void read(const std::string& key, int& value, int minimum,
            int maximum = std::numeric_limits<int>::max());
  void read(const std::string& key, double& value, double minimum,
            double maximum = std::numeric_limits<double>::max());
  /// "500 ms", "10 s", "2 min"; the unit is required.
  void read(const std::string& key, std::chrono::milliseconds& value);
  /// "64 KiB", "16 MiB", "4 GiB"; the unit is required.
  void read_bytes(const std::string& key, std::int64_t& value);
  /// A text of several lines.
  void read_lines(const std::string& key, std::string& value);
  void read(const std::string& key, std::vector<std::string>& value);
  /// Calls `visit` for every entry of the list behind `key`.
  void each(const std::string& key, const std::function<void(const YAML::Node&)>& visit);

 private:
  /// Complains about values that a comma cuts, and remembers which of their pieces look like keys.
  void find_cut_values();
  std::optional<YAML::Node> scalar(const std::string& key, const char* kind);

  YAML::Node node_;
  std::string what_;
  ProblemList& problems_;
  std::set<std::string> known_;
  std::set<std::size_t> pieces_;  ///< indices of the entries that are pieces of a cut value
  bool is_map_ = false;
};

/// The whole text as a finite number, or nullopt.
std::optional<double> parse_number(const std::string& text);
/// The milliseconds of "500 ms", "10 s" or "2 min"; nullopt for other texts.
std::optional<double> parse_duration_ms(const std::string& text);

}  // namespace opgrade
