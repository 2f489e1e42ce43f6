#include "grader/course/folder/roster.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "grader/base/core/fd.hpp"
#include "grader/base/core/nearest.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/base/core/utf8.hpp"
#include "grader/base/files/partial_file.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/folder/csv_reader.hpp"
#include "grader/report/formats/csv.hpp"

namespace opgrade::course {
namespace {

constexpr const char* kSaveAs = "save the file as UTF-8 CSV";

constexpr const char* kExtensionForms =
    "an extension is 'm1=2 d', 'm1=36 h' or 'm1=2026-10-15 23:59'; ';' separates several";

const std::set<std::string> kColumns{"id",      "login", "name",      "email",
                                     "section", "team",  "extension", "canvas_id"};

/// Owner::key.
std::string key_of(const Student& student, const Assignment& assignment) {
  if (!assignment.teams || student.team_for(assignment).empty()) return student.login;
  return "team " + student.team_for(assignment);
}

/// The entries of "m1=2 d; m2=1 d".
std::vector<std::string> entries_of(const std::string& text) {
  std::vector<std::string> entries;
  for (const auto& part : split(text, ';'))
    if (const auto entry = trimmed(part); !entry.empty()) entries.emplace_back(entry);
  return entries;
}

class RosterReader {
 public:
  RosterReader(std::string file, const Course& course) : file_(std::move(file)), course_(course) {}

  LoadedRoster read(const std::string& text) {
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
      complain(0, fmt::format("is saved as UTF-16; {}", kSaveAs));
      return std::move(loaded_);
    }
    const auto rows = read_csv(text);
    if (!rows) {
      complain(rows.error().line, rows.error().text);
    } else if (rows->empty()) {
      complain(0,
               "is empty; its first line names the columns: id,login,name,email,section,team,"
               "extension");
    } else if (read_header(rows->front())) {
      for (std::size_t i = 1; i < rows->size(); ++i) read_student((*rows)[i]);
      if (rows->size() == 1) complain(0, "has no students; add one line for each");
    }
    return std::move(loaded_);
  }

 private:
  void complain(int line, const std::string& text) {
    loaded_.problems.push_back({file_, line, line > 0 ? 1 : 0, printable_line(text, 1000)});
  }

  bool read_header(const CsvRow& row) {
    // Spreadsheets of many countries save CSV files with these separators.
    for (const auto& [separator, name] :
         {std::pair{';', "';' separates"}, {'\t', "tabs separate"}}) {
      if (row.cells.size() > 1 || row.cells.front().find(separator) == std::string::npos) continue;
      complain(row.line, fmt::format("{} the columns; save the file as CSV with commas", name));
      return false;
    }
    bool good = true;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      std::string name = lowercase(row.cells[i]);
      if (name == "e-mail") name = "email";
      if (!kColumns.contains(name)) {
        const auto meant = nearest(name, kColumns);
        complain(row.line, meant ? fmt::format("unknown column '{}'; did you mean '{}'?",
                                               row.cells[i], *meant)
                                 : fmt::format("unknown column '{}'; known are {}", row.cells[i],
                                               fmt::join(kColumns, ", ")));
        good = false;
      } else if (!columns_.emplace(name, i).second) {
        complain(row.line, fmt::format("the column '{}' is given twice", name));
        good = false;
      }
    }
    for (const char* needed : {"id", "login", "name"}) {
      if (columns_.contains(needed)) continue;
      complain(row.line, fmt::format("the column '{}' is missing from the first line", needed));
      good = false;
    }
    width_ = row.cells.size();
    return good;
  }

  std::string cell(const CsvRow& row, const std::string& column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? "" : row.cells[found->second];
  }

