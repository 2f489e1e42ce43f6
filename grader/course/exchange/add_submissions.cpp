#include "grader/course/exchange/add_submissions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/course/exchange/document_file.hpp"
#include "grader/course/gradebook/standing.hpp"
#include "grader/course/results/result_names.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/grading/intake/stage_files.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

class Adding {
 public:
  Adding(const CourseFolder& folder, Store& store, const Assignment& assignment,
         const AddOptions& options)
      : folder_(folder), store_(store), assignment_(assignment), options_(options) {
    for (auto& s : store.submissions(assignment.name)) newest_[s.owner] = std::move(s);
  }

  void add(const HandIn& hand_in) {
    const auto owners = owners_of(hand_in);
    if (!owners) return;
    for (const Owner& owner : *owners) add_for(hand_in, owner);
  }

  void skip(const std::string& what) { report.not_added.push_back({what, "", "skipped", {}}); }

  AddReport report;

 private:
  void refuse(const HandIn& hand_in, const std::string& why,
              std::vector<std::string> nearest = {}) {
    report.not_added.push_back(
        {printable_line(hand_in.source, 500), hand_in.short_name, why, std::move(nearest)});
  }

  /// nullopt if a submitter is not in the roster, because a group is added as a whole or not at
  /// all.
  std::optional<std::vector<Owner>> owners_of(const HandIn& hand_in) {
    std::vector<const Student*> students;
    const auto named = options_.as.find(hand_in.short_name);
    const std::string login = !options_.student.empty()    ? options_.student
                              : named != options_.as.end() ? named->second
                                                           : "";
    if (!login.empty()) {
      students = {folder_.roster.find(login)};  // checked in add_submissions()
    } else {
      if (hand_in.people.empty()) {
        refuse(hand_in, "the source names no student; name one with --as");
        return std::nullopt;
      }
      for (const Person& person : hand_in.people) {
        Match found = match(person, folder_.roster);
        if (found.student == nullptr) {
          std::string who = person.name;
          if (who.empty() && !person.keys.empty()) who = person.keys.front();
          refuse(hand_in, fmt::format("{}: {}", printable_line(who), found.why_not),
                 std::move(found.nearest));
          return std::nullopt;
        }
        students.push_back(found.student);
      }
    }
    std::vector<Owner> owners;
    std::set<std::string> seen;
    for (const Student* student : students) {
      Owner owner = folder_.roster.owner_of(*student, assignment_);
      if (seen.insert(owner.key).second) owners.push_back(std::move(owner));
    }
    if (assignment_.teams && owners.size() > 1) {
      refuse(hand_in, fmt::format("its submitters are of different teams: {}; correct the roster "
                                  "or name one with --as",
                                  fmt::join(seen, ", ")));
      return std::nullopt;
    }
    return owners;
  }

