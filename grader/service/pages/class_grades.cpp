#include "grader/service/pages/class_grades.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/statistics.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/course/gradebook/copies.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/state/ranking.hpp"
#include "grader/service/state/status.hpp"

namespace opgrade::service {
namespace {

using course::Entry;

constexpr std::size_t kRowsShown = 50;  // about a screenful: more rows are on the next page

struct ClassRow {
  const course::Student* student;
  std::vector<const Entry*> entries;  ///< assignment by assignment
};

/// The states that the filter offers.
constexpr const char* const kNotHandedIn = "not handed in";
constexpr const char* const kNotFinal = "not final";
constexpr const char* const kBeingGraded = "in work";
constexpr const char* const kByOtherRules = "of other rules";
constexpr const char* const kSameFiles = "same files";
constexpr std::array kGradeStates{kNotHandedIn, kNotFinal, kBeingGraded, kByOtherRules, kSameFiles};

/// The text of a cell and its meaning.
struct GradeCell {
  std::string sign, words, css;
  std::string address;  ///< of the submission that counts, else of the newest; may be empty
  std::vector<std::string_view> states;  ///< those of kGradeStates that apply
};

/// ", same files as bob and 2 others". A reader who sees one section gets no names of other
/// sections.
std::string copies_text(const course::CourseFolder& folder, const Entry& entry,
                        const std::set<std::string>& owners, const Identity& who) {
  if (owners.empty()) return "";
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> names;
  for (const auto& owner : owners)
    if (names.size() < kNamed &&
        std::ranges::any_of(folder.roster.members(*entry.assignment, owner),
                            [&](const auto* member) { return may_see(who, *member); }))
      names.push_back(owner);
  if (const auto others = owners.size() - names.size(); others > 0)
    names.push_back(counted(others, "other"));
  return fmt::format(", same files as {}", fmt::join(names, ", "));
}

double share_of(const Entry& entry) {
  return entry.maximum > 0 ? std::clamp(*entry.points / entry.maximum, 0.0, 1.0) : 1;
}

/// The CSS class of a cell, in five steps from few points to all points.
std::string share_css(const Entry& entry) {
  if (!entry.points) return "";
  return fmt::format("share{}", std::min(4, static_cast<int>(share_of(entry) * 5)));
}

std::string sign_of(const Entry& entry, course::Moment now) {
  if (entry.points)
    return course::points_text(*entry.points) + (entry.state == Entry::State::graded ? "" : "?");
  switch (entry.state) {
    case Entry::State::excused:
      return "exc";
    case Entry::State::missing:
      return now <= entry.last_deadline() ? "–" : "✕";
    default:
      return "?";
  }
}

std::string way_to(const Entry& entry) {
  if (entry.submissions.empty()) return "";
  const auto& shown = entry.submissions.at(entry.counts.value_or(entry.submissions.size() - 1));
  return fmt::format("/submissions/{}", shown.standing.submission.id);
}

class ClassTable {
 public:
  ClassTable(const Service& service, const Identity& who, const ClassCache::Class& grades,
             const ClassQuery& query)
      : who_(who),
        grades_(grades),
        query_(query),
        has_ticks_(pages::may_choose(who)),
        now_(service.now()) {
    for (const HandIn& h : service.queue.in_work())
      in_work_[{h.submission.assignment, h.submission.owner}] = h.state;
    choose();
    sort();
  }

  void write(xml_node parent) const {
    add_form(parent);
    add_pages(parent);
    if (query_.from >= rows_.size()) return;
    auto choice_form = pages::begin_choice(parent, who_);
    auto frame = with(add(choice_form ? choice_form : parent, "div", "", "gradebook"),
                      {{"tabindex", "0"}, {"role", "region"}, {"aria-label", "Grades"}});
    auto table = add(frame, "table");
    auto head = add(table, "thead");
    add_titles(add(head, "tr"));
    add_statistics(add(head, "tr"));
    auto body = add(table, "tbody");
    std::string signs;
    for (std::size_t i = query_.from; i < std::min(rows_.size(), query_.from + kRowsShown); ++i)
      signs += add_row(add(body, "tr"), rows_[i]);
    pages::end_choice(choice_form, who_);
    add_legend(parent, signs);
  }

 private:
  const std::vector<course::Assignment>& assignments() const {
    return grades_.folder->course.assignments;
  }

  /// `wanted`: the text that is searched for, in lower case.
  bool is_found(const course::Student& student, const std::string& wanted) const {
    if (!may_see(who_, student)) return false;
    if (!query_.section.empty() && student.section != query_.section) return false;
    return std::ranges::any_of(std::array{&student.name, &student.login, &student.id},
                               [&](const std::string* text) {
                                 return lowercase(*text).find(wanted) != std::string::npos;
                               });
  }

