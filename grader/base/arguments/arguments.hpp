/// Command lines. Only arguments.cpp includes CLI11, because its header adds four seconds to
/// the compile time of each file. Functions have the names they have in CLI11.
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

/// The values that an option accepts.
struct Check {
  std::function<void(CLI::Option& option)> add;
  std::vector<std::string> words = {};  ///< words that a shell may offer
};
Check existing_path();
Check existing_file();
Check existing_folder();
Check positive();
Check range(int from, int to);
Check one_of(std::vector<std::string> words);

/// An option, or a positional argument if its name has no dash. Owned by its parser.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option* required();
  Option* check(const Check& what);
  Option* needs(Option* other);
  Option* delimiter(char between);
  /// The help shows the value that the variable has now.
  Option* capture_default_str();
  /// Values that a shell may offer in addition to files; computed when the shell asks.
  Option* suggest(std::function<std::vector<std::string>()> values);

 private:
  friend class Parser;
  CLI::Option* option_;
  std::function<std::vector<std::string>()> values_;
};

/// A word that a shell may offer in place of the last word of a line.
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
  /// If a parser has verbs, a line must name one of them.
  Parser* add_subcommand(const std::string& name, const std::string& about);

  Option* add_flag(const std::string& names, bool& value, const std::string& about);
  /// T is a text, a path, an int, or a list of these. A number may be optional.
  template <class T>
  Option* add_option(const std::string& names, T& value, const std::string& about);
  void remove_option(const std::string& name);

  /// Leaves the verb out of the help, of complaints and of what complete() offers.
  void hide();
  /// Returns what may complete the last of `words`: verbs, options and known values. `words` follow
  /// the program's name. Returns nothing if a file or a text is wanted.
  std::vector<Candidate> complete(std::vector<std::string> words) const;

  /// `version` is called when the flag is given.
  void set_version_flag(const std::string& name, std::function<std::string()> version);
  void footer(const std::string& text);
  /// `run` is called if the line is valid and names this verb.
  void callback(std::function<void()> run);
  /// `run` is called with the rest of the line unread: even --help belongs to the other program.
  void forward(std::function<void(const std::vector<std::string>& rest)> run);

  /// Returns false if the line asked for the help or the version, which is then printed. Throws
  /// UsageError.
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

/// The main function of a program without verbs. Returns what `run` returns, 0 after the help, 2 if
/// the line is wrong, and 3 after an error, which it prints.
int run_program(Parser& parser, int argc, const char* const* argv, const std::function<int()>& run);

}  // namespace opgrade::arguments