  void read_student(const CsvRow& row) {
    if (row.cells.size() != width_) {
      complain(row.line, fmt::format("{} cells where the first line has {}; is a comma missing or "
                                     "a name with a comma not quoted?",
                                     row.cells.size(), width_));
      return;
    }
    for (const auto& text : row.cells) {
      if (!is_utf8(text)) {
        complain(row.line, fmt::format("'{}' is not UTF-8; {}", text, kSaveAs));
      } else if (printable_line(text, text.size() + 1) != text) {
        complain(row.line, fmt::format("'{}' has invisible characters; type it again", text));
      }
    }
    Student student{.id = cell(row, "id"),
                    .login = cell(row, "login"),
                    .name = cell(row, "name"),
                    .email = cell(row, "email"),
                    .section = cell(row, "section"),
                    .canvas_id = cell(row, "canvas_id")};
    for (const auto& [column, value, known] :
         {std::tuple{"id", &student.id, &ids_}, {"login", &student.login, &logins_}}) {
      if (value->empty()) {
        complain(row.line, fmt::format("the {} is empty; each student needs one", column));
      } else if (const auto [first, is_new] = known->emplace(*value, row.line); !is_new) {
        complain(row.line,
                 fmt::format("the {} '{}' is that of line {} too", column, *value, first->second));
      }
    }
    read_teams(row.line, cell(row, "team"), student);
    read_extensions(row.line, cell(row, "extension"), student);
    loaded_.roster.students.push_back(std::move(student));
  }

  /// Reads a student's teams. `student.team` becomes the first one.
  void read_teams(int line, const std::string& text, Student& student) {
    bool first = true;
    for (const std::string& entry : entries_of(text)) {
      constexpr std::string_view kFrom = " from ";
      const auto from = entry.rfind(kFrom);
      if (std::exchange(first, false) && from == entry.npos) {
        student.team = entry;
        continue;
      }
      std::string date = std::string(
          from == entry.npos ? "" : trimmed(std::string_view(entry).substr(from + kFrom.size())));
      if (date.find(' ') == date.npos) date += " 00:00";
      if (const auto begin = parse_wall_time(date)) {
        for (const auto* all : {&course_.assignments, &course_.practice})
          for (const auto& a : *all)
            if (a.deadline >= course_.zone->moment(begin->time))
              student.teams[a.name] = trimmed(std::string_view(entry).substr(0, from));
      } else {
        complain(line, fmt::format("'{}' is no change of the team; write 'red; blue from "
                                   "2026-10-20'",
                                   entry));
      }
    }
  }

  /// An entry for a report holds over those for its code, wherever it stands, and `*`.
  void read_extensions(int line, const std::string& text, Student& student) {
    auto entries = entries_of(text);
    std::ranges::stable_partition(
        entries, [](const std::string& entry) { return !entry.starts_with(kDocuments); });
    for (const std::string& entry : entries) {
      const auto equals = entry.find('=');
      const std::string name(trimmed(std::string_view(entry).substr(0, equals)));
      if (equals == entry.npos) {
        complain(line, fmt::format("'{}' is no extension; {}", entry, kExtensionForms));
      } else if (name != "*" && course_.find(name) == nullptr) {
        complain(line, fmt::format("the course has no assignment '{}'", name));
      } else {
        const std::string until(trimmed(std::string_view(entry).substr(equals + 1)));
        for (const auto& a : course_.assignments)
          if (name == "*" || name == a.name) extend(line, until, a, student);
        for (const auto& documents : course_.reports)
          if (name == documents.name) extend(line, until, documents, student);
      }
    }
  }

  void extend(int line, const std::string& text, const Assignment& a, Student& student) {
    const TimeZone& zone = *course_.zone;
    const Moment deadline = student.deadline_of(a);
    const auto time = parse_wall_time(text);
    const auto span = parse_span(text);
    /// The deadline `moment` of the code or of its report, extended.
    const auto later = [&](Moment moment) -> std::optional<Moment> {
      if (time) return zone.later(moment, deadline, zone.moment(time->time));
      if (!span) return std::nullopt;
      if (!text.ends_with('d')) return moment + *span;
      return zone.moment(zone.local(moment) + std::chrono::duration_cast<std::chrono::days>(*span));
    };
    const auto until = later(deadline);
    if (!until) {
      complain(line, fmt::format("'{}' is no extension; {}", text, kExtensionForms));
    } else if (*until < deadline) {
      complain(line, fmt::format("the extension of {} to {} is before the deadline {}", a.name,
                                 zone.text(*until), zone.text(deadline)));
    } else {
      student.extended[a.name] = *until;
      // An extension gives the assignment's document as much more time as the code.
      if (const Assignment* const documents = course_.report_for(a))
        student.extended[documents->name] = later(student.deadline_of(*documents)).value();
    }
  }

