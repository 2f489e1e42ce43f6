#include "grader/service/queue/uploads.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "grader/base/core/printable.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/documents/document.hpp"
#include "grader/course/exchange/document_file.hpp"
#include "grader/course/exchange/hand_in.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/gradebook/standing.hpp"
#include "grader/course/results/result_names.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/course/store/sql.hpp"
#include "grader/grading/intake/stage_files.hpp"
#include "grader/grading/profile/device_tool.hpp"
#include "grader/service/state/status.hpp"
#include "grader/task/config/student_files.hpp"

namespace opgrade::service {
namespace {

using course::Assignment;

/// An archive without files consists of its end record.
constexpr std::string_view kEmptyZip = "PK\x05\x06";

/// The archive's ending by its first bytes, because the client could choose any name.
std::string ending_of(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("PK\x03\x04"sv) || bytes.starts_with(kEmptyZip)) return ".zip";
  if (bytes.starts_with("\x1f\x8b"sv)) return ".tar.gz";
  if (bytes.starts_with("BZh"sv)) return ".tar.bz2";
  if (bytes.starts_with("\xfd"
                        "7zXZ"sv))
    return ".tar.xz";
  if (bytes.starts_with("\x28\xb5\x2f\xfd"sv)) return ".tar.zst";
  if (bytes.size() > 262 && bytes.substr(257, 5) == "ustar"sv) return ".tar";
  return "";
}

bool is_key(const std::string& key) {
  return key.size() >= 8 && key.size() <= 100 && std::ranges::all_of(key, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '_';
         });
}

/// Bytes of an owner's archives on the disk. They are limited, because one student's large archives
/// must not fill the disk.
std::uintmax_t bytes_of(const Service& service, const std::vector<HandIn>& earlier) {
  std::uintmax_t bytes = 0;
  for (const HandIn& h : earlier) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(service.path / h.submission.file, missing);
    if (!missing && !h.staff) bytes += size;
  }
  return bytes;
}

/// The login for `keys`: logins, ids or e-mail addresses, separated by commas. Empty if they belong
/// to no student, or to two.
std::string student_of(const course::CourseFolder& folder, const Identity& who,
                       const std::string& keys) {
  const course::Person person{split(keys, ','), ""};
  const course::Student* const student = course::match(person, folder.roster).student;
  return student != nullptr && may_see(who, *student) ? student->login : "";
}

/// What an upload lacks. This is checked before the upload is stored and uses an attempt, because a
/// student may have forgotten the files of a stage.
std::string lack_of(const std::string& bytes, const Config& config) {
  std::vector<std::string> stages;
  for (const MissingFiles& missing : missing_in(bytes, config))
    if (missing.points > 0)
      stages.push_back(fmt::format(
          "{}, so \"{}\" earns nothing: {} of {} points are lost", missing.reason, missing.stage,
          course::points_text(missing.points), course::points_text(config.max_points())));
  if (stages.empty()) return "";
  return printable_line(
      fmt::format("not taken, and no attempt used: {}. Add what is missing, or hand in without it: "
                  "by the tick in the form, opgrade submit --incomplete, or incomplete=yes",
                  fmt::join(stages, "; ")),
      800);
}

Allowance allowance_of(const Service& service, const Assignment& assignment,
                       const std::vector<HandIn>& earlier) {
  std::vector<course::Moment> counted, withdrawn;
  for (const HandIn& h : earlier) {
    if (h.staff || h.state == State::stuck) continue;
    (h.state == State::cancelled ? withdrawn : counted).push_back(h.submission.handed_in);
  }
  Allowance answer =
      allowance(*service.files.folder()->course.zone, counted,
                {assignment.attempts_a_day, service.options.interval}, service.now(), withdrawn);
  if (assignment.is_practice) answer.unit = "practice run";
  return answer;
}

/// True for practice runs on a GPU that this machine does not have. A cluster has GPUs of its own.
bool lacks_gpu(const Service& service, const Assignment& a) {
  if (!a.is_practice || !a.practice.on_devices || a.on_slurm || service.options.emulates)
    return false;
  const auto config = service.files.config_of(a);
  return std::ranges::any_of(config->stages,
                             [](const auto& stage) { return stage.device == Device::cuda; }) &&
         !service.files.uses_gpu(a);
}