  void choose() {
    const std::string wanted = lowercase(query_.search);
    std::vector<ClassRow> found;
    for (const Entry* const entry : grades_.entries) {
      if (found.empty() || found.back().student != entry->student) {
        if (!is_found(*entry->student, wanted)) continue;
        found.push_back({entry->student, {}});
      }
      found.back().entries.push_back(entry);
    }
    for (ClassRow& row : found)
      if (query_.state.empty() || std::ranges::any_of(row.entries, [&](const Entry* entry) {
            const auto states = cell_of(*entry).states;
            return std::ranges::find(states, query_.state) != states.end();
          }))
        rows_.push_back(std::move(row));
  }

  void sort() {
    const bool falling = query_.sort.starts_with('-');
    const std::string name = query_.sort.substr(falling ? 1 : 0);
    for (std::size_t i = 0; i < assignments().size(); ++i) {
      if (assignments()[i].name != name) continue;
      std::ranges::stable_sort(rows_, {}, [&](const ClassRow& row) {
        const double points = row.entries.at(i)->points.value_or(-1);
        return falling ? -points : points;
      });
    }
  }

  GradeCell cell_of(const Entry& entry) const {
    GradeCell cell{
        sign_of(entry, now_), grade_text(entry, now_), share_css(entry), way_to(entry), {}};
    if (entry.state == Entry::State::missing) cell.states.push_back(kNotHandedIn);
    if (entry.state == Entry::State::open) cell.states.push_back(kNotFinal);
    if (entry.outdated) {
      cell.states.push_back(kByOtherRules);
      cell.sign += "≠";
      cell.words += ", by other rules";
    }
    const auto owner = grades_.folder->roster.owner_of(*entry.student, *entry.assignment).key;
    if (const auto found = in_work_.find({entry.assignment->name, owner});
        found != in_work_.end()) {
      cell.states.push_back(kBeingGraded);
      cell.sign += "*";
      cell.words += fmt::format(", one {}", name_of(found->second));
    }
    const auto place = static_cast<std::size_t>(entry.assignment - assignments().data());
    const auto& copies = grades_.assignments.at(place)->copies;
    if (const auto same = copies_text(*grades_.folder, entry, copies.owners(entry), who_);
        !same.empty()) {
      cell.states.push_back(kSameFiles);
      cell.sign += "=";
      cell.words += same;
    }
    return cell;
  }

  /// Adds the meaning of the signs that the rows on this page have.
  static void add_legend(xml_node parent, const std::string& signs) {
    std::vector<std::string> meanings;
    for (const auto& [sign, meaning] : {std::pair{"–", "not handed in yet"},
                                        {"✕", "missing"},
                                        {"exc", "excused"},
                                        {"?", "not final"},
                                        {"*", "one in work"},
                                        {"≠", "by other rules"},
                                        {"=", "the same files as others"}})
      if (signs.find(sign) != std::string::npos)
        meanings.push_back(fmt::format("{} {}", sign, meaning));
    if (!meanings.empty()) add(parent, "p", fmt::format("{}", fmt::join(meanings, ", ")), "soft");
  }

  /// The address of this page with another order and first row.
  std::string address(const std::string& sort, std::size_t from) const {
    std::string text = "/staff?sort=" + encode_percent(sort);
    for (const auto& [name, value] : {std::pair{"search", &query_.search},
                                      {"section", &query_.section},
                                      {"state", &query_.state}})
      if (!value->empty()) text += fmt::format("&{}={}", name, encode_percent(*value));
    return from == 0 ? text : text + fmt::format("&from={}", from);
  }

  void add_form(xml_node parent) const {
    auto form = with(add(parent, "form", "", "buttons"),
                     {{"method", "get"}, {"action", "/staff"}, {"role", "search"}});
    field(form, "Name, login or id", "search", "search").append_attribute("value") =
        printable_line(query_.search, 100).c_str();
    std::set<std::string> sections;
    for (const auto& student : grades_.folder->roster.students)
      if (may_see(who_, student)) sections.insert(student.section);
    sections.erase("");
    std::vector<std::pair<std::string, std::string>> choices{{"", "all"}};
    for (const auto& one : sections) choices.emplace_back(one, one);
    if (!sections.empty()) choice(form, "Section", "section", choices, query_.section);
    choices = {{"", "all"}};
    for (const char* const one : kGradeStates) choices.emplace_back(one, one);
    choice(form, "With a grade that is", "state", choices, query_.state);
    if (!query_.sort.empty()) hidden(form, "sort", query_.sort);
    button(form, "Show", "quiet");
  }