  void add_for(const HandIn& hand_in, const Owner& owner) {
    const bool wanted = options_.only.empty() || options_.only == hand_in.short_name ||
                        options_.only == owner.key ||
                        std::ranges::any_of(owner.members, [&](const Student* s) {
                          return s->login == options_.only;
                        });
    if (!wanted) return;
    const TimeZone& zone = *folder_.course.zone;
    const Due due = DueDates(folder_, store_).of(owner, assignment_);
    auto content = hand_in.read({zone, due, assignment_.report.file});
    if (!content) {
      refuse(hand_in, content.error());
      return;
    }
    if (options_.time) {
      content->handed_in = options_.time;
      content->time_from = "--time";
    }
    if (!content->handed_in) {
      refuse(hand_in, content->time_from);
      return;
    }
    AddedSubmission added;
    Submission& s = added.submission;
    s.assignment = assignment_.name;
    s.owner = owner.key;
    s.sha256 = sha256_of_text(content->bytes);
    s.handed_in = *content->handed_in;
    s.source = printable_line(hand_in.source, 500);
    s.added = this_second();
    s.added_by = user_name();
    std::string time = iso_text(s.handed_in);
    std::erase(time, ':');
    std::erase(time, '-');
    s.file = fmt::format("{}/{}/{}/{}-{}{}", kSubmissions, s.assignment, result_name(s.owner), time,
                         s.sha256.substr(0, 12), content->ending);
    const std::string not_gradable = why_not_gradable(content->bytes);
    // A copied folder has a later time, but the student handed in nothing else.
    const auto newest = newest_.find(owner.key);
    if (newest != newest_.end() && newest->second.sha256 == s.sha256 &&
        newest->second.handed_in <= s.handed_in) {
      s = newest->second;
      added.is_new = false;
      content->time_from = "the first time that this content came";
    }
    // A submission that has a result is not changed, because only a rejudge may change a grade.
    const bool graded =
        !added.is_new && std::ranges::any_of(store_.attempts(s.id), [](const Attempt& a) {
          return a.counts && a.outcome != Outcome::grader_fault;
        });
    if (!added.is_new && !graded && s.not_gradable != not_gradable && !options_.dry_run)
      store_.set_not_gradable(s.id, not_gradable);
    if (!graded) s.not_gradable = not_gradable;
    added.late = lateness(zone, due, s.handed_in);
    added.time_from = content->time_from;
    added.notes = std::move(content->notes);
    if (added.is_new && !options_.dry_run) {
      store_.require_place();
      // An existing file of this name has the same bytes, because the name contains the hash.
      write_new_file(folder_.path / s.file, content->bytes, folder_.path);
      added.is_new = store_.add(s);
      Submission& last = newest_[s.owner];
      if (last.id == 0 || last.handed_in <= s.handed_in) last = s;
    }
    if (const Assignment* const documents = folder_.course.report_for(assignment_))
      add_document(*documents, content->bytes, added);
    report.added.push_back(std::move(added));
  }

  /// Adds the document in the archive of the code, even if the code itself is refused.
  void add_document(const Assignment& documents, const std::string& archive,
                    AddedSubmission& added) {
    const auto found = document_in(archive, documents.report);
    if (!found || !*found) {
      added.notes.push_back(found ? fmt::format("it has no {}", documents.report.file)
                                  : found.error());
      return;
    }
    const Submission& code = added.submission;
    Submission document = document_submission(documents, code.owner, **found, code.handed_in);
    document.source = code.source;
    document.added = code.added;
    document.added_by = code.added_by;
    if (known_document(store_, document, Among::all)) return;
    added.notes.push_back("with " + documents.report.file);
    if (options_.dry_run) return;
    store_.require_place();
    write_new_file(folder_.path / document.file, **found, folder_.path);
    store_.add(document);
  }

  std::string why_not_gradable(const std::string& archive) const {
    if (options_.config == nullptr) return "";
    const auto refusal = nothing_to_grade(archive, *options_.config);
    return refusal ? printable_line(refusal->reason + ". " + refusal->hint, 500) : "";
  }

  const CourseFolder& folder_;
  Store& store_;
  const Assignment& assignment_;
  const AddOptions& options_;
  std::map<std::string, Submission> newest_;  ///< by owner
};

}  // namespace

AddReport add_submissions(const CourseFolder& folder, Store& store, const Assignment& assignment,
                          const AddOptions& options) {
  std::set<std::string> logins;
  if (!options.student.empty()) logins.insert(options.student);
  for (const auto& [name, login] : options.as) logins.insert(login);
  for (const auto& login : logins) {
    if (folder.roster.find(login) == nullptr)
      throw UsageError(fmt::format("the roster has no student '{}'", login),
                       "name a login or an id of roster.csv");
  }
  Adding adding(folder, store, assignment, options);
  for (const auto& path : options.paths) {
    if (!options.student.empty()) {
      if (!fs::exists(path))
        throw UsageError(fmt::format("{} cannot be found", path.string()), "correct the path");
      adding.add(hand_in_of(path));
      continue;
    }
    const FoundHandIns found = find_hand_ins(path);
    for (const auto& hand_in : found.hand_ins) adding.add(hand_in);
    for (const auto& skipped : found.skipped) adding.skip(skipped);
  }
  return std::move(adding.report);
}

}  // namespace opgrade::course
