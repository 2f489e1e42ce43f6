#include "grader/base/arguments/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fault_hint.hpp"
#include "grader/base/core/nearest.hpp"

namespace opgrade::arguments {
namespace {

Check check_by(const CLI::Validator& validator, std::vector<std::string> words = {}) {
  return {[=](CLI::Option& option) { option.check(validator); }, std::move(words)};
}

}  // namespace

Check existing_path() { return check_by(CLI::ExistingPath); }
Check existing_file() { return check_by(CLI::ExistingFile); }
Check existing_folder() { return check_by(CLI::ExistingDirectory); }
Check positive() { return check_by(CLI::PositiveNumber); }
Check range(int from, int to) { return check_by(CLI::Range(from, to)); }
Check one_of(std::vector<std::string> words) { return check_by(CLI::IsMember(words), words); }

Option* Option::required() {
  option_->required();
  return this;
}

Option* Option::check(const Check& what) {
  what.add(*option_);
  if (!what.words.empty()) suggest([words = what.words] { return words; });
  return this;
}

Option* Option::needs(Option* other) {
  option_->needs(other->option_);
  return this;
}

Option* Option::delimiter(char between) {
  option_->delimiter(between);
  return this;
}

Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}

Option* Option::suggest(std::function<std::vector<std::string>()> values) {
  values_ = std::move(values);
  return this;
}

Parser::Parser(const std::string& about, const std::string& name)
    : own_(std::make_shared<CLI::App>(about, name)), app_(own_.get()) {}

Parser::Parser(CLI::App* verb) : app_(verb) {}

std::string Parser::name() const { return app_->get_name(); }

Parser* Parser::add_subcommand(const std::string& name, const std::string& about) {
  app_->require_subcommand(1);
  return &verbs_.emplace_back(app_->add_subcommand(name, about));
}

Option* Parser::keep(CLI::Option* option) { return &options_.emplace_back(option); }

Option* Parser::add_flag(const std::string& names, bool& value, const std::string& about) {
  return keep(app_->add_flag(names, value, about));
}

template <class T>
Option* Parser::add_option(const std::string& names, T& value, const std::string& about) {
  return keep(app_->add_option(names, value, about));
}
template Option* Parser::add_option(const std::string&, int&, const std::string&);
template Option* Parser::add_option(const std::string&, std::optional<int>&, const std::string&);
template Option* Parser::add_option(const std::string&, std::optional<std::uint64_t>&,
                                    const std::string&);
template Option* Parser::add_option(const std::string&, std::string&, const std::string&);
template Option* Parser::add_option(const std::string&, std::filesystem::path&, const std::string&);
template Option* Parser::add_option(const std::string&, std::vector<int>&, const std::string&);
template Option* Parser::add_option(const std::string&, std::vector<std::string>&,
                                    const std::string&);
template Option* Parser::add_option(const std::string&, std::vector<std::filesystem::path>&,
                                    const std::string&);

void Parser::remove_option(const std::string& name) { app_->remove_option(app_->get_option(name)); }

void Parser::set_version_flag(const std::string& name, std::function<std::string()> version) {
  app_->set_version_flag(name, std::move(version));
}

void Parser::footer(const std::string& text) { app_->footer(text); }

void Parser::callback(std::function<void()> run) { app_->callback(std::move(run)); }

void Parser::forward(std::function<void(const std::vector<std::string>& rest)> run) {
  app_->set_help_flag();
  app_->prefix_command();
  app_->callback([app = app_, run = std::move(run)] { run(app->remaining()); });
}

namespace {

/// "program course add": the part of the line that was understood.
std::string command_of(const CLI::App* app) {
  std::string command = app->get_name();
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    command += " " + app->get_name();
  }
  return command;
}

/// CLI11 lists unused words in reverse order, so an option's value comes before the option.
std::string complaint_of(const CLI::App* app, const CLI::ParseError& e) {
  if (dynamic_cast<const CLI::ExtrasError*>(&e) == nullptr) return e.what();
  std::set<std::string> known;
  for (const CLI::App* at = app; at != nullptr;
       at = at->get_subcommands().empty() ? nullptr : at->get_subcommands().front()) {
    for (const CLI::Option* option : at->get_options())
      for (const auto& name : option->get_lnames()) known.insert("--" + name);
  }
  for (const auto& word : app->remaining(true)) {
    if (word.size() < 2 || word.front() != '-') continue;
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("there is no option '{}'{}", name, did_you_mean(name, known));
  }
  return e.what();
}

}  // namespace

