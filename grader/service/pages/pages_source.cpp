// The files of a submission line by line, with findings and comments, and what changed since
// another version.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ranges>
#include <set>
#include <sstream>

#include "grader/base/core/printable.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/grading/intake/stage_files.hpp"
#include "grader/report/fields/view.hpp"
#include "grader/report/words/diagnostics.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/state/messages.hpp"
#include "grader/service/state/students_files.hpp"

namespace opgrade::service::pages {
namespace {

/// The most lines on one page. A browser can show only so many, and a small archive can hold a file
/// with very many lines.
constexpr int kMostLines = 5000;

std::vector<TakenFile> files_of(const Service& service, const HandIn& h) {
  const auto folder = service.files.folder();
  const auto* const assignment = folder->course.find(h.submission.assignment);
  if (assignment == nullptr) return {};
  return opgrade::files_of(
      take_stage_files(service.path / h.submission.file, *service.files.config_of(*assignment)));
}

/// The page's id of a line, by which other pages and mails name it.
std::string line_id(const std::string& file, int line) { return fmt::format("{}:{}", file, line); }

/// The findings and comments at the lines of a submission.
struct LineNotes {
  struct AtLine {
    std::vector<const report::Diagnostic*> found;
    std::vector<const Message*> comments;
  };
  std::vector<report::Diagnostic> found;
  std::vector<Message> comments;

  /// The notes by file and line. They refer to this object.
  std::map<std::string, std::map<int, AtLine>> by_place() const {
    std::map<std::string, std::map<int, AtLine>> places;
    for (const auto& d : found)
      if (d.line > 0) places[d.path][d.line].found.push_back(&d);
    for (const Message& m : comments)
      if (!m.file.empty()) places[m.file][m.line].comments.push_back(&m);
    return places;
  }
};

using FileNotes = std::map<int, LineNotes::AtLine>;

/// The settings and the state of a page of files.
struct FilesPage {
  const course::TimeZone& zone;
  bool staff = false;
  int lines_left = kMostLines;
};

void add_comment(xml_node item, const FilesPage& page, const Message& m) {
  auto said = add(item, "div", "", "said");
  add(said, "p",
      fmt::format("{}, {}", m.staff && !page.staff ? "staff" : m.who, page.zone.text(m.at)),
      "soft");
  add(said, "p", m.text, "words");
}

/// Adds a line with the report's findings and people's comments on it.
void add_line(xml_node list, const FilesPage& page, const std::string& file, int number,
              const std::string& text, const LineNotes::AtLine* notes) {
  auto item = with(add(list, "li"), {{"id", line_id(file, number)}});
  with(link(item, fmt::format("{}", number), "#" + encode_percent(line_id(file, number), ":/")),
       {{"aria-label", fmt::format("Line {} of {}", number, file)}});
  add(item, notes != nullptr && !notes->found.empty() ? "mark" : "code", printable(text));
  if (notes == nullptr) return;
  std::set<std::string> told;  // a finding may be the same in several cases
  for (const auto* const d : notes->found)
    if (told.insert(d->rule + d->message).second)
      add(item, "p", fmt::format("{}: {}", d->rule, d->message), "notice");
  for (const Message* const m : notes->comments) add_comment(item, page, *m);
}

xml_node begin_lines(xml_node section, const std::string& file) {
  // The tabindex lets the keyboard scroll long lines.
  return with(add(add(section, "figure", "", "source"), "ol", "", "lines"),
              {{"tabindex", "0"}, {"data-file", file}});
}

/// Adds the lines of a file. If the page has reached its most lines, only lines with notes are
/// shown. Notes for lines behind the file's end are added at the end.
void add_file(xml_node main, FilesPage& page, const std::string& name, const std::string& text,
              const FileNotes& notes) {
  auto section = add_section(main, name);
  auto list = begin_lines(section, name);
  std::istringstream in(text);
  int number = 0;
  bool is_whole = true;
  auto next = notes.begin();
  for (std::string line; std::getline(in, line);) {
    ++number;
    const bool has_room = --page.lines_left >= 0;
    is_whole = is_whole && has_room;
    if (!has_room && next == notes.end()) break;
    const bool has_notes = next != notes.end() && next->first == number;
    if (has_room || has_notes)
      add_line(list, page, name, number, line, has_notes ? &next->second : nullptr);
    if (has_notes) ++next;
  }
  for (; next != notes.end(); ++next) add_line(list, page, name, next->first, "", &next->second);
  if (!is_whole)
    add(section, "p", "The rest is in the archive; its lines with notes are shown.", "quiet");
}

/// Adds comments on files that no stage takes any more, because staff changed the config.
void add_other_comments(xml_node main, const FilesPage& page, const std::string& name,
                        const FileNotes& notes) {
  const auto has_comment = [](const auto& at) { return !at.second.comments.empty(); };
  if (std::ranges::none_of(notes, has_comment)) return;
  auto section = add_section(main, name);
  add(section, "p", "No stage takes this file now.", "notice");
  auto list = begin_lines(section, name);
  for (const auto& [line, at] : notes | std::views::filter(has_comment))
    add_line(list, page, name, line, "", &at);
}

void add_difference(xml_node main, const std::string& name, const std::string& before,
                    const std::string& after, DifferenceWork& work, int& lines_left) {
  using Side = DifferenceLine::Side;
  constexpr int kAround = 3;
  const auto lines = line_difference(before, after, work);
  std::vector<bool> shown(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].side != Side::both)
      for (std::size_t j = i < kAround ? 0 : i - kAround;
           j < std::min(lines.size(), i + kAround + 1); ++j)
        shown[j] = true;
  auto section = add_section(main, name);
  if (std::ranges::none_of(shown, std::identity{})) {
    add(section, "p", "No line differs.");
    return;
  }
  std::string text;
  auto figure = with(add(add(section, "figure", "", "source"), "ul"), {{"tabindex", "0"}});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!shown[i]) {
      if (i > 0 && shown[i - 1]) add(figure, "li", "…", "soft");
      continue;
    }
    if (--lines_left < 0) {
      add(section, "p", "The rest is in the archives.", "quiet");
      break;
    }
    const auto& line = lines[i];
    // Lines have a sign, too, because many readers cannot distinguish the colours.
    const auto [tag, sign] = line.side == Side::before  ? std::pair{"del", "- "}
                             : line.side == Side::after ? std::pair{"ins", "+ "}
                                                        : std::pair{"code", "  "};
    add(add(figure, "li"), tag, sign + printable(line.text));
  }
}