/// The answer to an upload of this content if its key is known; else nullopt. Throws NotDone if
/// nothing may be handed in now.
std::optional<Taken> answer_without_taking(const Service& service, const Assignment& assignment,
                                           const course::Owner& owner, const HandIn& hand_in,
                                           std::size_t bytes) {
  const auto& s = hand_in.submission;
  // Read before the key, so that a row that comes meanwhile has a known key and is not over the
  // limit.
  const auto earlier = service.queue.of_owner(owner.key, assignment.name);
  if (const auto known = service.queue.by_key(hand_in.person, hand_in.key)) {
    if (known->submission.sha256 == s.sha256 && known->submission.assignment == s.assignment &&
        known->tool == hand_in.tool)
      return Taken{*known, false};
    throw NotDone(409, "this Idempotency-Key was used for another content; make a new one");
  }
  const auto folder = service.files.folder();
  const course::TimeZone& zone = *folder->course.zone;
  if (!hand_in.staff && assignment.opens && s.handed_in < *assignment.opens)
    throw NotDone(403,
                  fmt::format("{} opens at {}", assignment.name, zone.text(*assignment.opens)));
  if (const auto due = course::DueDates(*folder, service.store).of(owner, assignment);
      !hand_in.staff && !lateness(zone, due, s.handed_in).accepted)
    throw NotDone(
        403, fmt::format("{} closed at {}", assignment.name, zone.text(last_moment(zone, due))));
  if (lacks_gpu(service, assignment))
    throw NotDone(
        503,
        "not taken: these practice runs need a GPU, and the server has none. opgrade check "
        "runs on your own machine; a hand-in waits for a machine with a GPU");
  if (const std::string trouble = service.trouble(); !trouble.empty())
    throw NotDone(503, "not taken: " + trouble);
  if (hand_in.staff) return std::nullopt;
  const Allowance allowed = allowance_of(service, assignment, earlier);
  if (!allowed.allowed()) throw NotDone(429, "not taken: " + allowed.refusal(), allowed.wait);
  constexpr std::uintmax_t kUploads = 64;
  const std::uintmax_t most = kUploads * service.options.upload_bytes;
  if (bytes_of(service, earlier) + bytes > most)
    throw NotDone(413, fmt::format("not taken: the submissions for {} have more than {} MiB "
                                   "together; ask the course's staff to hand in",
                                   assignment.name, most >> 20));
  return std::nullopt;
}

}  // namespace

std::optional<course::Owner> owner_of(const course::CourseFolder& folder, const Identity& who,
                                      const Assignment& assignment) {
  const course::Student* const student = folder.roster.find(who.person);
  if (student == nullptr || who.is_staff()) return std::nullopt;
  return folder.roster.owner_of(*student, assignment);
}

Allowance allowance_of(const Service& service, const Assignment& assignment,
                       const std::string& owner) {
  return allowance_of(service, assignment, service.queue.of_owner(owner, assignment.name));
}

