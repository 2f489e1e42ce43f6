#include "grader/report/profile_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/report/advice_words.hpp"
#include "grader/report/profile_tables.hpp"
#include "grader/report/reason_words.hpp"

namespace opgrade::report {
namespace {

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
    if (!table.note.empty()) out += wrap(table.note, width, "  ", "  ");
    Table text(table.columns);
    for (const auto& row : table.rows) {
      std::vector<Table::Cell> cells;
      for (const auto& cell : row.cells) {
        cells.push_back({style.unicode ? cell : to_ascii(cell)});
      }
      text.add(std::move(cells));
    }
    out += text.str(width, "  ", style.colour);
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
