#include "grader/course/store/student_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>
#include <tuple>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/gradebook/marks.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/course/results/result_names.hpp"
#include "grader/course/results/results_lock.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/course/store/sql.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/report/formats/exporters.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using SQLite::Database;

constexpr std::array kOfSubmission{
    TableRows{"attempt", "submission = ?1", "grading",
              "id, version, number, device, started, outcome, points, max_points, open_points, "
              "late_points, result"},
    TableRows{"mark", "submission = ?1", "mark", "at, kind, name, is_on, points, text"},
    TableRows{"rejudge_job", "submission = ?1", "rejudged grading", ""},
};
constexpr TableRows kSubmission{"submission", "id = ?1", "submission",
                                "id, assignment, owner, sha256, file, handed_in, withdrawn, "
                                "unfinished, not_gradable"};
constexpr TableRows kChange{"change", "student = ?1", "change of points",
                            "at, assignment, kind, item, points, maximum, told, submission"};
/// Columns that may name a person in rows that stay.
constexpr std::array kTexts{
    TableColumn{"submission", "source"}, TableColumn{"submission", "added_by"},
    TableColumn{"change", "who"},        TableColumn{"change", "reason"},
    TableColumn{"change", "told"},       TableColumn{"rejudge", "filter"},
    TableColumn{"rejudge", "who"},       TableColumn{"rejudge", "reason"},
    TableColumn{"audit", "who"},         TableColumn{"rejudge_decision", "who"},
    TableColumn{"audit", "subject"},     TableColumn{"mark", "who"},
    TableColumn{"mark", "text"},         TableColumn{"rubric", "who"},
    TableColumn{"marks_release", "who"},
};

/// The tables of the course and of the other modules, in an order in which their rows can be
/// removed.
std::vector<TableRows> rows_of_submission(const Store& store) {
  std::vector<TableRows> all(kOfSubmission.begin(), kOfSubmission.end());
  for (const ModuleTables& other : store.modules())
    all.insert(all.end(), other.of_submission.begin(), other.of_submission.end());
  all.push_back(kSubmission);
  return all;
}

std::vector<TableRows> rows_of_person(const Store& store) {
  std::vector<TableRows> all{kChange};
  for (const ModuleTables& other : store.modules())
    all.insert(all.end(), other.of_person.begin(), other.of_person.end());
  return all;
}

std::vector<TableColumn> texts_of(const Store& store) {
  std::vector<TableColumn> all(kTexts.begin(), kTexts.end());
  for (const ModuleTables& other : store.modules())
    all.insert(all.end(), other.texts.begin(), other.texts.end());
  return all;
}

struct OwnSubmissions {
  std::vector<Submission> alone;   ///< only of this student
  std::vector<Submission> shared;  ///< of this student and the rest of a team
};

/// True if the submission is this student's alone.
bool is_alone(const CourseFolder& folder, const Submission& s, const Student& student) {
  if (s.owner == student.login) return true;
  const auto members = folder.members(s);
  return members.size() == 1 && members.front()->login == student.login;
}

OwnSubmissions submissions_of(const CourseFolder& folder, const Store& store,
                              const Student& student) {
  OwnSubmissions own;
  for (const Submission& s : store.submissions()) {
    const auto members = folder.members(s);
    if (is_alone(folder, s, student))
      own.alone.push_back(s);
    else if (std::ranges::find(members, student.login, &Student::login) != members.end())
      own.shared.push_back(s);
  }
  return own;
}

/// The rows as the student may see them.
ordered_json rows_of(Database& database, const TableRows& part, const auto& value) {
  auto query = sql::prepare(
      database, fmt::format("SELECT {} FROM {} WHERE {}", part.of_student, part.table, part.where),
      value);
  ordered_json rows = ordered_json::array();
  while (query.executeStep()) {
    ordered_json& row = rows.emplace_back();
    for (int i = 0; i < query.getColumnCount(); ++i) {
      const auto column = query.getColumn(i);
      row[column.getName()] = column.isNull()      ? ordered_json(nullptr)
                              : column.isInteger() ? ordered_json(column.getInt64())
                              : column.isFloat()   ? ordered_json(column.getDouble())
                                                   : ordered_json(column.getString());
    }
  }
  return rows;
}

