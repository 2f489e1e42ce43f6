#include "grader/app/constructs.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <vector>

#include "grader/core/cpp_tokens.hpp"
#include "grader/core/printable.hpp"
#include "grader/intake/stage_files.hpp"

namespace opgrade {
namespace {

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename(); }

/// Names of files that quoted includes of `text` lead to.
std::set<std::string> included_in(const std::string& text) {
  static const std::regex kInclude(R"re(#[ \t]*include[ \t]*["<]([^">\n]+)[">])re");
  std::set<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), kInclude), end; found != end; ++found)
    names.insert(name_of((*found)[1]));
  return names;
}

/// Those that the stage compiles, as far as names tell.
std::vector<const TakenFile*> files_of(const Config& config, const StageConfig& stage,
                                       const TakenFiles& files) {
  const auto own = sources_of(config, stage);
  std::set<std::string> others;
  for (const auto& other : config.stages)
    for (const auto& source : sources_of(config, other))
      if (std::ranges::find(own, source) == own.end()) others.insert(source);
  std::vector<const TakenFile*> all;
  std::set<std::string> included;
  const auto add = [&](const TakenFile& file) {
    all.push_back(&file);
    included.merge(included_in(file.bytes));
  };
  for (const auto& file : files.files)
    if (!others.contains(file.name)) add(file);
  for (std::size_t had = 0; had != all.size();) {
    had = all.size();
    for (const auto& file : files.files)
      if (included.contains(name_of(file.name)) && std::ranges::find(all, &file) == all.end())
        add(file);
  }
  return all;
}

/// The line of the first place where the tokens of `construct` stand in a row; 0 for none.
int line_of(const std::string& construct, const std::string& text) {
  const auto wanted = cpp_tokens(construct, Directives::skipped);
  const auto tokens = cpp_tokens(text, Directives::macro_bodies);
  const auto found =
      std::ranges::search(tokens, wanted, [&](const CppToken& token, const CppToken& other) {
        return token.in(text) == other.in(construct);
      });
  return wanted.empty() || found.empty() ? 0 : found.front().line;
}

}  // namespace

std::optional<Reason> broken_construct(const Config& config, const StageConfig& stage,
                                       const ConstructConfig& construct, const TakenFiles& files) {
  const auto all = files_of(config, stage, files);
  const bool forbids = !construct.forbidden.empty();
  const std::string& tokens = forbids ? construct.forbidden : construct.required;
  for (const TakenFile* file : all) {
    const int line = line_of(tokens, file->bytes);
    if (line == 0) continue;
    if (!forbids) return std::nullopt;
    Reason why{.kind = Reason::Kind::construct_forbidden, .words = tokens};
    why.finding = Finding{.file = printable_line(file->name), .line = line};
    return why;
  }
  if (forbids) return std::nullopt;
  Reason why{.kind = Reason::Kind::construct_missing, .words = tokens};
  why.sources = sources_of(config, stage);
  return why;
}

std::optional<Reason> refused_construct(const Config& config, const StageConfig& stage,
                                        const TakenFiles& files) {
  for (const auto& construct : stage.constructs) {
    if (construct.points > 0 || !construct.case_name.empty()) continue;
    if (auto why = broken_construct(config, stage, construct, files)) return why;
  }
  return std::nullopt;
}

void score_constructs(const Config& config, const StageConfig& stage, const TakenFiles& files,
                      StageReport& report) {
  for (const auto& construct : stage.constructs) {
    const auto why = broken_construct(config, stage, construct, files);
    if (construct.points > 0) {
      PointItem item{
          .name = construct.forbidden.empty() ? construct.required : "no " + construct.forbidden,
          .max_points = construct.points,
          .reason = {.kind = Reason::Kind::construct_kept}};
      if (report.build.outcome != Outcome::passed) {
        item.reason = report.build.reason;
        item.open = is_undecided(report.build.outcome);
      } else if (why) {
        item.reason = *why;
      } else {
        item.points = item.max_points;
      }
      report.points.push_back(std::move(item));
    }
    if (!why) continue;
    for (auto& c : report.cases) {
      if (c.model != construct.case_name || construct.case_name.empty()) continue;
      for (auto& item : c.points) {
        item.points = 0;
        item.open = false;
        item.reason = *why;
      }
    }
  }
}

}  // namespace opgrade