namespace {

/// Throws NotDone for a tool that the course does not offer, and for a text that names no tool.
void expect_offered(const std::string& text, const Assignment& assignment) {
  if (text.empty()) return;
  const auto& tools = assignment.practice.tools;
  const std::string name = text.substr(0, text.find(':'));
  if (!assignment.is_practice || std::ranges::find(tools, name) == tools.end())
    throw NotDone(403, tools.empty()
                           ? "the course offers no tools in practice runs here"
                           : fmt::format("'{}' is none of them: the tools of practice "
                                         "runs here are {}",
                                         printable_line(name, 40), fmt::join(tools, ", ")));
  if (!read_tool_wish(text))
    throw NotDone(400, device_tool(name)->takes_kernel
                           ? fmt::format("{} needs the name of a kernel: letters, digits and '_', "
                                         "as in ncu:conv_forward_kernel",
                                         device_tool(name)->title)
                           : fmt::format("{} takes no kernel", device_tool(name)->title));
}

/// Throws NotDone for a student who was removed from the roster since the request began, because
/// the service takes nothing in for a student who is being removed.
void expect_student(const Service& service, const std::string& login) {
  if (service.files.folder()->roster.find(login) == nullptr)
    throw NotDone(403, "the roster has no such student; ask the course's staff");
}

/// Removes a file and its folder if that is empty, because the folder's name has the login of a
/// removed student.
void remove_with_folder(const std::filesystem::path& file) {
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  std::filesystem::remove(file.parent_path(), ignored);
}

/// Keeps a document that why_no_document() accepts or document_in() returns. Among::all is for
/// documents that come with code, which has the same document each time. The caller holds
/// Service::uploads.
Taken keep_document(Service& service, const Upload& upload, const Assignment& documents,
                    const course::Owner& owner, const std::string& login, const std::string& bytes,
                    course::Among among) {
  HandIn hand_in;
  hand_in.submission = course::document_submission(documents, owner.key, bytes, service.now());
  auto& s = hand_in.submission;
  if (const auto known = course::known_document(service.store, s, among))
    return {*service.queue.find(known->id), false};
  s.added = hand_in.queued = s.handed_in;
  s.source = "the service";
  s.added_by = hand_in.person = upload.who.person;
  hand_in.staff = upload.who.is_staff();
  hand_in.key = fmt::format("document-{}", course::sha256_of_text(s.file).substr(0, 40));
  course::write_new_file(service.path / s.file, bytes, service.path);
  try {
    const bool is_new =
        service.queue.add_document(hand_in, [&](SQLite::Database& database, bool first) {
          expect_student(service, login);
          if (first)
            course::sql::audit(database, service.now(), upload.who.person, upload.address, "submit",
                               fmt::format("{} {} of {}", s.assignment, s.id, s.owner));
        });
    return {*service.queue.find(s.id), is_new};
  } catch (const NotDone&) {
    remove_with_folder(service.path / s.file);
    throw;
  }
}

/// The bytes to keep of a document that is handed in separately. An archive may have Markdown with
/// the pictures that it names. Throws NotDone if the document cannot be accepted.
std::string document_apart(const std::string& bytes, const course::ReportRules& rules) {
  if (ending_of(bytes).empty() || documents::kind_of(bytes)) {
    if (const auto why = course::why_no_document(bytes, rules))
      throw NotDone(422, "not taken: " + printable_line(*why, 300));
    return bytes;
  }
  auto found = course::document_in(bytes, rules);
  if (!found) throw NotDone(422, "not taken: " + printable_line(found.error(), 300));
  if (!*found) throw NotDone(422, fmt::format("not taken: the archive has no {}", rules.file));
  return **std::move(found);
}

/// Takes a document that is handed in separately from the code.
Taken take_document(Service& service, const Upload& upload, const Assignment& documents,
                    const course::Owner& owner, const std::string& login) {
  constexpr std::size_t kMostDocuments = 50;  // documents of an owner for an assignment
  const auto folder = service.files.folder();
  const course::TimeZone& zone = *folder->course.zone;
  const bool staff = upload.who.is_staff();
  if (!staff && documents.opens && service.now() < *documents.opens)
    throw NotDone(403,
                  fmt::format("{} opens at {}", documents.report_of, zone.text(*documents.opens)));
  if (const auto due = course::DueDates(*folder, service.store).of(owner, documents);
      !staff && !lateness(zone, due, service.now()).accepted)
    throw NotDone(403, fmt::format("the report of {} closed at {}", documents.report_of,
                                   zone.text(last_moment(zone, due))));
  if (const std::string trouble = service.trouble(); !trouble.empty())
    throw NotDone(503, "not taken: " + trouble);
  const std::string kept = document_apart(upload.bytes, documents.report);
  const std::scoped_lock one_at_a_time(service.uploads);
  if (!staff && service.store.submissions(documents.name, owner.key).size() >= kMostDocuments)
    throw NotDone(413, fmt::format("not taken: {} documents came for {}; ask the course's staff to "
                                   "hand in",
                                   kMostDocuments, documents.report_of));
  return keep_document(service, upload, documents, owner, login, kept, course::Among::newest);
}

/// The document in an archive of code; nullopt if the archive has none. Throws NotDone if the
/// document cannot be accepted, or if the assignment requires one and none came before.
std::optional<std::string> document_of_upload(const Service& service, const Upload& upload,
                                              const Assignment* documents,
                                              const course::Owner& owner) {
  if (documents == nullptr) return std::nullopt;
  auto found = course::document_in(upload.bytes, documents->report);
  if (!found)
    throw NotDone(422, "not taken, and no attempt used: " + printable_line(found.error(), 300));
  if (!*found && documents->report.required && !upload.incomplete && !upload.who.is_staff() &&
      service.store.submissions(documents->name, owner.key).empty())
    throw NotDone(409,
                  fmt::format("not taken, and no attempt used: {} is missing, which the assignment "
                              "requires. Add it, hand it in apart first, or hand in without it: by "
                              "the tick in the form, opgrade submit --incomplete, or "
                              "incomplete=yes",
                              documents->report.file));
  return *std::move(found);
}

/// The hand-in of a practice run that is not taken back, if there is one. Sets the key that the
/// next one gets: a hand-in that was taken back keeps its key.
std::optional<HandIn> hand_in_of_run(const Queue& queue, std::int64_t run, HandIn& next) {
  const std::string first = fmt::format("of-run-{}", run);
  int taken_back = 0;
  for (HandIn& h : queue.of_owner(next.submission.owner, next.submission.assignment)) {
    if (h.key != first && !h.key.starts_with(first + "-")) continue;
    if (h.state != State::cancelled) return std::move(h);
    ++taken_back;
  }
  next.key = taken_back == 0 ? first : fmt::format("{}-{}", first, taken_back);
  return std::nullopt;
}

}  // namespace