/// The other submissions of the owner for this assignment, the newest first.
std::vector<HandIn> others_of(const Service& service, const HandIn& h) {
  auto all = service.queue.of_owner(h.submission.owner, h.submission.assignment);
  std::erase_if(all, [&](const HandIn& other) { return other.submission.id == h.submission.id; });
  std::ranges::reverse(all);
  return all;
}

std::optional<HandIn> one_before(const std::vector<HandIn>& others, const HandIn& h) {
  const auto found = std::ranges::find_if(
      others, [&](const HandIn& other) { return other.submission.id < h.submission.id; });
  return found == others.end() ? std::nullopt : std::optional(*found);
}

/// The last folders of a path and its name, or the whole path if it has no more.
std::string end_of_path(const std::string& path, std::size_t parts) {
  std::size_t from = path.size();
  while (parts > 0 && from != 0 && from != path.npos) {
    from = path.find_last_of('/', from - 1);
    --parts;
  }
  return from == path.npos ? path : path.substr(from == 0 ? 0 : from + 1);
}

/// The file of another version with which each file is compared. Students pack their folder under a
/// different name each time, so it is the file whose path has the longest common end, if there is
/// only one.
std::map<std::string, std::string> counterparts(const std::vector<TakenFile>& files,
                                                const std::map<std::string, std::string>& before) {
  std::set<std::string> now, then;
  std::size_t deepest = 0;
  const auto add_path = [&](std::set<std::string>& paths, const std::string& path) {
    paths.insert(path);
    deepest = std::max<std::size_t>(deepest, std::ranges::count(path, '/') + 1);
  };
  for (const TakenFile& file : files) add_path(now, file.name);
  for (const auto& [path, text] : before) add_path(then, path);
  std::map<std::string, std::string> pairs;
  for (std::size_t parts = deepest; parts > 0; --parts) {
    std::map<std::string, std::pair<std::vector<std::string>, std::vector<std::string>>> by_end;
    for (const auto& path : now) by_end[end_of_path(path, parts)].first.push_back(path);
    for (const auto& path : then) by_end[end_of_path(path, parts)].second.push_back(path);
    for (const auto& [end, both] : by_end) {
      if (both.first.size() != 1 || both.second.size() != 1) continue;
      pairs[both.first.front()] = both.second.front();
      now.erase(both.first.front());
      then.erase(both.second.front());
    }
  }
  return pairs;
}

