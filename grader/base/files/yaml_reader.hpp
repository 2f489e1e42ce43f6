/// Reads YAML strictly: every key must be known and every value of its kind. All complaints are
/// gathered with their place.
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
  int line = 0;    ///< from 1; 0 when the whole file is meant
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
  /// A complaint about `merged` is one about `original`.
  void stands_for(const YAML::Node& merged, const YAML::Node& original);
  /// `text` may quote the file: it is made printable.
  void add_in(const std::string& file, const YAML::Mark& where, const std::string& text);
  void add(const YAML::Node& where, const std::string& text);
  template <class... Values>
  void add(const YAML::Node& where, fmt::format_string<Values...> text, Values&&... values) {
    add(where, fmt::format(text, std::forward<Values>(values)...));
  }
  /// The problem that add() would add.
  ConfigProblem about(const YAML::Node& where, const std::string& text) const;
  /// Complains about a text that reports and terminals would not show as it is; `what` names it.
  void check_text(const YAML::Node& where, const std::string& what);
  /// The file that `node` stands in.
  std::string file_of(const YAML::Node& node) const;
  /// A remark that leaves the config usable.
  void note(const YAML::Node& where, const std::string& text);
  std::size_t count() const { return problems_.size(); }
  std::vector<ConfigProblem> take() { return std::move(problems_); }
  std::vector<ConfigProblem> take_notes() { return std::move(notes_); }

 private:
  std::string file_;
  std::vector<std::pair<std::string, YAML::Node>> sources_;
  std::vector<std::pair<YAML::Node, YAML::Node>> merged_;  ///< and what each stands for
  std::vector<ConfigProblem> problems_, notes_;
};

/// The root of a text with one document; nothing, with a complaint, for another text. `kind`: what
/// the document is, for the complaint.
std::optional<YAML::Node> read_document(const std::string& text, const std::string& file,
                                        const char* kind, ProblemList& problems);

/// One mapping of the file. Ask for every key it may have; the reader's destructor complains about
/// the rest, with the nearest known key.
class MapReader {
 public:
  /// `what` names the mapping in messages: "a case".
  MapReader(YAML::Node node, std::string what, ProblemList& problems);
  ~MapReader();
  MapReader(const MapReader&) = delete;
  MapReader& operator=(const MapReader&) = delete;

  /// Whether the mapping has the key, which counts as known from now on.
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
  /// Complains about values that a comma cuts, and lists what of them looks like keys.
  void find_cut_values();
  std::optional<YAML::Node> scalar(const std::string& key, const char* kind);

  YAML::Node node_;
  std::string what_;
  ProblemList& problems_;
  std::set<std::string> known_;
  std::set<std::size_t> pieces_;  ///< numbers of the entries that belong to a cut value
  bool is_map_ = false;
};

/// The whole text as a finite number, or nothing.
std::optional<double> parse_number(const std::string& text);
/// Milliseconds of "500 ms", "10 s" or "2 min".
std::optional<double> parse_duration_ms(const std::string& text);

}  // namespace opgrade
