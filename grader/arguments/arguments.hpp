/// Command lines. CLI11 reads them, in arguments.cpp alone: each file that includes its header
/// takes four seconds more to compile. Functions have the names they have in CLI11.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace opgrade::arguments {

/// The kind of a value.
struct Check {
  enum class Kind { existing_path, existing_file, existing_folder, positive, range, one_of };
  Kind kind;
  int from = 0, to = 0;            ///< range
  std::vector<std::string> words;  ///< one_of
};

inline Check existing_path() { return {Check::Kind::existing_path}; }
inline Check existing_file() { return {Check::Kind::existing_file}; }
inline Check existing_folder() { return {Check::Kind::existing_folder}; }
inline Check positive() { return {Check::Kind::positive}; }
inline Check range(int from, int to) { return {Check::Kind::range, from, to}; }
inline Check one_of(std::vector<std::string> words) {
  return {Check::Kind::one_of, 0, 0, std::move(words)};
}

/// An option, or a positional argument where its name has no dash. Its parser owns it.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option* required();
  Option* check(const Check& what);
  Option* needs(Option* other);
  Option* delimiter(char between);
  /// The help shows the value that the variable has now.
  Option* capture_default_str();
  /// Values that a shell may offer beside files; worked out when it asks.
  Option* suggest(std::function<std::vector<std::string>()> values);

 private:
  friend class Parser;
  CLI::Option* option_;
  std::function<std::vector<std::string>()> values_;
};

/// A word that a shell may put in the place of the last one of a line.
struct Candidate {
  std::string word;
  std::string about;
};

/// The command line of a program, or of one of its verbs. A variable that an option sets must live
/// until the line is parsed.
class Parser {
 public:
  Parser(const std::string& about, const std::string& name);
  explicit Parser(CLI::App* verb);
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  std::string name() const;
  /// A line must then name one verb.
  Parser* add_subcommand(const std::string& name, const std::string& about);

  Option* add_flag(const std::string& names, bool& value, const std::string& about);
  Option* add_option(const std::string& names, int& value, const std::string& about);
  Option* add_option(const std::string& names, std::optional<int>& value, const std::string& about);
  Option* add_option(const std::string& names, std::optional<std::uint64_t>& value,
                     const std::string& about);
  Option* add_option(const std::string& names, std::string& value, const std::string& about);
  Option* add_option(const std::string& names, std::filesystem::path& value,
                     const std::string& about);
  Option* add_option(const std::string& names, std::vector<int>& value, const std::string& about);
  Option* add_option(const std::string& names, std::vector<std::string>& value,
                     const std::string& about);
  Option* add_option(const std::string& names, std::vector<std::filesystem::path>& value,
                     const std::string& about);
  void remove_option(const std::string& name);

  /// Left out of the help, of complaints and of what complete() offers.
  void hide();
  /// For the last of `words`, which follow the program's name: verbs, options, and the values that
  /// are known. Nothing where a file or a text is wanted.
  std::vector<Candidate> complete(std::vector<std::string> words) const;

  void set_version_flag(const std::string& name, const std::string& version);
  /// `version` is worked out when the flag is given.
  void set_version_flag(const std::string& name, std::function<std::string()> version);
  void footer(const std::string& text);
  /// Runs when the line chose this verb and is right.
  void callback(std::function<void()> run);
  /// Runs with the rest of the line, whatever it says: --help too is another program's.
  void forward(std::function<void(const std::vector<std::string>& rest)> run);

  /// False: the line asked for the help or the version, which is printed now. Throws UsageError.
  bool parse(int argc, const char* const* argv);

 private:
  template <class T>
  Option* add(const std::string& names, T& value, const std::string& about);
  Option* keep(CLI::Option* option);
  void check_verbs(int argc, const char* const* argv) const;
  std::vector<const Option*> shown_options() const;
  std::vector<Candidate> option_names() const;
  void take_values(const std::vector<std::string>& words) const;
  std::vector<Candidate> values_of(const std::string& option) const;
  std::vector<Candidate> positional_values() const;

  std::shared_ptr<CLI::App> own_;
  CLI::App* app_;
  std::deque<Parser> verbs_;
  std::deque<Option> options_;
};

/// The main function of a program without verbs. Returns what `run` returns; 0 after the help, 2
/// for a wrong line, 3 for an error, which it prints.
int run_program(Parser& parser, int argc, const char* const* argv, const std::function<int()>& run);

}  // namespace opgrade::arguments