/// Names the unknown verb, because CLI11 would only say that a verb is missing.
void Parser::check_verbs(int argc, const char* const* argv) const {
  std::string command = app_->get_name();
  const CLI::App* app = app_;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto verbs = app->get_subcommands(nullptr);
    if (verbs.empty() || word.starts_with('-')) return;
    const auto known = std::ranges::find(verbs, word, &CLI::App::get_name);
    if (known != verbs.end()) {
      app = *known;
      command += " " + word;
      continue;
    }
    std::vector<std::string> names;
    for (const CLI::App* verb : verbs)
      if (!verb->get_group().empty()) names.push_back(verb->get_name());
    throw UsageError(
        fmt::format("there is no verb '{}'{}{}", word, app == app_ ? "" : " of " + app->get_name(),
                    did_you_mean(word, {names.begin(), names.end()})),
        fmt::format("the verbs are {}; {} --help says what they do", fmt::join(names, ", "),
                    command));
  }
}

void Parser::hide() { app_->group(""); }

/// Options without the removed ones.
std::vector<const Option*> Parser::shown_options() const {
  const auto known = std::as_const(*app_).get_options();
  std::vector<const Option*> shown;
  for (const Option& option : options_)
    if (std::ranges::find(known, option.option_) != known.end()) shown.push_back(&option);
  return shown;
}

std::vector<Candidate> Parser::option_names() const {
  std::vector<Candidate> names;
  for (const CLI::Option* option : std::as_const(*app_).get_options())
    for (const auto& name : option->get_lnames())
      names.push_back({"--" + name, option->get_description()});
  return names;
}

std::vector<Candidate> Parser::values_of(const std::string& option) const {
  std::vector<Candidate> values;
  for (const Option* known : shown_options()) {
    if (!known->values_ || !known->option_->check_name(option)) continue;
    for (auto& value : known->values_()) values.push_back({std::move(value), ""});
  }
  return values;
}

std::vector<Candidate> Parser::positional_values() const {
  std::vector<Candidate> values;
  for (const Option* known : shown_options()) {
    if (!known->values_ || !known->option_->get_positional()) continue;
    for (auto& value : known->values_()) values.push_back({std::move(value), ""});
  }
  return values;
}

/// Gives options the values before the last word, because what is offered may depend on them.
void Parser::take_values(const std::vector<std::string>& words) const {
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    const auto equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    for (const Option& option : options_) {
      if (!name.starts_with('-') || !option.option_->check_name(name)) continue;
      try {
        option.option_->add_result(equals == name.npos ? words[i + 1]
                                                       : words[i].substr(equals + 1));
        option.option_->run_callback();
      } catch (const CLI::Error&) {
        // Ignored, because the line is completed, not run.
      }
    }
  }
}

std::vector<Candidate> Parser::complete(std::vector<std::string> words) const {
  // bash splits a line at '=', too.
  if (!words.empty() && words.back() == "=") words.back().clear();
  std::erase(words, "=");
  if (words.empty()) return {};
  std::string last = words.back();
  const Parser* at = this;
  std::size_t next = 0;  // index of the first word after the verbs
  for (; next + 1 < words.size(); ++next) {
    const auto verb = std::ranges::find(at->verbs_, words[next], &Parser::name);
    if (verb == at->verbs_.end()) break;
    at = &*verb;
  }
  const bool follows_verb = next + 1 == words.size();
  if (at == this && !follows_verb) return {};
  at->take_values(words);
  std::vector<Candidate> all;
  std::string before;  // text before each candidate: "--device="
  const auto equals = last.find('=');
  if (last.starts_with("--") && equals != last.npos) {
    before = last.substr(0, equals + 1);
    all = at->values_of(last.substr(0, equals));
    last.erase(0, equals + 1);
  } else if (last.starts_with('-')) {
    all = at->option_names();
  } else if (follows_verb && !at->verbs_.empty()) {
    for (const CLI::App* verb : at->app_->get_subcommands(nullptr))
      if (!verb->get_group().empty()) all.push_back({verb->get_name(), verb->get_description()});
  } else {
    const std::string previous = words.size() > 1 ? words[words.size() - 2] : "";
    all = previous.starts_with('-') ? at->values_of(previous) : at->positional_values();
  }
  std::erase_if(all, [&](const Candidate& c) { return !c.word.starts_with(last); });
  for (auto& candidate : all) candidate.word.insert(0, before);
  return all;
}

bool Parser::parse(int argc, const char* const* argv) {
  check_verbs(argc, argv);
  try {
    app_->parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {  // --help, --version
      app_->exit(e);
      return false;
    }
    throw UsageError(complaint_of(app_, e), command_of(app_) + " --help says what it takes");
  }
}

int run_program(Parser& parser, int argc, const char* const* argv,
                const std::function<int()>& run) {
  const auto complain = [&](const std::exception& e, int code) {
    fmt::print(stderr, "{}: {}\n", parser.name(), e.what());
    const std::string hint = hint_for(e);
    if (!hint.empty()) fmt::print(stderr, "         -> {}\n", hint);
    return code;
  };
  try {
    return parser.parse(argc, argv) ? run() : 0;
  } catch (const UsageError& e) {
    return complain(e, 2);
  } catch (const std::exception& e) {
    return complain(e, 3);
  }
}

}  // namespace opgrade::arguments