/// A version to compare with, and its name.
struct Version {
  std::string name, title;
  std::map<std::string, std::string> files;
};

constexpr const char* kTemplate = "template";

/// The files to start from that the submission has, too.
std::map<std::string, std::string> template_for(const Service& service, const HandIn& h,
                                                const std::vector<TakenFile>& files) {
  const auto folder = service.files.folder();
  const auto* const a = folder->course.find(h.submission.assignment);
  if (a == nullptr) return {};
  const auto given = files_to_start_from(service, *a);
  std::map<std::string, std::string> own;
  for (const auto& [file, path] : counterparts(files, given)) own[path] = given.at(path);
  return own;
}

/// What the address compares the submission with: "previous", "template" or the number of another
/// submission of the same owner; for staff also of another owner with the same files. nullopt if it
/// asks for no comparison.
std::optional<Version> version_before(const Service& service, const Visit& visit, const HandIn& h,
                                      const std::vector<TakenFile>& files) {
  const std::string with = visit.request.parameter("with");
  if (with.empty()) return std::nullopt;
  if (with == kTemplate) {
    Version version{
        "the files to start from",
        fmt::format("Submission {} and the files to start from: what changed", h.submission.id),
        template_for(service, h, files)};
    if (version.files.empty()) throw NotDone(404, "the assignment gives none of these files");
    return version;
  }
  const auto others = others_of(service, h);
  std::optional<HandIn> other = with == "previous" ? one_before(others, h) : std::nullopt;
  if (const auto id = whole_number(with)) {
    const auto take = [&](const std::vector<HandIn>& all) {
      for (const HandIn& one : all)
        if (one.submission.id == *id && may_see(service, *visit.who, one)) other = one;
    };
    take(others);
    if (visit.who->is_staff()) take(service.queue.copies_of(h.submission));
  }
  if (!other) throw NotDone(404, "there is no such submission to compare with");
  Version version{
      fmt::format("submission {}", other->submission.id),
      fmt::format("Submissions {} and {}: what changed", other->submission.id, h.submission.id),
      {}};
  for (TakenFile& file : files_of(service, *other))
    version.files[file.name] = std::move(file.bytes);
  return version;
}

void add_versions(xml_node main, const Service& service, const HandIn& h,
                  const std::vector<TakenFile>& files) {
  constexpr std::size_t kShown = 8;
  const auto others = others_of(service, h);
  const std::string source = hand_in_address(h) + "/source?with=";
  auto ways = with(add(main, "nav"), {{"aria-label", "What changed"}});
  const auto before = one_before(others, h);
  if (before)
    link(ways, fmt::format("What changed since submission {}", before->submission.id),
         source + "previous");
  if (!template_for(service, h, files).empty())
    link(ways, "What changed since the files to start from", source + kTemplate);
  for (std::size_t i = 0; i < std::min(others.size(), kShown); ++i)
    if (const auto id = others[i].submission.id; !before || id != before->submission.id)
      link(ways, fmt::format("Compare with submission {}", id), fmt::format("{}{}", source, id));
  if (!ways.first_child()) main.remove_child(ways);
}

/// Adds the form to comment on a line. A script moves it to the line whose number is clicked.
void add_line_form(xml_node main, const Identity& who, const HandIn& h,
                   const std::vector<TakenFile>& files) {
  if (who.form_key.empty() || files.empty()) return;
  auto section = add_section(main, who.is_staff() ? "Comment at a line" : "Ask about a line");
  auto made = with(form(section, who, hand_in_address(h) + "/messages"), {{"id", "at-line"}});
  std::vector<std::pair<std::string, std::string>> names;
  for (const TakenFile& file : files) names.emplace_back(file.name, file.name);
  choice(made, "File", "file", names);
  with(field(made, "Line", "line", "number"), {{"min", "1"}, {"required", "required"}});
  with(text_area(made, who.is_staff() ? "A comment, which the student sees" : "What you ask staff",
                 "text"),
       {{"maxlength", fmt::format("{}", kMaxMessage)}});
  button(made, who.is_staff() ? "Comment at the line" : "Ask about the line");
}

}  // namespace

