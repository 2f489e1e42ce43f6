/// Command lines. CLI11 reads them, in arguments.cpp alone: each file that includes its header
/// takes four seconds more to compile. Functions have the names they have in CLI11.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace opgrade::arguments {

/// The kind of a value.
struct Check {
  std::function<void(CLI::Option& option)> add;
  std::vector<std::string> words = {};  ///< that a shell may offer
};
Check existing_path();
Check existing_file();
Check existing_folder();
Check positive();
Check range(int from, int to);
Check one_of(std::vector<std::string> words);

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
  /// T: a text, path, int, or list of these; optional numbers.
  template <class T>
  Option* add_option(const std::string& names, T& value, const std::string& about);
  void remove_option(const std::string& name);

  /// Left out of the help, of complaints and of what complete() offers.
  void hide();
  /// For the last of `words`, which follow the program's name: verbs, options, and the values that
  /// are known. Nothing where a file or a text is wanted.
  std::vector<Candidate> complete(std::vector<std::string> words) const;

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
