#include "grader/service/api/api.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/base/core/error.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/base/files/archives.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/report/formats/exporters.hpp"
#include "grader/service/queue/uploads.hpp"
#include "grader/service/state/ranking.hpp"
#include "grader/service/state/students_files.hpp"
#include "grader/service/state/tool_files.hpp"

namespace opgrade::service::api {
namespace {

using nlohmann::ordered_json;

constexpr const char* kSchema = "opgrade-service-1";  // api.schema.json

/// The assignment of the query, or the course's only one.
const course::Assignment* assignment_of(const course::CourseFolder& folder, const Visit& visit) {
  const std::string name = visit.request.parameter("assignment");
  const auto& all = folder.course.assignments;
  if (name.empty() && all.size() == 1) return all.data();
  return folder.course.find(name);
}

ordered_json status_of(const Service& service, const Visit& visit, const HandIn& hand_in) {
  return status_json(service, hand_in, grade_for(service, *visit.who, hand_in));
}

Response no_assignment(const course::CourseFolder& folder) {
  std::string names;
  for (const auto& a : folder.course.assignments) names += (names.empty() ? "" : ", ") + a.name;
  return json_error(404, "name an assignment of the course: " + names);
}

}  // namespace

Response health(Service& service, const Visit& visit) {
  for (const std::string& trouble : {service.trouble(), service.watch.blocked()})
    if (!trouble.empty()) return json_error(503, trouble);
  const Dispatcher* const dispatcher = service.dispatcher();
  ordered_json json{{"service", "opgrade"},
                    {"schema", kSchema},
                    {"waiting", service.waiting()},
                    {"draining", dispatcher != nullptr && dispatcher->draining()}};
  if (visit.who && visit.who->is_of_whole_course()) json["warnings"] = problems_for_staff(service);
  return json_answer(200, json);
}

Response me(Service& service, const Visit& visit) {
  const auto folder = service.files.folder();
  ordered_json json{{"schema", kSchema},
                    {"person", visit.who->person},
                    {"role", name_of(visit.who->role)},
                    {"course", folder->course.title},
                    {"opgrade", service.options.version()},
                    {"upload_bytes", service.options.upload_bytes}};
  json["assignments"] = ordered_json::array();
  for (const auto& a : folder->course.assignments) {
    ordered_json one{
        {"name", a.name}, {"title", a.title}, {"deadline", folder->course.zone->text(a.deadline)}};
    const auto config = service.files.config_of(a);
    auto files = config->files.take;
    if (!a.report.file.empty()) files.push_back(a.report.file);
    one["files"] = std::move(files);
    if (!a.practice.config.empty()) one["practice"] = std::string(course::kPractice) + a.name;
    if (!a.practice.tools.empty()) one["practice_tools"] = a.practice.tools;
    if (a.opens) one["opens"] = folder->course.zone->text(*a.opens);
    if (const auto owner = owner_of(*folder, *visit.who, a)) {
      const Allowance allowed = allowance_of(service, a, owner->key);
      one["deadline"] = folder->course.zone->text(due_of(*owner, a).deadline);
      one["limits"] = allowed.text();
    }
    if (const auto* const documents = folder->course.report_for(a)) {
      const auto owner = owner_of(*folder, *visit.who, *documents);
      const auto due = owner ? due_of(*owner, *documents).deadline : documents->deadline;
      one["report"] = {{"file", documents->report.file},
                       {"assignment", documents->name},
                       {"deadline", folder->course.zone->text(due)}};
    }
    json["assignments"].push_back(std::move(one));
  }
  return json_answer(200, json);
}

Response submit(Service& service, const Visit& visit) {
  const auto& request = visit.request;
  const auto folder = service.files.folder();
  const auto* const assignment = assignment_of(*folder, visit);
  if (assignment == nullptr) return no_assignment(*folder);
  const Taken taken = take_upload(
      service, {*visit.who, request.address, assignment->name, request.header("idempotency-key"),
                request.body, request.parameter("for"), request.parameter("tool"),
                request.parameter("incomplete") == "yes"});
  return json_answer(taken.is_new ? 201 : 200, status_of(service, visit, taken.hand_in));
}

Response hand_in_run(Service& service, const Visit& visit) {
  const Taken taken = take_run(service, visit, own_hand_in(service, visit));
  return json_answer(taken.is_new ? 201 : 200, status_of(service, visit, taken.hand_in));
}

Response status(Service& service, const Visit& visit) {
  const auto hand_in = own_hand_in(service, visit);
  return json_answer(200, status_of(service, visit, hand_in));
}

Response events(Service& service, const Visit& visit) {
  const auto hand_in = own_hand_in(service, visit);
  const std::int64_t after = whole_number(visit.request.header("last-event-id")).value_or(0);
  // Logs of staff are counted by submission, because one token of staff may follow a whole class:
  // docs/platforms.md.
  auto place = service.open_logs.enter(visit.who->is_staff()
                                           ? fmt::format("staff for {}", hand_in.submission.id)
                                           : visit.who->person);
  if (place == nullptr)
    return json_error(429, "too many live logs are open; close one, or ask for the state alone");
  Response response{200, "text/event-stream", ""};
  response.stream = while_allowed(
      service, visit,
      event_stream(service, hand_in.submission.id, after, is_held(service, *visit.who, hand_in)));
  response.stream->place = std::move(place);
  return response;
}

Response report(Service& service, const Visit& visit) {
  const auto hand_in = own_hand_in(service, visit);
  const auto grade = shown_grade(service, hand_in, grade_for(service, *visit.who, hand_in));
  if (!grade)
    return json_error(404, is_held(service, *visit.who, hand_in) ? "the grades are not released yet"
                                                                 : "there is no result yet");
  const bool staff = visit.who->is_staff() && visit.request.parameter("staff") == "yes";
  return {200, "application/json",
          report::exporter("json").write(
              *grade, {staff ? report::Audience::staff : report::Audience::student})};
}

Response archive(Service& service, const Visit& visit) {
  const auto hand_in = own_hand_in(service, visit);
  const auto& s = hand_in.submission;
  const std::string file = s.file;
  // The file's name has only the service's own words, because the client writes a file of this
  // name.
  const auto dot = file.rfind(hand_in.is_document()    ? "."
                              : file.ends_with(".zip") ? ".zip"
                                                       : ".tar");
  const std::string name =
      fmt::format("{}-{}{}", s.assignment, s.id, dot == std::string::npos ? "" : file.substr(dot));
  return {200,
          "application/octet-stream",
          text_of_file(service.path / file),
          {{"Content-Disposition", fmt::format("attachment; filename=\"{}\"", name)}}};
}

Response tool_file(Service& service, const Visit& visit) {
  const auto hand_in = own_hand_in(service, visit);
  for (const KeptFile& file :
       tool_files_of(*service.files.folder(), hand_in.submission, service.now()))
    if (file.name == visit.captured.at(1))
      return {200,
              "application/octet-stream",
              "",
              {{"Content-Disposition", fmt::format("attachment; filename=\"run-{}-{}\"",
                                                   hand_in.submission.id, file.name)}},
              file.path};
  return json_error(404,
                    "there is no such file; what a tool wrote goes after the days that the "
                    "course sets");
}

Response files(Service& service, const Visit& visit) {
  const auto folder = service.files.folder();
  const auto* const assignment = folder->course.find(visit.captured.front());
  if (assignment == nullptr) return no_assignment(*folder);
  if (!may_read_task(service, *visit.who, *assignment))
    return json_error(404, "the assignment is not open yet");
  std::vector<ArchivedFile> files;
  for (const auto& [name, text] : files_to_start_from(service, *assignment))
    files.push_back({assignment->name + "/" + name, text});
  if (files.empty()) return json_error(404, "the assignment gives no files to start from");
  return {
      200,
      "application/zip",
      write_archive(files, ArchiveFormat::zip),
      {{"Content-Disposition", fmt::format("attachment; filename=\"{}.zip\"", assignment->name)}}};
}

Response cancel(Service& service, const Visit& visit) {
  const auto hand_in = own_hand_in(service, visit);
  const auto id = hand_in.submission.id;
  const bool ended =
      hand_in.is_practice() && hand_in.state == State::running &&
      service.queue.end_run(
          id, hand_in.run,
          visit.who->is_staff() ? "staff ended this run" : "you or your team ended this run",
          service.now());
  if (!ended && !service.queue.cancel(id, service.now()))
    throw NotDone(409, "it is not in the queue any more, so it cannot be taken back");
  if (Dispatcher* const dispatcher = service.dispatcher()) {
    if (ended) dispatcher->stop_run(id);
    dispatcher->look_for_left_jobs();
  }
  service.audit(*visit.who, visit.request.address, "cancel",
                fmt::format("{}", hand_in.submission.id));
  return json_answer(200, status_of(service, visit, *service.queue.find(hand_in.submission.id)));
}

Response queue(Service& service, const Visit& visit) {
  const auto places = queue_now(service);
  ordered_json json{{"waiting", waiting_in(places)},
                    {"running", std::ranges::count(places, 0, &Place::position)}};
  if (const Dispatcher* const dispatcher = service.dispatcher()) {
    json["workers"] = dispatcher->workers();
    json["draining"] = dispatcher->draining();
  }
  const bool staff = visit.who->is_staff();
  json["own"] = ordered_json::array();
  for (const Place& p : places) {
    if (!may_see(service, *visit.who, p.hand_in)) continue;
    ordered_json one{{"id", p.hand_in.submission.id},
                     {"assignment", p.hand_in.submission.assignment},
                     {"text", place_text(p)}};
    if (staff) one["owner"] = p.hand_in.submission.owner;
    json["own"].push_back(std::move(one));
  }
  return json_answer(200, json);
}

Response history(Service& service, const Visit& visit) {
  const auto folder = service.files.folder();
  ordered_json json = ordered_json::array();
  for (const auto& a : folder->course.assignments) {
    if (const auto wanted = visit.request.parameter("assignment");
        !wanted.empty() && wanted != a.name)
      continue;
    std::string key;
    Identity reader = *visit.who;
    if (visit.who->is_staff()) {
      const auto* const student = folder->roster.find(visit.request.parameter("for"));
      if (student == nullptr || !may_see(*visit.who, *student)) continue;
      key = folder->roster.owner_of(*student, a).key;
      reader.person = student->login;
    } else if (const auto owner = owner_of(*folder, *visit.who, a)) {
      key = owner->key;
    }
    if (key.empty()) continue;
    // In the queue, practice runs and documents are assignments of their own.
    for (const std::string& name : {a.name, std::string(course::kPractice) + a.name,
                                    std::string(course::kDocuments) + a.name}) {
      std::optional<HandInGrade> grade;  // one grade for all of these submissions
      for (const HandIn& h : service.queue.of_owner(key, name)) {
        if (!grade) grade = grade_for(service, reader, h);
        json.push_back(status_json(service, h, *grade));
      }
    }
  }
  return json_answer(200, json);
}

Response ranking(Service& service, const Visit& visit) {
  const auto folder = service.files.folder();
  const auto* const assignment = assignment_of(*folder, visit);
  if (assignment == nullptr) return no_assignment(*folder);
  const auto owner = owner_of(*folder, *visit.who, *assignment);
  const Ranking made =
      ranking_of(service, *assignment, owner ? owner->key : "", visit.who->is_staff());
  if (!made.why_none.empty()) return json_error(404, made.why_none);
  ordered_json json{
      {"assignment", assignment->name}, {"own", made.own_text}, {"provisional", made.provisional}};
  json["rows"] = ordered_json::array();
  for (const RankingRow& row : made.rows)
    json["rows"].push_back(
        {{"rank", *row.rank}, {"name", row.name}, {"time_ms", row.time_ms}, {"own", row.own}});
  return json_answer(200, json);
}

Response requeue(Service& service, const Visit& visit) {
  const auto hand_in = own_hand_in(service, visit);
  if (!service.queue.requeue(hand_in.submission.id, service.now()))
    throw NotDone(409, "only a stuck or cancelled submission can be queued again");
  service.audit(*visit.who, visit.request.address, "requeue",
                fmt::format("{}", hand_in.submission.id));
  if (Dispatcher* const dispatcher = service.dispatcher()) dispatcher->poke();
  return json_answer(200, status_of(service, visit, *service.queue.find(hand_in.submission.id)));
}

Response drain(Service& service, const Visit& visit) {
  const bool yes = !visit.request.path.ends_with("/start");
  if (Dispatcher* const dispatcher = service.dispatcher()) dispatcher->set_draining(yes);
  service.audit(*visit.who, visit.request.address, yes ? "drain" : "start", "workers");
  return json_answer(200, {{"draining", yes}});
}

Response stop(Service& service, const Visit& visit) {
  if (Dispatcher* const dispatcher = service.dispatcher()) dispatcher->stop_running();
  service.audit(*visit.who, visit.request.address, "stop", "workers");
  return json_answer(200, {{"draining", true}});
}

Response audit(Service& service, const Visit&) {
  ordered_json json = ordered_json::array();
  for (const AuditLine& line : service.accounts.audit_log(1000))
    json.push_back({{"at", course::iso_text(line.at)},
                    {"who", line.who},
                    {"address", line.address},
                    {"action", line.action},
                    {"subject", line.subject}});
  return json_answer(200, json);
}

}  // namespace opgrade::service::api