Taken take_upload(Service& service, Upload upload) {
  const auto folder = service.files.folder();
  const Assignment* const assignment = folder->course.find(upload.assignment);
  if (assignment == nullptr)
    throw NotDone(404, fmt::format("the course has no assignment '{}'",
                                   printable_line(upload.assignment, 60)));
  const bool staff = upload.who.is_staff();
  Identity student = upload.who;
  if (staff) student = {student_of(*folder, upload.who, upload.login), Role::student, ""};
  const auto owner = owner_of(*folder, student, *assignment);
  if (!owner)
    throw NotDone(403, staff ? "staff hand in for a student of the roster: name the login, id or "
                               "e-mail (--for)"
                             : "the roster has no such student; ask the course's staff");
  if (!assignment->report_of.empty())
    return take_document(service, upload, *assignment, *owner, student.person);
  if (upload.of_run == 0 && !is_key(upload.key))
    throw NotDone(400, "the header Idempotency-Key needs 8 to 100 letters, digits, '-' or '_'");
  expect_offered(upload.tool, *assignment);
  HandIn hand_in;
  hand_in.tool = upload.tool;
  auto& s = hand_in.submission;
  s.assignment = assignment->name;
  s.owner = owner->key;
  s.sha256 = course::sha256_of_text(upload.bytes);
  s.handed_in = s.added = hand_in.queued = service.now();
  s.source = "the service";
  s.added_by = hand_in.person = upload.who.person;
  hand_in.key = upload.key;
  hand_in.staff = staff;
  const auto answer = [&]() -> std::optional<Taken> {
    if (upload.of_run != 0)
      if (auto there = hand_in_of_run(service.queue, upload.of_run, hand_in))
        return Taken{*std::move(there), false};
    return answer_without_taking(service, *assignment, *owner, hand_in, upload.bytes.size());
  };
  // Checked before the archive is unpacked, which costs far more.
  if (const auto given = answer()) return *given;
  const std::string person = "archives of " + upload.who.person;
  if (!service.flood.may_fail(person))
    throw NotDone(429, "too many archives were refused; wait a minute, and look at the last one");
  const std::string ending = ending_of(upload.bytes);
  if (ending.empty())
    throw NotDone(422,
                  "not taken, and no attempt used: this is neither a .zip nor a .tar archive, "
                  "whatever its name says. Pack the folder again; the page also takes the source "
                  "files themselves.");
  if (upload.bytes.starts_with(kEmptyZip)) {
    service.flood.failed(person);
    throw NotDone(
        422, fmt::format("not taken, and no attempt used: the archive has no files; it "
                         "needs {}",
                         fmt::join(own_sources_of(*service.files.config_of(*assignment)), ", ")));
  }
  if (const auto why = nothing_to_grade(upload.bytes, *service.files.config_of(*assignment))) {
    service.flood.failed(person);
    throw NotDone(422, printable_line(fmt::format("not taken, and no attempt used: {}. {}",
                                                  why->reason, why->hint),
                                      400));
  }
  // Staff are not asked for missing files, because they hand in what students sent them.
  if (!staff && !upload.incomplete)
    if (const auto lack = lack_of(upload.bytes, *service.files.config_of(*assignment));
        !lack.empty()) {
      service.flood.failed(person);
      throw NotDone(409, lack);
    }

  const Assignment* const documents = folder->course.report_for(*assignment);
  const auto document = document_of_upload(service, upload, documents, *owner);

  const std::scoped_lock one_at_a_time(service.uploads);
  if (const auto given = answer()) return *given;
  // The name contains the key, so that an upload that is repeated after a kill finds its own file.
  const std::string upload_id = course::sha256_of_text(upload.who.person + " " + hand_in.key);
  s.file = fmt::format("{}/{}/{}/{}-{}{}", course::kSubmissions, s.assignment, result_name(s.owner),
                       upload_id.substr(0, 16), s.sha256.substr(0, 12), ending);
  // The document is kept before the code, so that an upload that is repeated after a kill finds it.
  if (document)
    keep_document(service, upload, *documents, *owner, student.person, *document,
                  course::Among::all);
  // The file is written first, because a row without its file could not be graded.
  const std::string file = s.file;
  course::write_new_file(folder->path / file, upload.bytes, folder->path);
  bool is_new = false;
  try {
    is_new = service.queue.add(hand_in, [&](SQLite::Database& database, bool is_first) {
      expect_student(service, student.person);
      if (is_first)
        course::sql::audit(database, service.now(), upload.who.person, upload.address, "submit",
                           fmt::format("{} {} of {}", s.assignment, s.id, s.owner));
    });
  } catch (const NotDone&) {
    remove_with_folder(folder->path / file);
    throw;
  }
  // If the same content came twice in a second, it is one submission, which already has a file.
  if (std::error_code left; hand_in.submission.file != file)
    std::filesystem::remove(folder->path / file, left);
  if (hand_in.tool != upload.tool)
    throw NotDone(429, "the same files came in this second, for a run with another tool",
                  std::chrono::seconds(1));
  if (is_new)
    if (Dispatcher* const dispatcher = service.dispatcher()) dispatcher->poke();
  return Taken{hand_in, is_new};
}

Taken take_run(Service& service, const Visit& visit, const HandIn& run) {
  if (!run.is_practice()) throw NotDone(409, "this submission is a hand-in already");
  std::string login;
  if (visit.who->is_staff()) {
    const auto folder = service.files.folder();
    const auto members = folder->members(run.submission);
    if (members.empty()) throw NotDone(409, "the roster has no student of this run");
    login = members.front()->login;
  }
  std::string bytes = text_of_file(service.path / run.submission.file);
  if (course::sha256_of_text(bytes) != run.submission.sha256)
    throw NotDone(503, "the stored archive of this run is damaged; tell the staff");
  return take_upload(service,
                     {.who = *visit.who,
                      .address = visit.request.address,
                      .assignment = run.submission.assignment.substr(course::kPractice.size()),
                      .bytes = std::move(bytes),
                      .login = login,
                      .incomplete = visit.request.parameter("incomplete") == "yes",
                      .of_run = run.submission.id});
}

}  // namespace opgrade::service
