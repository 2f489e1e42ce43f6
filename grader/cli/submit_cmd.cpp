// The student's side of the service: login, submit, queue, history, ranking, fetch, cancel.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/course_program.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/cli/tool_options.hpp"
#include "grader/client/session.hpp"
#include "grader/course/documents/document.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/platform/process/folder_watch.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/report/fields/json.hpp"
#include "grader/report/formats/exporters.hpp"
#include "grader/report/words/text_layout.hpp"

namespace opgrade::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct ClientArguments {
  std::string server, assignment, folder, id, run, student, metadata, out, token_file;
  std::optional<int> patience_s;
  bool watch = false, json = false, quiet = false, detach = false, practice = false,
       incomplete = false, report = false;
  ToolOptions tools;

  /// The service's name for the tool of a practice run.
  std::string tool() const { return tools.wish().text(); }
};

/// Prints a necessary line: that the service does not answer, and until when the command waits.
void say_on_stderr(const std::string& text) {
  fmt::print(stderr, "opgrade: {}\n", printable_line(text));
}

client::Session session_for(ClientArguments& own, const client::Session::Say& say) {
  const client::Profile profile;
  own.server = profile.server_or_default(own.server);
  std::optional<std::chrono::seconds> patience;
  if (own.patience_s) patience.emplace(*own.patience_s);
  return {own.server, profile.token(own.server), say, patience};
}

json ask(client::Session& session, const std::string& method, const std::string& target) {
  json read = json::parse(session.ask(method, target), nullptr, false);
  if (read.is_discarded()) throw Error("the answer is not that of an opgrade service");
  return read;
}

/// A text of the service as one printable line.
std::string line_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? printable_line(found->get<std::string>())
                                                     : "";
}

/// The time in the course's time zone, as on the pages. An older service sends UTC only.
std::string time_of(const json& submission) {
  return line_of(submission,
                 submission.contains("handed_in_local") ? "handed_in_local" : "handed_in");
}

const json& assignment_of(const json& me, const std::string& name) {
  std::vector<std::string> names;
  for (const json& a : me.at("assignments")) {
    if (line_of(a, "name") == name) return a;
    names.push_back(line_of(a, "name"));
  }
  if (name.empty() && names.size() == 1) return me.at("assignments").front();
  throw UsageError(name.empty() ? "the course has several assignments"
                                : fmt::format("the course has no assignment '{}'", name),
                   fmt::format("--assignment names one of {}", fmt::join(names, ", ")));
}

/// Sends the archive with one key, however often this command is stopped and repeated.
json send(client::Session& session, const ClientArguments& own, const std::string& assignment,
          const std::string& bytes, ProgressLine& progress) {
  const client::PendingUpload upload({own.server, client::Profile().token(own.server), assignment,
                                      own.student, bytes, own.tool()});
  if (upload.is_repeated()) progress.say("repeating an upload that had no answer");
  try {
    std::string answer =
        session.submit(assignment, upload.key(), bytes, {own.student, own.tool(), own.incomplete});
    upload.answered();
    return json::parse(answer);
  } catch (const UsageError&) {  // the service refused the upload
    upload.answered();
    throw;
  }
}

std::string number_of(const std::string& id) {
  if (id.empty() || id.find_first_not_of("0123456789") != std::string::npos)
    throw UsageError(fmt::format("'{}' is not a submission number", id),
                     "opgrade history lists yours");
  return id;
}

/// Hands in the files of a practice run, which the service already has.
json hand_in_run(client::Session& session, const ClientArguments& own) {
  return ask(session, "POST",
             fmt::format("/api/submissions/{}/hand-in{}", number_of(own.run),
                         own.incomplete ? "?incomplete=yes" : ""));
}

/// The file name of the document that the assignment asks for; empty: none.
std::string report_of(const json& assignment) {
  return line_of(assignment.value("report", json::object()), "file");
}

