#include "grader/report/formats/profile_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/report/words/advice_words.hpp"
#include "grader/report/words/profile_tables.hpp"
#include "grader/report/words/reason_words.hpp"

namespace opgrade::report {
namespace {

constexpr const char* kIndent = "  ";

std::vector<Table::Cell> cells_of(const ProfileTable::Row& row, const TextStyle& style) {
  std::vector<Table::Cell> cells;
  for (const auto& cell : row.cells) cells.push_back({style.unicode ? cell : to_ascii(cell)});
  return cells;
}

std::string one_profile(const std::string& id, const ProfileReport& profile,
                        const TextStyle& style) {
  const int width = std::max(style.width, 40);
  std::string out = paint(fmt::format("Profile of {}", id), Colour::bold, style.colour) + "\n";
  for (const auto& remark : profile_remarks(profile)) out += wrap(remark, width, "  ", "  ");
  if (!profile.advice.empty())
    out += "\n" + paint("Steps to a faster kernel", Colour::bold, style.colour) + "\n";
  for (const auto& advice : profile.advice) {
    const std::string sentence = advice_sentence(advice);
    out += wrap(style.unicode ? sentence : to_ascii(sentence), width, "  - ", "    ");
  }
  for (const auto& table :
       profile_tables(profile, style.unicode ? unicode_glyphs() : ascii_glyphs())) {
    out += "\n" + paint(table.title, Colour::bold, style.colour) + "\n";
    Table text(table.columns);
    const auto titles = [&] {
      Table all(table.columns);
      for (const auto& row : table.rows) all.add(cells_of(row, style));
      return all.titles_shown(width, kIndent);
    }();
    const std::string note = table.note_with([&](const std::string& column) {
      return !titles || std::ranges::find(*titles, column) != titles->end();
    });
    if (!note.empty()) out += wrap(note, width, kIndent, kIndent);
    // Shows fewer rows as lists, because each list takes several lines.
    constexpr std::size_t kMostLists = 5;
    const std::size_t shown = titles ? table.rows.size() : std::min(table.rows.size(), kMostLists);
    for (std::size_t i = 0; i < shown; ++i) text.add(cells_of(table.rows[i], style));
    out += text.str(width, kIndent, style.colour);
    if (shown < table.rows.size())
      out += fmt::format("{}[{} more in a wider window, or with --html]\n", kIndent,
                         table.rows.size() - shown);
  }
  return out;
}

}  // namespace

std::string profile_text(const Grade& grade, Audience audience, const TextStyle& style) {
  const Grade view = view_for(grade, audience);
  std::string out;
  for (const auto& stage : view.stages) {
    for (const auto& c : stage.cases) {
      if (c.profile) out += (out.empty() ? "" : "\n") + one_profile(c.id, *c.profile, style);
    }
  }
  if (!out.empty()) return out;
  for (const auto& stage : view.stages) {
    if (stage.device == Device::cpu) continue;
    for (const auto& c : stage.cases) {
      if (c.outcome == Outcome::passed) continue;
      return wrap(fmt::format("No profile: only a case that passes is profiled. {}: {}", c.id,
                              sentence_of(c.reason)),
                  std::max(style.width, 40), "", "  ");
    }
  }
  return "No profile: no case ran on a GPU or on the emulated device.\n";
}

}  // namespace opgrade::report