  void add_pages(xml_node parent) const {
    const std::size_t end = std::min(rows_.size(), query_.from + kRowsShown);
    auto line = with(add(parent, "nav"), {{"aria-label", "Pages of the table"}});
    add(line, "span",
        end <= query_.from ? "0 students"
        : end - query_.from == rows_.size()
            ? counted(rows_.size(), "student")
            : fmt::format("{} to {} of {} students", query_.from + 1, end, rows_.size()));
    if (query_.from > 0)
      link(line, "Previous",
           address(query_.sort, query_.from < kRowsShown ? 0 : query_.from - kRowsShown));
    if (end < rows_.size()) link(line, "Next", address(query_.sort, end));
  }

  void add_titles(xml_node row) const {
    auto name = with(add(row, "th"), {{"scope", "col"}});
    link(name, "Student", address("", 0));
    for (const auto& a : assignments()) {
      const bool rising = query_.sort == a.name, falling = query_.sort == "-" + a.name;
      auto title = with(add(row, "th"), {{"scope", "col"}});
      if (rising || falling)
        title.append_attribute("aria-sort") = rising ? "ascending" : "descending";
      link(title, a.name, address(rising ? "-" + a.name : a.name, 0));
    }
  }

  /// Adds statistics of all students whom the reader chose, not only those on this page.
  void add_statistics(xml_node row) const {
    auto title = with(add(row, "th"), {{"scope", "row"}});
    add(title, "div", "mean");
    add(title, "div", "median");
    for (std::size_t i = 0; i < assignments().size(); ++i) {
      std::vector<double> points;
      std::array<int, 10> tenths{};
      for (const ClassRow& one : rows_) {
        const Entry& entry = *one.entries.at(i);
        if (!entry.points) continue;
        points.push_back(*entry.points);
        ++tenths.at(static_cast<std::size_t>(std::min(9.0, share_of(entry) * 10)));
      }
      auto cell = add(row, "td");
      if (points.empty()) continue;
      const auto all = summarize(std::move(points));
      for (const double value : {value_of(all, Statistic::mean), all.median_ms})
        add(cell, "div", fmt::format("{:.1f}", value));
      add_bars(cell, tenths);
    }
  }

  /// Adds bars: the number of students in each tenth of the points.
  static void add_bars(xml_node cell, const std::array<int, 10>& tenths) {
    constexpr int kWidth = 6, kHeight = 18;
    const int most = std::ranges::max(tenths);
    auto svg = with(add(cell, "svg"), {{"width", "60"}, {"height", "18"}, {"aria-hidden", "true"}});
    for (std::size_t i = 0; i < tenths.size(); ++i) {
      const int height = tenths[i] == 0 ? 0 : std::max(1, kHeight * tenths[i] / most);
      with(add(svg, "rect"), {{"x", fmt::format("{}", i * kWidth)},
                              {"y", fmt::format("{}", kHeight - height)},
                              {"width", fmt::format("{}", kWidth - 1)},
                              {"height", fmt::format("{}", height)}});
    }
  }

  /// Returns the signs in its cells.
  std::string add_row(xml_node line, const ClassRow& row) const {
    std::string signs;
    auto name = with(add(line, "td"), {{"data-label", "Student"}});
    link_student(name, *row.student);
    if (has_ticks_) pages::add_tick(name, *row.student);
    for (const Entry* const entry : row.entries) {
      const GradeCell cell = cell_of(*entry);
      auto at = with(add(line, "td", "", cell.css.c_str()),
                     {{"data-label", entry->assignment->name}, {"title", cell.words}});
      auto text = cell.address.empty() ? add(at, "span") : link(at, "", cell.address);
      with(add(text, "span", cell.sign), {{"aria-hidden", "true"}});
      add(text, "span", cell.words, "unseen");
      signs += cell.sign;
    }
    return signs;
  }

  const Identity& who_;
  const ClassCache::Class& grades_;
  const ClassQuery& query_;
  const bool has_ticks_;
  course::Moment now_;
  std::map<std::pair<std::string, std::string>, State> in_work_;
  std::vector<ClassRow> rows_;
};

}  // namespace

ClassQuery class_query(const Request& request) {
  ClassQuery query{request.parameter("search"), request.parameter("section"),
                   request.parameter("state"), request.parameter("sort")};
  constexpr std::size_t kFarOff = 1'000'000;
  query.from = std::min(whole_number<std::size_t>(request.parameter("from")).value_or(0), kFarOff);
  return query;
}

void add_class_grades(xml_node parent, const Service& service, const Identity& who,
                      const ClassCache::Class& grades, const ClassQuery& query) {
  ClassTable(service, who, grades, query).write(parent);
}

}  // namespace opgrade::service