void say_lost(const std::vector<std::string>& pictures, const std::string& document,
              ProgressLine& progress) {
  if (!pictures.empty())
    progress.say(printable_line(
        fmt::format("{} names pictures that are not there: {}; graders will not see them", document,
                    fmt::join(pictures, ", ")),
        500));
}

/// Submits only the report. No worker grades it, so the command does not wait.
int submit_report(client::Session& session, const ClientArguments& own, ProgressLine& progress) {
  const json me = ask(session, "GET", "/api/me");
  const json& assignment = assignment_of(me, own.assignment);
  const std::string document = report_of(assignment);
  if (document.empty())
    throw UsageError(fmt::format("{} wants no report", line_of(assignment, "name")),
                     "leave out --report");
  const auto packed = client::pack_document(own.folder, document);
  progress.say(printable_line(
      fmt::format("{}: handing in {}", line_of(assignment, "name"), fmt::join(packed.taken, ", ")),
      500));
  say_lost(packed.missing, document, progress);
  const json taken =
      send(session, own, line_of(assignment.at("report"), "assignment"), packed.bytes, progress);
  progress.clear();
  fmt::print("document {} is the report of {}: handed in {}, {}\n", taken.value("id", 0),
             line_of(assignment, "name"), time_of(taken), line_of(taken, "late"));
  return kPassed;
}

json upload(client::Session& session, const ClientArguments& own, ProgressLine& progress) {
  const json me = ask(session, "GET", "/api/me");
  const json& assignment = assignment_of(me, own.assignment);
  std::vector<std::string> files = assignment.at("files");
  const std::string document = report_of(assignment);
  // The pictures that the report in the folder names are uploaded, too.
  std::error_code missing;
  std::vector<std::string> lost;
  if (!document.empty() && fs::is_regular_file(fs::path(own.folder) / document, missing)) {
    auto report = client::pack_document(own.folder, document);
    for (const std::string& path : report.taken) files.push_back(fs::path(path).filename());
    lost = std::move(report.missing);
  }
  const auto packed = client::pack_files(own.folder, files, document);
  progress.say(fmt::format("{}: handing in {}", line_of(assignment, "name"),
                           printable_line(fmt::format("{}", fmt::join(packed.taken, ", ")), 500)));
  if (!packed.left_out.empty())
    progress.say(fmt::format("left out: {}", fmt::join(packed.left_out, ", ")));
  say_lost(lost, document, progress);
  if (const auto most = me.value("upload_bytes", packed.bytes.size()); packed.bytes.size() > most)
    throw UsageError(fmt::format("{} makes an upload of {} bytes; the service takes at most {}",
                                 own.folder, packed.bytes.size(), most),
                     "hand in the sources alone; nothing was uploaded");
  if (own.practice && !assignment.contains("practice"))
    throw UsageError(fmt::format("{} has no practice runs", line_of(assignment, "name")),
                     "leave out --practice; opgrade check is a self-check on this machine");
  return send(session, own, line_of(assignment, own.practice ? "practice" : "name"), packed.bytes,
              progress);
}

int submit_once(client::Session& session, const ClientArguments& own, ProgressLine& progress) {
  const json taken = own.run.empty() ? upload(session, own, progress) : hand_in_run(session, own);
  const auto id = taken.at("id").get<std::int64_t>();
  progress.say(fmt::format("submission {} is stored; {}", id,
                           line_of(taken.value("limits", json::object()), "text")));
  if (own.detach) {
    if (const auto place = line_of(taken.value("queue", json::object()), "text"); !place.empty())
      progress.say(place);
    fmt::print("{}\n", id);
    return kPassed;
  }
  std::string state;
  try {
    state = session.follow(id);
  } catch (const interrupt::Interrupted&) {
    fmt::print(stderr, "\nsubmission {} stays in the queue; opgrade history shows its verdict\n",
               id);
    return kInterrupted;
  }
  progress.clear();
  if (state != "done")
    throw Error(fmt::format("submission {} is {}", id, printable_line(state)),
                "no points are lost; hand in again, or ask the course's staff");
  if (taken.contains("grade") && line_of(taken.at("grade"), "state") == "held") {
    fmt::print("submission {} is graded; staff have not released the grades yet\n", id);
    return kPassed;
  }
  const Grade grade =
      report::grade_from_json(session.ask("GET", fmt::format("/api/submissions/{}/report", id)));
  constexpr auto kAudience = report::Audience::student;
  const auto& exporter = report::exporter(own.json ? "json" : "text");
  fmt::print("{}", exporter.write(grade, {kAudience, stdout_style()}));
  std::fflush(stdout);
  return exit_code_of({&grade, 1});
}

