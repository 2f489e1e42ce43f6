#include "grader/course/gradebook/marks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/store/sql.hpp"

namespace opgrade::course {

constexpr std::array<std::string_view, 4> kMarkKinds{"item", "free", "comment", "done"};

// Found by argument: sql::rows() calls it.
static void from_column(const SQLite::Column& column, Mark::Kind& out) {
  out = sql::value_named<Mark::Kind>(kMarkKinds, column.getString()).value_or(Mark::Kind::comment);
}

namespace {

constexpr const char* kColumns =
    "SELECT m.id, m.submission, m.at, m.who, m.kind, m.name, m.is_on, m.points, m.text FROM mark "
    "m ";

std::string subject_of(const Mark& mark) {
  std::string text =
      fmt::format("{} {}", mark.submission, kMarkKinds[static_cast<std::size_t>(mark.kind)]);
  if (!mark.name.empty()) text += " " + mark.name;
  if (mark.kind == Mark::Kind::free && mark.is_on) text += " " + points_text(mark.points);
  if (!mark.is_on) text += ", taken back";
  if (!mark.text.empty()) text += ": " + printable_line(mark.text, 100);
  return text;
}

}  // namespace

Marks marks_in(std::span<const Mark> decisions, const Rubric& rubric) {
  Marks marks;
  for (const Mark& mark : decisions) {
    switch (mark.kind) {
      case Mark::Kind::item:
        if (!mark.is_on) {
          marks.items.erase(mark.name);
          break;
        }
        if (const auto* const group = rubric.find_item(mark.name).first;
            group != nullptr && group->takes == RubricGroup::Takes::one)
          for (const RubricItem& other : group->items) marks.items.erase(other.name);
        marks.items.insert(mark.name);
        break;
      case Mark::Kind::free:
        if (mark.is_on)
          marks.free[mark.name] = {mark.points, mark.text};
        else
          marks.free.erase(mark.name);
        break;
      case Mark::Kind::comment:
        if (mark.is_on && !mark.text.empty())
          marks.comments[mark.name] = mark.text;
        else
          marks.comments.erase(mark.name);
        break;
      case Mark::Kind::done:
        marks.done = mark.is_on;
        marks.done_by = mark.is_on ? mark.who : "";
        break;
    }
  }
  return marks;
}

void require_allowed(const Mark& mark, const Rubric& rubric) {
  const bool is_item = rubric.find_item(mark.name).second != nullptr;
  const bool is_group = rubric.find_group(mark.name) != nullptr;
  if (mark.kind == Mark::Kind::item && !is_item)
    throw UsageError(fmt::format("the rubric has no item '{}'", printable_line(mark.name, 60)),
                     "load the page again: staff may have changed the rubric");
  if (mark.kind == Mark::Kind::free && !is_group)
    throw UsageError(fmt::format("the rubric has no group '{}'", printable_line(mark.name, 60)),
                     "load the page again: staff may have changed the rubric");
  if (mark.kind == Mark::Kind::comment && !mark.name.empty() && !is_item && !is_group)
    throw UsageError(
        fmt::format("the rubric has no group or item '{}'", printable_line(mark.name, 60)),
        "comment on the whole document, or load the page again");
  if (mark.kind == Mark::Kind::free && mark.is_on) {
    const double most = rubric.find_group(mark.name)->points;
    if (!std::isfinite(mark.points) || std::abs(mark.points) > most)
      throw UsageError(fmt::format("free points of {} are a number from {} to {}", mark.name,
                                   points_text(-most), points_text(most)),
                       "write a number such as -1.5");
    if (mark.text.empty())
      throw UsageError("free points need a reason, which the student reads",
                       "say what they are for");
  }
}

void add_marks(const Store& store, const std::vector<Mark>& marks, const std::string& address) {
  store.work([&](SQLite::Database& database) {
    for (Mark mark : marks) {
      mark.text = printable(mark.text.substr(0, kMaxMarkText), kMaxMarkText);
      sql::execute(database,
                   "INSERT INTO mark (submission, at, who, kind, name, is_on, points, text) VALUES "
                   "(?, ?, ?, ?, ?, ?, ?, ?)",
                   mark.submission, mark.at, mark.who,
                   kMarkKinds[static_cast<std::size_t>(mark.kind)], mark.name, int{mark.is_on},
                   mark.points, mark.text);
      sql::audit(database, mark.at, mark.who, address, "mark", subject_of(mark));
    }
  });
}

std::vector<Mark> marks_of(const Store& store, std::int64_t document) {
  return sql::rows<Mark>(store, std::string(kColumns) + "WHERE m.submission = ? ORDER BY m.id",
                         document);
}

std::map<std::int64_t, std::vector<Mark>> marks_for(const Store& store,
                                                    const std::string& documents) {
  std::map<std::int64_t, std::vector<Mark>> all;
  for (Mark& mark :
       sql::rows<Mark>(store,
                       std::string(kColumns) + "JOIN submission s ON s.id = m.submission "
                                               "WHERE s.assignment = ? ORDER BY m.id",
                       documents))
    all[mark.submission].push_back(std::move(mark));
  return all;
}

std::optional<std::string> applied_rubric(const Store& store, const std::string& assignment) {
  const auto texts = sql::rows<std::string>(
      store, "SELECT text FROM rubric WHERE assignment = ? ORDER BY id DESC LIMIT 1", assignment);
  return texts.empty() ? std::nullopt : std::optional(texts.front());
}

void apply_rubric(const Store& store, const std::string& assignment, const std::string& text,
                  const Decider& by) {
  store.work([&](SQLite::Database& database) {
    sql::execute(database, "INSERT INTO rubric (assignment, at, who, text) VALUES (?, ?, ?, ?)",
                 assignment, by.at, by.who, text);
    sql::audit(database, by.at, by.who, by.address, "apply rubric", assignment);
  });
}

bool marks_are_released(const Store& store, const std::string& assignment) {
  const auto last = sql::rows<int>(
      store, "SELECT released FROM marks_release WHERE assignment = ? ORDER BY id DESC LIMIT 1",
      assignment);
  return !last.empty() && last.front() != 0;
}

void release_marks(const Store& store, const std::string& assignment, bool released,
                   const Decider& by) {
  store.work([&](SQLite::Database& database) {
    sql::execute(database,
                 "INSERT INTO marks_release (assignment, at, who, released) VALUES (?, ?, ?, ?)",
                 assignment, by.at, by.who, int{released});
    sql::audit(database, by.at, by.who, by.address, released ? "release marks" : "hold marks",
               assignment);
  });
}

}  // namespace opgrade::course