void remove_rows(ordered_json& rows, const auto& which) {
  auto& all = rows.get_ref<ordered_json::array_t&>();
  std::erase_if(all, which);
}

std::size_t count_of(Database& database, const TableRows& part, const auto& value) {
  const auto counts = sql::rows<std::int64_t>(
      database, fmt::format("SELECT COUNT(*) FROM {} WHERE {}", part.table, part.where), value);
  return static_cast<std::size_t>(counts.at(0));
}

/// Replaces each whole word `word` in `text` by `other`.
std::string with_word(const std::string& text, const std::string& word, const std::string& other) {
  const auto is_part = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  std::string made;
  std::size_t begin = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if (at < begin || (at > 0 && is_part(at - 1)) || is_part(at + word.size())) continue;
    made += text.substr(begin, at - begin) + other;
    begin = at + word.size();
  }
  return made + text.substr(begin);
}

/// Words that name the student. A short id is left out, because it may be any number.
std::vector<std::string> words_of(const Student& student) {
  std::vector<std::string> words{student.login, student.email, student.name};
  if (student.id.size() >= 5) words.push_back(student.id);
  std::erase(words, "");
  return words;
}

/// Replaces the words by the pseudonym, the longest first, so that no part of a word is replaced as
/// another word.
void use_pseudonym(Database& database, const std::vector<TableColumn>& texts,
                   std::vector<std::string> words, const std::string& pseudonym) {
  std::ranges::sort(words, std::greater{}, &std::string::size);
  for (const auto& [table, column] : texts)
    for (const std::string& word : words) {
      for (const auto& [id, text] : sql::rows<std::pair<std::int64_t, std::string>>(
               database,
               fmt::format("SELECT rowid, {0} FROM {1} WHERE instr({0}, ?) > 0", column, table),
               word))
        sql::execute(database, fmt::format("UPDATE {} SET {} = ? WHERE rowid = ?", table, column),
                     with_word(text, word, pseudonym), id);
    }
}

}  // namespace