  std::string file_;
  const Course& course_;
  LoadedRoster loaded_;
  std::map<std::string, std::size_t> columns_;
  std::size_t width_ = 0;
  std::map<std::string, int> ids_, logins_;
};

/// A text as a cell of the CSV. It is quoted also if it begins or ends with a blank, because
/// readers drop blanks around unquoted cells.
std::string cell_of(const std::string& text) {
  const bool plain =
      text.find_first_of(",\"\r\n") == text.npos && !text.starts_with(' ') && !text.ends_with(' ');
  return plain ? text : report::csv_quoted(text);
}

std::size_t column_of(const CsvRow& header, const std::string& name) {
  const auto found = std::ranges::find(header.cells, name, lowercase);
  return static_cast<std::size_t>(found - header.cells.begin());
}

/// "m1=2 d; *=1 d" with another entry for `assignment`.
std::string changed(const std::string& entries, const std::string& assignment,
                    const std::string& extension) {
  std::string made;
  bool for_all = false;
  const auto append = [&](const std::string& entry) { made += (made.empty() ? "" : "; ") + entry; };
  for (const auto& part : split(entries, ';')) {
    const auto entry = trimmed(part), name = trimmed(entry.substr(0, entry.find('=')));
    if (name == "*") for_all = true;
    if (!entry.empty() && name != assignment) append(std::string(entry));
  }
  // The last entry for an assignment holds.
  if (!extension.empty())
    append(assignment + "=" + extension);
  else if (for_all)
    append(assignment + "=0 d");
  return made;
}

std::string csv_of(const std::vector<CsvRow>& rows) {
  std::string made;
  for (const CsvRow& row : rows) {
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      made += (c == 0 ? "" : ",") + cell_of(row.cells[c]);
    made += '\n';
  }
  return made;
}

tl::expected<std::vector<CsvRow>, std::string> rows_of(const std::string& roster) {
  auto rows = read_csv(roster);
  if (!rows) return tl::unexpected(rows.error().text);
  if (rows->empty()) return tl::unexpected<std::string>("the roster is empty");
  return *std::move(rows);
}

std::string no_student(const std::string& login) {
  return fmt::format("the roster has no student '{}'", login);
}

}  // namespace

const std::string& Student::team_for(const Assignment& assignment) const {
  const auto found =
      teams.find(assignment.report_of.empty() ? assignment.name : assignment.report_of);
  return found == teams.end() ? team : found->second;
}

Moment Student::deadline_of(const Assignment& assignment) const {
  const auto found = assignment.section_deadlines.find(section);
  return found == assignment.section_deadlines.end() ? assignment.deadline : found->second;
}

const Student* Roster::find(const std::string& login_or_id) const {
  for (const auto member : {&Student::login, &Student::id}) {
    const auto found = std::ranges::find(students, login_or_id, member);
    if (found != students.end()) return &*found;
  }
  return nullptr;
}

Owner Roster::owner_of(const Student& student, const Assignment& assignment) const {
  std::string key = key_of(student, assignment);
  if (key == student.login) return {std::move(key), {&student}};
  auto all = members(assignment, key);
  return {std::move(key), std::move(all)};
}