void wait_for(std::chrono::seconds span) {
  const auto end = std::chrono::steady_clock::now() + span;
  while (std::chrono::steady_clock::now() < end) {
    interrupt::check();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

/// Hands in now and whenever a file is saved, until Ctrl-C. Returns the last exit code.
int watch_and_submit(client::Session& session, const ClientArguments& own, ProgressLine& progress) {
  std::optional<FolderWatch> watch;
  int code = kInterrupted;
  bool first = true;
  try {
    for (;;) {
      watch.emplace(own.folder);  // made before the files are read, so that no save is missed
      try {
        if (const int now = submit_once(session, own, progress); now != kInterrupted) code = now;
        interrupt::check();
      } catch (const client::TryLater& later) {
        constexpr auto kInterval = std::chrono::hours(1);  // a daily limit may last longer
        if (later.wait > kInterval) throw;
        progress.say(fmt::format("{}; --watch waits", printable_line(later.what(), 400)));
        wait_for(later.wait);
        continue;
      } catch (const UsageError& e) {
        if (first) throw;
        progress.say(printable_line(e.what(), 400));
      }
      first = false;
      progress.say("waiting until a file is saved; Ctrl-C ends");
      progress.say(fmt::format("saved: {}", fmt::join(watch->wait(), ", ")));
    }
  } catch (const interrupt::Interrupted&) {
    return code;
  }
}

/// The report of a submission without a verdict; it costs no points.
Grade no_verdict(const ClientArguments& own, const Error& e) {
  Grade grade;
  grade.submission = printable_line(fs::path(own.folder).lexically_normal().filename().string());
  grade.outcome = Outcome::grader_fault;
  grade.reason =
      text_reason(printable_line(fmt::format("the service gave no verdict: {}", e.what()), 1000));
  if (!e.hint.empty()) grade.notes.push_back(notes::NextStep{printable_line(e.hint, 1000)});
  return grade;
}

int submit_and_wait(ClientArguments& own) {
  if (own.folder.empty() == own.run.empty())
    throw UsageError("submit takes a folder, or --run NUMBER of a practice run",
                     "opgrade history lists your runs");
  if (!own.run.empty() && (own.practice || own.watch))
    throw UsageError("--run hands in a practice run: it takes neither --practice nor --watch",
                     "leave them out");
  if (!own.tool().empty() && !own.practice)
    throw UsageError("a tool runs in a practice run alone: a hand-in is timed without one",
                     "add --practice");
  if (own.report && (own.folder.empty() || own.practice || own.watch || own.json))
    throw UsageError("--report hands in the report alone, which is marked later",
                     "give its folder or file, without --run, --practice, --watch and --json");
  if (own.run.empty() && !own.report) expect_submission(own.folder, "submit");
  ProgressLine progress(own.quiet);
  if (!own.metadata.empty() && !own.student.empty())
    throw UsageError("--for and --metadata both name a student", "give one of them");
  if (!own.metadata.empty()) own.student = client::student_of_metadata(text_of_file(own.metadata));
  client::Session session = session_for(own, [&](const std::string& text) { progress.say(text); });
  if (own.report) return submit_report(session, own, progress);
  return own.watch ? watch_and_submit(session, own, progress) : submit_once(session, own, progress);
}

/// With --json, a submission that fails prints a report, too.
int submit(ClientArguments& own) {
  try {
    return submit_and_wait(own);
  } catch (const Error& e) {
    if (own.json) fmt::print("{}", report::exporter("json").write(no_verdict(own, e), {}));
    throw;
  }
}

int login(ClientArguments& own) {
  const client::Profile profile;
  own.server = profile.server_or_default(own.server);
  std::string token;
  if (!own.token_file.empty()) {
    std::ifstream(own.token_file) >> token;
  } else {
    if (::isatty(STDIN_FILENO) == 1) fmt::print(stderr, "token for {}: ", own.server);
    std::cin >> token;
  }
  if (token.empty()) throw UsageError("no token was given", "paste it, or write --token-file FILE");
  client::Session session(own.server, token, say_on_stderr);
  const json me = ask(session, "GET", "/api/me");
  profile.keep(own.server, token);
  fmt::print("{}: logged in to {} as {}\n", own.server, line_of(me, "course"),
             line_of(me, "person"));
  return kPassed;
}

int show_queue(ClientArguments& own) {
  client::Session session = session_for(own, say_on_stderr);
  const json queue = ask(session, "GET", "/api/queue");
  fmt::print("{} waiting, {} being graded, {}{}\n", queue.value("waiting", 0),
             queue.value("running", 0), counted(queue.value("workers", 0), "worker"),
             queue.value("draining", false) ? "; the staff stopped the workers" : "");
  for (const json& one : queue.at("own"))
    fmt::print("{}  {}  {} {}\n", one.value("id", 0), line_of(one, "assignment"),
               line_of(one, "text"), line_of(one, "owner"));
  return kPassed;
}

int show_history(ClientArguments& own) {
  client::Session session = session_for(own, say_on_stderr);
  const json all =
      ask(session, "GET", "/api/history?assignment=" + own.assignment + "&for=" + own.student);
  std::map<std::string, std::string> grades;
  report::Table table({{"number", true}, {"assignment"}, {"handed in"}, {"by"}, {"verdict"}, {""}});
  for (const json& one : all) {
    const std::string verdict = one.contains("points")
                                    ? fmt::format("{}  {} of {}", line_of(one, "outcome"),
                                                  course::points_text(one.value("points", 0.0)),
                                                  course::points_text(one.value("max_points", 0.0)))
                                    : line_of(one, one.contains("late") ? "late" : "state");
    table.add({{fmt::format("{}", one.value("id", 0))},
               {line_of(one, "assignment")},
               {time_of(one)},
               {line_of(one, "by")},
               {verdict},
               {one.value("counts", false) ? "counts" : ""}});
    if (one.contains("grade"))
      grades[line_of(one, "assignment")] = line_of(one.at("grade"), "text");
  }
  if (!all.empty()) fmt::print("{}", table.str(stdout_style().width, "", stdout_style().colour));
  for (const auto& [assignment, grade] : grades) fmt::print("grade of {}: {}\n", assignment, grade);
  if (all.empty()) fmt::print("no submissions\n");
  return kPassed;
}

int show_ranking(ClientArguments& own) {
  client::Session session = session_for(own, say_on_stderr);
  const json ranking = ask(session, "GET", "/api/ranking?assignment=" + own.assignment);
  for (const json& row : ranking.at("rows"))
    fmt::print("{} {:>3}  {:>10.4g} ms  {}\n", row.value("own", false) ? "->" : "  ",
               row.value("rank", 0), row.value("time_ms", 0.0), line_of(row, "name"));
  fmt::print("{}\n", line_of(ranking, "own"));
  return kPassed;
}

void write_fetched(const fs::path& file, const std::string& bytes) {
  std::error_code ignored;
  if (fs::exists(file, ignored))
    throw UsageError(file.string() + " is there already", "name another file with --out");
  if (!(std::ofstream(file, std::ios::binary) << bytes).flush())
    throw Error("cannot write " + file.string(), "is the disk full, or the folder missing?");
}

/// Writes the files of the run's tool into a new folder. Names come from the service, so any name
/// that is not one of a tool's file is refused.
std::vector<std::string> fetch_tool_files(client::Session& session, const std::string& id,
                                          const fs::path& folder) {
  std::vector<std::string> names;
  const json status = ask(session, "GET", "/api/submissions/" + id);
  for (const json& file : status.value("tool_files", json::array())) {
    const std::string name = line_of(file, "name");
    if (!is_tool_file_name(name)) throw Error("the answer is not that of an opgrade service");
    session.download(fmt::format("/api/submissions/{}/tool-files/{}", id, name), folder / name,
                     kLargestToolFile);
    names.push_back(name);
  }
  return names;
}

/// Writes the reports of a run, its files and those of its tool into a new folder.
int fetch_run(client::Session& session, const ClientArguments& own) {
  const std::string id = number_of(own.run);
  const Grade grade =
      report::grade_from_json(session.ask("GET", "/api/submissions/" + id + "/report"));
  const std::string archive = session.ask("GET", "/api/submissions/" + id + "/archive");
  const fs::path folder = own.out.empty() ? fs::path("run-" + id) : fs::path(own.out);
  std::error_code failed;
  if (!fs::create_directory(folder, failed))
    throw UsageError(folder.string() + " is there already, or its parent is missing",
                     "name another folder with --out");
  for (const auto& [format, name] : {std::pair{"json", "report.json"},
                                     {"text", "report.txt"},
                                     {"html", "report.html"},
                                     {"markdown", "tables.md"},
                                     {"tables", "tables.csv"}})
    write_fetched(folder / name,
                  report::exporter(format).write(grade, {report::Audience::student}));
  write_fetched(folder / (archive.starts_with("PK") ? "files.zip" : "files.tar"), archive);
  const auto of_tool = fetch_tool_files(session, id, folder);
  fmt::print("{}: report, tables and files of run {}{}{}\n", folder.string(), id,
             of_tool.empty() ? "" : ", ", fmt::join(of_tool, ", "));
  return kPassed;
}

/// The file ending for what the service stores: an archive of code, or a document.
std::string ending_of(const std::string& bytes) {
  if (bytes.starts_with("PK")) return ".zip";
  const auto kind = documents::kind_of(bytes);
  if (!kind) return ".tar";
  switch (*kind) {
    case documents::DocumentKind::pdf:
      return ".pdf";
    case documents::DocumentKind::png:
      return ".png";
    case documents::DocumentKind::jpeg:
      return ".jpg";
    case documents::DocumentKind::markdown:
      return ".md";
  }
  return "";
}

int fetch(ClientArguments& own) {
  if (!own.run.empty() + !own.id.empty() + !own.assignment.empty() != 1)
    throw UsageError("fetch takes the number of a submission, --run NUMBER, or --assignment NAME",
                     "opgrade history lists your submissions");
  client::Session session = session_for(own, say_on_stderr);
  if (!own.run.empty()) return fetch_run(session, own);
  if (!own.assignment.empty()) {
    const std::string bytes = session.ask("GET", "/api/assignments/" + own.assignment + "/files");
    const fs::path file = own.out.empty() ? own.assignment + ".zip" : own.out;
    write_fetched(file, bytes);
    fmt::print(
        "{0}: the statement and the files to start from. Unpack it, write the files that {1}/"
        "README.md names, then run: opgrade submit {1} --assignment {1}\n",
        file.string(), own.assignment);
    return kPassed;
  }
  const std::string id = number_of(own.id);
  const json status = ask(session, "GET", "/api/submissions/" + id);
  const std::string bytes = session.ask("GET", "/api/submissions/" + id + "/archive");
  const fs::path file =
      own.out.empty() ? fs::path("submission-" + id + ending_of(bytes)) : fs::path(own.out);
  write_fetched(file, bytes);
  fmt::print("{}: {} of {}\n", file.string(), line_of(status, "assignment"), time_of(status));
  return kPassed;
}

int cancel(ClientArguments& own) {
  client::Session session = session_for(own, say_on_stderr);
  const json status = ask(session, "POST", "/api/submissions/" + number_of(own.id) + "/cancel");
  fmt::print("submission {} is {}; {}\n", own.id, line_of(status, "state"),
             line_of(status.value("limits", json::object()), "text"));
  return kPassed;
}

using Own = std::shared_ptr<ClientArguments>;

Own add_verb(arguments::Parser& app, int& exit_code, const char* name, int (*run)(ClientArguments&),
             arguments::Parser** made) {
  auto* verb = add_course_verb(app, name);
  auto own = std::make_shared<ClientArguments>();
  verb->add_option("--server,-s", own->server,
                   "Address of the service; default: that of the last opgrade login");
  verb->callback([=, &exit_code] {
    try {
      exit_code = run(*own);
    } catch (const interrupt::Interrupted&) {
      fmt::print(stderr,
                 "\nopgrade: interrupted\n         -> repeat the command; a submission that the "
                 "service has already is not stored twice\n");
      exit_code = kInterrupted;
    }
  });
  *made = verb;
  return own;
}

}  // namespace

void add_client(arguments::Parser& app, int& exit_code) {
  arguments::Parser* verb = nullptr;
  Own own = add_verb(app, exit_code, "submit", submit, &verb);
  verb->add_option("folder", own->folder, "The submission: a folder or an archive")
      ->check(arguments::existing_path());
  verb->add_option("--assignment,-a", own->assignment, "The assignment, if the course has several");
  verb->add_option("--for", own->student, "Staff: hand in for this student: login, id or e-mail");
  verb->add_option("--metadata", own->metadata,
                   "Staff: hand in for the student of this submission_metadata.json of Gradescope")
      ->check(arguments::existing_file());
  verb->add_option("--patience", own->patience_s,
                   "Seconds of retries while the service does not answer (600, but 5 for an "
                   "address at which it never did)")
      ->check(arguments::range(0, 86'400));
  verb->add_flag("--watch", own->watch, "Hand in again whenever a file is saved, until Ctrl-C");
  verb->add_flag("--practice", own->practice, "A run on the course's server, which never counts");
  own->tools.add_to(*verb, "With --practice: ");
  verb->add_option("--run", own->run,
                   "Instead of a folder: hand in exactly the files of this practice run");
  verb->add_flag("--report", own->report,
                 "Hand in the report alone: its file, or the folder that has it");
  verb->add_flag("--incomplete", own->incomplete,
                 "Hand in although files are missing that earn points");
  verb->add_flag("--detach", own->detach, "Print the submission's number and do not wait");
  verb->add_flag("--json", own->json, "Print the JSON report instead of the text");
  verb->add_flag("--quiet,-q", own->quiet, "No progress on stderr");
  own = add_verb(app, exit_code, "login", login, &verb);
  verb->add_option("--token-file", own->token_file, "Read the token from this file");
  add_verb(app, exit_code, "queue", show_queue, &verb);
  own = add_verb(app, exit_code, "history", show_history, &verb);
  verb->add_option("--assignment,-a", own->assignment, "Only this assignment");
  verb->add_option("--for", own->student, "Staff: show this student's submissions");
  own = add_verb(app, exit_code, "ranking", show_ranking, &verb);
  verb->add_option("--assignment,-a", own->assignment, "The assignment, if the course has several");
  own = add_verb(app, exit_code, "fetch", fetch, &verb);
  verb->add_option("id", own->id, "Number of the submission");
  verb->add_option("--assignment,-a", own->assignment,
                   "Instead, the statement and the files to start from of this assignment");
  verb->add_option(
      "--run", own->run,
      "Instead, a folder with the report, the tables and the files of this submission");
  verb->add_option("--out,-o", own->out,
                   "The file to write; default submission-ID.zip or .tar, ASSIGNMENT.zip, or the "
                   "folder run-NUMBER");
  own = add_verb(app, exit_code, "cancel", cancel, &verb);
  verb->add_option("id", own->id, "Number of the submission")->required();
}

}  // namespace opgrade::cli