std::vector<DifferenceLine> line_difference(const std::string& before, const std::string& after,
                                            DifferenceWork& work) {
  using Side = DifferenceLine::Side;
  auto a = split(before, '\n'), b = split(after, '\n');
  // The common begin and end of both texts need no search.
  const auto [differs, in_b] = std::ranges::mismatch(a, b);
  const std::vector head(a.begin(), differs);
  a.erase(a.begin(), differs);
  b.erase(b.begin(), in_b);
  std::vector<std::string> tail;
  for (; !a.empty() && !b.empty() && a.back() == b.back(); a.pop_back(), b.pop_back())
    tail.push_back(a.back());
  const std::size_t cost = (a.size() + 1) * (b.size() + 1);
  const bool whole = cost > work.left;
  if (!whole) work.left -= cost;
  // common[i, j] is the length of the longest common subsequence of the lines from i on of `a` and
  // from j on of `b`.
  std::vector<int> common(whole ? 0 : cost);
  const auto at = [&](std::size_t i, std::size_t j) -> int& {
    return common[i * (b.size() + 1) + j];
  };
  for (std::size_t i = whole ? 0 : a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      at(i, j) = a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  std::vector<DifferenceLine> all;
  for (const auto& line : head) all.push_back({Side::both, line});
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool both = i < a.size() && j < b.size();
    if (both && a[i] == b[j] && !whole) {
      all.push_back({Side::both, a[i++]});
      ++j;
    } else if (i < a.size() && (!both || whole || at(i + 1, j) >= at(i, j + 1))) {
      all.push_back({Side::before, a[i++]});
    } else {
      all.push_back({Side::after, b[j++]});
    }
  }
  for (const auto& line : tail | std::views::reverse) all.push_back({Side::both, line});
  return all;
}

bool has_line(const Service& service, const HandIn& h, const std::string& file, int line) {
  for (const TakenFile& one : files_of(service, h))
    if (one.name == file) return line >= 1 && line <= std::ranges::count(one.bytes, '\n') + 1;
  return false;
}

std::string line_address(const HandIn& h, const std::string& file, int line) {
  return fmt::format("{}/source#{}", hand_in_address(h), encode_percent(line_id(file, line), ":/"));
}

Response source(Service& service, const Visit& visit) {
  const auto h = own_hand_in(service, visit);
  const bool staff = visit.who->is_staff();
  const auto files = files_of(service, h);
  const auto before = version_before(service, visit, h, files);
  return page(
      service, visit.who,
      before ? before->title : fmt::format("Files of submission {}", h.submission.id),
      [&](xml_node main) {
        const auto folder = service.files.folder();
        FilesPage files_page{*folder->course.zone, staff};
        if (files.empty()) add(main, "p", "No stage takes a file of this submission.", "notice");
        add_versions(main, service, h, files);
        if (before) {
          DifferenceWork work;
          auto removed = before->files;
          const auto pairs = counterparts(files, before->files);
          for (const TakenFile& file : files) {
            const auto pair = pairs.find(file.name);
            const std::string old = pair == pairs.end() ? "" : pair->second;
            add_difference(
                main,
                old.empty() || old == file.name ? file.name
                                                : fmt::format("{}, before {}", file.name, old),
                old.empty() ? "" : before->files.at(old), file.bytes, work, files_page.lines_left);
            removed.erase(old);
          }
          for (const auto& [name, text] : removed)
            add_difference(main, name, text, "", work, files_page.lines_left);
          return;
        }
        LineNotes notes{{}, messages_of(service, h.submission.id)};
        if (const auto grade = shown_grade(service, h, grade_for(service, *visit.who, h)))
          notes.found = report::diagnostics_of(
              report::view_for(*grade, staff ? report::Audience::staff : report::Audience::student),
              50);
        auto places = notes.by_place();
        for (const TakenFile& file : files) {
          add_file(main, files_page, file.name, file.bytes, places[file.name]);
          places.erase(file.name);
        }
        for (const auto& [name, at] : places) add_other_comments(main, files_page, name, at);
        add_line_form(main, *visit.who, h, files);
      },
      {.trail = {{fmt::format("Submission {}", h.submission.id), hand_in_address(h)}}});
}

}  // namespace opgrade::service::pages