std::vector<const Student*> Roster::members(const Assignment& assignment,
                                            const std::string& key) const {
  constexpr std::string_view kTeam = "team ";
  const std::string_view team =
      key.starts_with(kTeam) ? std::string_view(key).substr(kTeam.size()) : std::string_view();
  // Called for each student of a large class, so it does not build every student's key.
  std::vector<const Student*> all;
  for (const auto& student : students) {
    const bool has_team = assignment.teams && !student.team_for(assignment).empty();
    if (has_team ? student.team_for(assignment) == team : student.login == key)
      all.push_back(&student);
  }
  return all;
}

std::vector<Owner> Roster::owners(const Assignment& assignment) const {
  std::vector<Owner> all;
  std::map<std::string, std::size_t> known;
  for (const auto& student : students) {
    const std::string key = key_of(student, assignment);
    const auto [at, is_new] = known.emplace(key, all.size());
    if (is_new) all.push_back({key, {}});
    all[at->second].members.push_back(&student);
  }
  return all;
}

Due due_of(const Owner& owner, const Assignment& assignment) {
  Due due{assignment.deadline, assignment.grace, assignment.late.days};
  if (!owner.members.empty()) due.deadline = Moment::min();
  for (const Student* member : owner.members) {
    const auto extended = member->extended.find(assignment.name);
    due.deadline =
        std::max({due.deadline, member->deadline_of(assignment),
                  extended == member->extended.end() ? Moment::min() : extended->second});
  }
  return due;
}

LoadedRoster parse_roster(const std::string& text, const std::string& file_name,
                          const Course& course) {
  return RosterReader(file_name, course).read(text);
}

LoadedRoster load_roster(const std::filesystem::path& file, const Course& course) {
  const auto text = read_text_file(file);
  if (!text) return {{}, {{file.string(), 0, 0, text.error()}}};
  return parse_roster(*text, file.string(), course);
}

tl::expected<std::string, std::string> with_extension(const std::string& roster,
                                                      const Course& course,
                                                      const Extension& extension) {
  const auto& [logins_wanted, assignment, until, confirmed] = extension;
  if (until.find_first_of(";=") != std::string::npos)
    return tl::unexpected<std::string>(
        fmt::format("'{}' is no extension: write '2 d', '36 h' or '2026-10-15 23:59'", until));
  auto rows = rows_of(roster);
  if (!rows) return tl::unexpected(rows.error());
  const std::size_t logins = column_of(rows->front(), "login");
  const std::size_t extensions = column_of(rows->front(), "extension");
  const bool is_new = extensions == rows->front().cells.size();
  if (is_new) rows->front().cells.emplace_back("extension");
  auto missing = logins_wanted;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    auto& cells = (*rows)[i].cells;
    if (is_new) cells.emplace_back();
    if (logins >= cells.size() || extensions >= cells.size() ||
        !logins_wanted.contains(cells[logins]))
      continue;
    missing.erase(cells[logins]);
    cells[extensions] = changed(cells[extensions], assignment, until);
  }
  if (!missing.empty()) return tl::unexpected(no_student(*missing.begin()));
  std::string made = csv_of(*rows);
  const auto read = parse_roster(made, "roster.csv", course);
  if (!read.problems.empty()) return tl::unexpected(read.problems.front().text);
  constexpr auto kLongest = std::chrono::hours(366 * 24);
  const Assignment* const due = course.find(assignment);
  for (const std::string& login : logins_wanted) {
    const Student* const student = read.roster.find(login);
    if (confirmed || student == nullptr || due == nullptr) continue;
    const auto extended = student->extended.find(assignment);
    if (extended != student->extended.end() && extended->second - due->deadline > kLongest)
      return tl::unexpected(
          fmt::format("the deadline would be {}, more than a year later; confirm "
                      "that it is meant",
                      course.zone->text(extended->second)));
  }
  return made;
}

std::map<std::string, std::string> roster_cells(const std::string& roster,
                                                const std::string& login) {
  std::map<std::string, std::string> cells;
  const auto rows = rows_of(roster);
  if (!rows) return cells;
  const CsvRow& header = rows->front();
  const std::size_t logins = column_of(header, "login");
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const auto& found = (*rows)[i].cells;
    if (found.size() != header.cells.size() || logins >= found.size() || found[logins] != login)
      continue;
    for (std::size_t c = 0; c < found.size(); ++c) {
      const std::string name = lowercase(header.cells[c]);
      cells[name == "e-mail" ? "email" : name] = found[c];
    }
  }
  return cells;
}