void export_student(const CourseFolder& folder, const Store& store, const Gradebook& book,
                    const Student& student, const fs::path& out) {
  require_new_folder(out);
  ordered_json json{{"id", student.id},       {"login", student.login},     {"name", student.name},
                    {"email", student.email}, {"section", student.section}, {"team", student.team}};
  json["grades"] = ordered_json::array();
  for (const Assignment& a : folder.course.assignments) {
    const Entry entry = as_students_see(book.entry(student, a));
    json["grades"].push_back(
        {{"assignment", a.name},
         {"grade", grade_text(entry)},
         {"state", name_of(entry.state)},
         {"points", entry.points ? ordered_json(*entry.points) : ordered_json(nullptr)},
         {"maximum", entry.maximum},
         {"why", derivation(entry, folder, report::Audience::student)}});
  }
  // Staff hold the grades of these back.
  const auto is_held = [&](const std::string& assignment) {
    const Assignment* const a = folder.course.find(assignment);
    return a == nullptr || !a->released;
  };
  json["submissions"] = ordered_json::array();
  auto own = submissions_of(folder, store, student);
  std::ranges::move(own.shared, std::back_inserter(own.alone));
  for (const Submission& s : own.alone) {
    write_new_file(out / s.file, text_of_file(folder.path / s.file));
    std::set<std::int64_t> shown;  // gradings
    for (const Attempt& a : store.attempts(s.id)) {
      if (is_held(s.assignment) || !a.counts) continue;
      shown.insert(a.id);
      const auto grade = read_result((folder.path / a.result).parent_path());
      if (grade)
        write_new_file(out / a.result,
                       report::exporter("json").write(*grade, {report::Audience::student}));
    }
    ordered_json& one = json["submissions"].emplace_back();
    store.read([&](Database& database) {
      for (const TableRows& part : rows_of_submission(store))
        if (*part.of_student != '\0') one[part.table] = rows_of(database, part, s.id);
    });
    remove_rows(one["attempt"], [&](const ordered_json& row) {
      return !shown.contains(row.at("id").get<std::int64_t>());
    });
    // Marks that are not released are left out, as on the student's pages: a grader may still
    // change them.
    if (const Assignment* const a = folder.course.find(s.assignment);
        a == nullptr ||
        (!a->report_of.empty() && !(a->released && marks_are_released(store, a->report_of))))
      one["mark"] = ordered_json::array();
  }
  store.read([&](Database& database) {
    for (const TableRows& part : rows_of_person(store))
      if (*part.of_student != '\0') json[part.table] = rows_of(database, part, student.login);
    json["audit"] =
        rows_of(database, {"audit", "who = ?1", "", "at, address, action, subject"}, student.login);
  });
  remove_rows(json["change"], [&](const ordered_json& row) {
    return is_held(row.at("assignment").get<std::string>());
  });
  write_new_file(out / "student.json",
                 json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

namespace {

/// Takes the lock of the results. A server holds it while it grades, and releases it between two
/// gradings.
ResultsLock take_results(const fs::path& folder) {
  constexpr auto kPatience = std::chrono::seconds(10);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  return ResultsLock(folder, [&](const std::string& holder) {
    if (std::chrono::steady_clock::now() > end)
      throw UsageError(
          fmt::format("nothing was removed: a submission of this course is being graded ({})",
                      holder),
          "repeat the command when the grading has ended. If opgrade serve always grades, let "
          "staff's page Class stop the workers after what runs, and start them again afterwards");
    interrupt::check();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return true;
  });
}

/// Folders and files that hold a student's submissions and results, and copies of the database that
/// an older schema left.
std::vector<fs::path> files_of(const CourseFolder& folder, const Student& student,
                               const std::vector<Submission>& alone) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const char* part : {kSubmissions, kResults})
    for (const auto& assignment : fs::directory_iterator(folder.path / part, ignored))
      if (const fs::path own = assignment.path() / result_name(student.login);
          fs::exists(own, ignored))
        files.push_back(own);
  for (const Submission& s : alone)  // of a team that has no other member
    for (const fs::path& own : {(folder.path / s.file).parent_path(),
                                folder.path / kResults / s.assignment / result_name(s.owner)})
      if (std::ranges::find(files, own) == files.end() && fs::exists(own, ignored))
        files.push_back(own);
  // The pictures of all documents. Those of documents that stay are made again.
  if (fs::exists(folder.path / kShown, ignored)) files.push_back(folder.path / kShown);
  for (const auto& entry : fs::directory_iterator(folder.path))
    if (const std::string name = entry.path().filename().string();
        name.starts_with(std::string(kDatabase) + ".v") && name.ends_with(".bak"))
      files.push_back(entry.path());
  return files;
}

/// Removes a folder, with new tries, because a running server may write into it meanwhile.
void remove_whole(const fs::path& path) {
  constexpr int kTries = 500;
  std::error_code error;
  for (int i = 0; i < kTries; ++i) {
    fs::remove_all(path, error);
    if (!error) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw Error(fmt::format("cannot remove {}: {}", path.string(), error.message()),
              "check the rights on the course folder, then repeat the command");
}

/// Removes a student's rows and files. run() is called again after the student has left the roster,
/// for what a running server took in until then; it takes nothing in after that.
class Removal {
 public:
  Removal(const CourseFolder& folder, Store& store, const Student& student,
          const std::map<std::string, double>& ranked_ms)
      : folder_(folder), store_(store), student_(student), ranked_ms_(ranked_ms) {}

  void run() {
    const auto alone = submissions_of(folder_, store_, student_).alone;
    for (const fs::path& file : files_of(folder_, student_, alone)) remove_whole(file);
    std::vector<fs::path> late;  // submissions that came after `alone` was read
    store_.erase([&](Database& database) {
      if (pseudonym_.empty()) add_pseudonym(database);
      // Reads the submissions again: no other one can come before this transaction ends.
      for (const auto& [id, file] : sole_submissions(database)) {
        for (const TableRows& part : rows_of_submission(store_))
          sql::execute(database, fmt::format("DELETE FROM {} WHERE {}", part.table, part.where),
                       id);
        late.push_back(folder_.path / file);
      }
      for (const TableRows& part : rows_of_person(store_))
        sql::execute(database, fmt::format("DELETE FROM {} WHERE {}", part.table, part.where),
                     student_.login);
      sql::execute(database, "UPDATE audit SET address = '' WHERE who = ?", student_.login);
      use_pseudonym(database, texts_of(store_), words_of(student_), pseudonym_);
    });
    for (const fs::path& file : late) {
      if (fs::is_regular_file(file)) remove_whole(file);
      std::error_code not_empty;
      fs::remove(file.parent_path(), not_empty);
    }
  }

 private:
  void add_pseudonym(Database& database) {
    const auto number = database.execAndGet("SELECT COUNT(*) + 1 FROM removed_student").getInt();
    pseudonym_ = fmt::format("removed-{}", number);
    sql::execute(database, "INSERT INTO removed_student VALUES (?)", pseudonym_);
    for (const auto& [assignment, ms] : ranked_ms_)
      sql::execute(database, "INSERT INTO removed_time VALUES (?, ?, ?)", pseudonym_, assignment,
                   ms);
    sql::audit(database, this_second(), user_name(), kThisMachine, "remove student", pseudonym_);
  }

  /// The student's own submissions: their numbers and files.
  std::vector<std::pair<std::int64_t, std::string>> sole_submissions(Database& database) const {
    std::vector<std::pair<std::int64_t, std::string>> all;
    for (auto& [id, assignment, owner, file] :
         sql::rows<std::tuple<std::int64_t, std::string, std::string, std::string>>(
             database, "SELECT id, assignment, owner, file FROM submission"))
      if (is_alone(folder_, {.assignment = assignment, .owner = owner}, student_))
        all.emplace_back(id, file);
    return all;
  }

  const CourseFolder& folder_;
  Store& store_;
  const Student& student_;
  const std::map<std::string, double>& ranked_ms_;
  std::string pseudonym_;
};

}  // namespace

std::vector<std::string> remove_student(const CourseFolder& folder, Store& store,
                                        const Student& student,
                                        const std::map<std::string, double>& ranked_ms,
                                        bool dry_run) {
  std::optional<ResultsLock> lock;  // so that no result comes meanwhile
  if (!dry_run) lock.emplace(take_results(folder.path));
  const auto [alone, shared] = submissions_of(folder, store, student);
  std::vector<std::string> told;
  const auto unfinished = store.unfinished();
  for (const Submission& s : alone) {
    if (!unfinished.contains(s.id)) continue;
    const std::string what = fmt::format("submission {} of {} is in work", s.id, student.login);
    if (!dry_run) throw UsageError(what, "wait until it is graded, or cancel it");
    told.push_back(what + ": --yes removes nothing before its end");
  }
  const auto tell = [&](std::size_t count, const char* name) {
    if (count > 0) told.push_back(counted(static_cast<std::int64_t>(count), name));
  };
  store.read([&](Database& database) {
    for (const TableRows& part : rows_of_submission(store)) {
      std::size_t count = 0;
      for (const Submission& s : alone) count += count_of(database, part, s.id);
      tell(count, part.name);
    }
    for (const TableRows& part : rows_of_person(store))
      tell(count_of(database, part, student.login), part.name);
  });
  for (const fs::path& file : files_of(folder, student, alone))
    told.push_back(file.lexically_relative(folder.path).string());
  told.push_back(fmt::format("the line of {} in {}", student.login, kRosterFile));
  if (!shared.empty())
    told.push_back(fmt::format("stays, under a pseudonym: {} of a team",
                               counted(static_cast<std::int64_t>(shared.size()), "submission")));
  if (dry_run) return told;

  Removal removal(folder, store, student, ranked_ms);
  removal.run();
  // The roster is changed last, so that a killed command can be repeated. After this a running
  // server takes nothing in for the student.
  const auto edited = edit_roster(folder.path, [&](const std::string& roster) {
    return without_student(roster, student.login);
  });
  if (!edited) throw Error(edited.error(), "repeat the command, or remove the line by hand");
  removal.run();
  store.empty_log();
  return told;
}

}  // namespace opgrade::course
