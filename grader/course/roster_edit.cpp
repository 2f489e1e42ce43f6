#include "grader/course/roster_edit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/core/text_parts.hpp"
#include "grader/course/course_folder.hpp"
#include "grader/course/csv_reader.hpp"
#include "grader/course/roster.hpp"
#include "grader/files/partial_file.hpp"
#include "grader/files/text_file.hpp"
#include "grader/report/csv.hpp"

namespace opgrade::course {
namespace {

/// Readers drop blanks around a cell without quotes.
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
  // The last entry of an assignment holds.
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
    const std::function<tl::expected<std::string, std::string>(const std::string&)>& edit) {
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