tl::expected<std::string, std::string> with_student(const std::string& roster, const Course& course,
                                                    const std::map<std::string, std::string>& cells,
                                                    bool is_new) {
  auto rows = rows_of(roster);
  if (!rows) return tl::unexpected(rows.error());
  const auto at = [&](const std::string& column) {
    const std::size_t found = column_of(rows->front(), column);
    const bool other_name = column == "email" && found == rows->front().cells.size();
    return other_name ? column_of(rows->front(), "e-mail") : found;
  };
  for (const auto& [column, value] : cells) {
    if (value.empty() || at(column) < rows->front().cells.size()) continue;
    rows->front().cells.push_back(column);
    for (std::size_t i = 1; i < rows->size(); ++i) (*rows)[i].cells.emplace_back();
  }
  const std::size_t width = rows->front().cells.size(), logins = at("login");
  const std::string& login = cells.at("login");
  const auto is_own = [&](const CsvRow& row) {
    return &row != rows->data() && logins < row.cells.size() && row.cells[logins] == login;
  };
  auto line = std::ranges::find_if(*rows, is_own);
  if (is_new && line != rows->end())
    return tl::unexpected(fmt::format("the roster has a student '{}' already", login));
  if (!is_new && line == rows->end()) return tl::unexpected(no_student(login));
  if (is_new) line = rows->insert(rows->end(), CsvRow{.cells = std::vector<std::string>(width)});
  for (const auto& [column, value] : cells)
    if (const std::size_t c = at(column); c < line->cells.size()) line->cells[c] = value;
  std::string made = csv_of(*rows);
  const auto read = parse_roster(made, "roster.csv", course);
  if (!read.problems.empty()) return tl::unexpected(read.problems.front().text);
  return made;
}

tl::expected<std::string, std::string> without_student(const std::string& roster,
                                                       const std::string& login) {
  auto rows = rows_of(roster);
  if (!rows) return tl::unexpected(rows.error());
  const std::size_t logins = column_of(rows->front(), "login");
  const auto removed = std::erase_if(*rows, [&](const CsvRow& row) {
    return logins < row.cells.size() && row.cells[logins] == login;
  });
  if (removed == 0) return tl::unexpected(no_student(login));
  return csv_of(*rows);
}

tl::expected<void, std::string> edit_roster(
    const std::filesystem::path& folder,
    const std::function<tl::expected<std::string, std::string>(const std::string&)>& edit,
    std::chrono::milliseconds patience) {
  // The server and commands take this lock to edit the roster one at a time. It is a lock on the
  // folder, because the file is replaced.
  const Fd lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock)
    return tl::unexpected(fmt::format("{} cannot be opened: {}; check the rights on the folder",
                                      folder.string(), std::generic_category().message(errno)));
  const auto until = std::chrono::steady_clock::now() + patience;
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR && errno != EWOULDBLOCK)
      return tl::unexpected(
          fmt::format("{} cannot be locked: {}; keep the course on a file system with locks",
                      folder.string(), std::generic_category().message(errno)));
    if (std::chrono::steady_clock::now() >= until)
      return tl::unexpected(fmt::format("another program edits {}; repeat it", kRosterFile));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::filesystem::path file = folder / kRosterFile;
  const auto before = read_text_file(file);
  if (!before) return tl::unexpected(before.error());
  const auto after = edit(*before);
  if (!after) return tl::unexpected(after.error());
  PartialFile partial(file);
  write_whole(partial.path(), *after, 0600);
  std::filesystem::permissions(partial.path(), std::filesystem::status(file).permissions());
  partial.commit();
  return {};
}

}  // namespace opgrade::course
