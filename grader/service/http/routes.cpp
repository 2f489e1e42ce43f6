#include "grader/service/http/routes.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/service/api/api.hpp"
#include "grader/service/pages/pages.hpp"

namespace opgrade::service {
namespace {

constexpr std::array kRoutes{
    Route{"GET", "/api/health", Access::anyone, kNoBody, api::health},
    Route{"GET", "/api/me", Access::student, kNoBody, api::me},
    Route{"POST", "/api/submissions", Access::hands_in, kUpload, api::submit},
    Route{"GET", "/api/submissions/{id}", Access::student, kNoBody, api::status},
    Route{"GET", "/api/submissions/{id}/events", Access::student, kNoBody, api::events},
    Route{"GET", "/api/submissions/{id}/report", Access::student, kNoBody, api::report},
    Route{"GET", "/api/submissions/{id}/archive", Access::student, kNoBody, api::archive},
    Route{"POST", "/api/submissions/{id}/cancel", Access::hands_in, kNoBody, api::cancel},
    Route{"POST", "/api/submissions/{id}/hand-in", Access::hands_in, kNoBody, api::hand_in_run},
    Route{"GET", "/api/submissions/{id}/tool-files/{name}", Access::student, kNoBody,
          api::tool_file},
    Route{"GET", "/api/assignments/{name}/files", Access::student, kNoBody, api::files},
    Route{"GET", "/api/queue", Access::student, kNoBody, api::queue},
    Route{"GET", "/api/history", Access::student, kNoBody, api::history},
    Route{"GET", "/api/ranking", Access::student, kNoBody, api::ranking},
    Route{"POST", "/api/staff/submissions/{id}/requeue", Access::helps, kNoBody, api::requeue},
    Route{"POST", "/api/staff/drain", Access::runs, kNoBody, api::drain},
    Route{"POST", "/api/staff/start", Access::runs, kNoBody, api::drain},
    Route{"POST", "/api/staff/stop", Access::runs, kNoBody, api::stop},
    Route{"GET", "/api/staff/audit", Access::sees_all, kNoBody, api::audit},

    Route{"GET", "/style.css", Access::anyone, kNoBody, pages::style},
    Route{"GET", "/icon.svg", Access::anyone, kNoBody, pages::icon},
    Route{"GET", "/live.js", Access::anyone, kNoBody, pages::script},
    Route{"GET", "/login", Access::anyone, kNoBody, pages::login},
    Route{"POST", "/login", Access::anyone, kForm, pages::log_in},
    Route{"POST", "/logout", Access::student, kForm, pages::log_out},
    Route{"GET", "/", Access::student, kNoBody, pages::home},
    Route{"GET", "/assignments/{name}", Access::student, kNoBody, pages::assignment},
    Route{"POST", "/assignments/{name}", Access::hands_in, kUpload, pages::hand_in},
    Route{"GET", "/submissions/{id}", Access::student, kNoBody, pages::submission},
    Route{"GET", "/submissions/{id}/report", Access::student, kNoBody, pages::report},
    Route{"POST", "/submissions/{id}/cancel", Access::hands_in, kForm, pages::cancel},
    Route{"POST", "/submissions/{id}/hand-in", Access::hands_in, kForm, pages::hand_in_run},
    Route{"GET", "/submissions/{id}/source", Access::student, kNoBody, pages::source},
    Route{"POST", "/submissions/{id}/messages", Access::writes, kForm, pages::say},
    Route{"POST", "/staff/submissions/{id}/count", Access::changes, kForm,
          pages::choose_submission},
    Route{"POST", "/notices", Access::student, kForm, pages::notices},
    Route{"POST", "/ranking-name", Access::student, kForm, pages::ranking_name},
    Route{"GET", "/staff", Access::sees, kNoBody, pages::class_table},
    Route{"GET", "/documents/{id}/file", Access::student, kNoBody, pages::document_file},
    Route{"GET", "/documents/{id}/pages/{number}", Access::student, kNoBody, pages::document_page},
    Route{"GET", "/staff/marking/{name}", Access::sees, kNoBody, pages::marking},
    Route{"GET", "/staff/marking/{name}/next", Access::sees, kNoBody, pages::next_document},
    Route{"POST", "/staff/marking/{name}/release", Access::runs, kForm, pages::release},
    Route{"GET", "/staff/marking/{name}/{id}", Access::sees, kNoBody, pages::mark_document},
    Route{"POST", "/staff/marking/{name}/{id}", Access::helps, kForm, pages::mark},
    Route{"GET", "/staff/marking/{name}/{id}/state", Access::sees, kNoBody, pages::marking_state},
    Route{"GET", "/staff/rubrics/{name}", Access::sees_all, kNoBody, pages::rubric},
    Route{"POST", "/staff/rubrics/{name}", Access::runs, kRubric, pages::change_rubric},
    Route{"GET", "/staff/submissions", Access::sees, kNoBody, pages::submissions},
    Route{"GET", "/staff/assignments/{name}", Access::sees, kNoBody, pages::staff_assignment},
    Route{"GET", "/staff/roster", Access::runs, kNoBody, pages::roster},
    Route{"POST", "/staff/roster", Access::runs, kForm, pages::change_roster},
    Route{"GET", "/staff/announcements", Access::sees_all, kNoBody, pages::announcements},
    Route{"POST", "/staff/announcements", Access::runs, kForm, pages::announce},
    Route{"POST", "/staff/announcements/{name}/end", Access::runs, kForm, pages::end_announcement},
    Route{"GET", "/staff/audit", Access::sees_all, kNoBody, pages::audit},
    Route{"GET", "/staff/practice", Access::sees, kNoBody, pages::practice},
    Route{"GET", "/staff/extensions", Access::sees, kNoBody, pages::extensions},
    Route{"POST", "/staff/extensions", Access::changes, kForm, pages::extend},
    Route{"GET", "/staff/tokens", Access::runs, kNoBody, pages::tokens},
    Route{"POST", "/staff/tokens", Access::runs, kForm, pages::change_token},
    Route{"GET", "/staff/students/{name}", Access::sees, kNoBody, pages::student},
    Route{"POST", "/staff/students/{name}/points", Access::changes, kForm, pages::set_points},
    Route{"GET", "/staff/students/{name}/{name}", Access::sees, kNoBody, pages::student_assignment},
    Route{"POST", "/staff/students/{name}/extension", Access::changes, kForm, pages::extend},
    Route{"GET", "/staff/gradebook/{name}", Access::sees_all, kNoBody, pages::gradebook},
    Route{"GET", "/staff/finals/{name}", Access::sees_all, kNoBody, pages::finals},
    Route{"GET", "/staff/rejudges", Access::sees_all, kNoBody, pages::rejudges},
    Route{"POST", "/staff/rejudges", Access::runs, kForm, pages::begin_rejudge},
    Route{"GET", "/staff/rejudges/{rejudge}", Access::sees_all, kNoBody, pages::rejudge},
    Route{"POST", "/staff/rejudges/{rejudge}/apply", Access::runs, kForm, pages::decide_rejudge},
    Route{"POST", "/staff/rejudges/{rejudge}/cancel", Access::runs, kForm, pages::decide_rejudge},
    Route{"POST", "/staff/submissions/{id}/requeue", Access::helps, kForm,
          pages::then_class<api::requeue>},
    Route{"POST", "/staff/drain", Access::runs, kForm, pages::then_class<api::drain>},
    Route{"POST", "/staff/start", Access::runs, kForm, pages::then_class<api::drain>},
    Route{"POST", "/staff/stop", Access::runs, kForm, pages::then_class<api::stop>},
};

std::optional<std::vector<std::string>> matched(std::string_view pattern, std::string_view path) {
  std::vector<std::string> captured;
  while (!pattern.empty() && !path.empty()) {
    const auto p_end = pattern.find('/', 1), t_end = path.find('/', 1);
    const std::string_view part = pattern.substr(0, p_end), text = path.substr(0, t_end);
    if (part.starts_with("/{")) {
      if (text.size() < 2) return std::nullopt;
      captured.emplace_back(text.substr(1));
    } else if (part != text) {
      return std::nullopt;
    }
    pattern = p_end == std::string_view::npos ? "" : pattern.substr(p_end);
    path = t_end == std::string_view::npos ? "" : path.substr(t_end);
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return captured;
}

struct Found {
  const Route* route = nullptr;
  std::vector<std::string> captured;
  std::string methods;  ///< methods of the address, if the request has another one
};

Found find_route(std::string_view method, std::string_view path) {
  Found found;
  for (const Route& route : routes()) {
    auto captured = matched(route.pattern, path);
    if (!captured) continue;
    if (method == route.method) return {&route, std::move(*captured), ""};
    found.methods += (found.methods.empty() ? "" : ", ") + std::string(route.method);
    if (found.methods.ends_with("GET")) found.methods += ", HEAD";
  }
  return found;
}

bool is_api(const Request& request) { return request.path.starts_with("/api/"); }

Response refuse(const Service& service, const Request& request, const std::optional<Identity>& who,
                const NotDone& e) {
  Response response;
  if (is_api(request))
    response = json_error(e.status, e.what());
  else if (e.status == 401 && request.method == "GET")
    response =
        see_other(request.path == "/" ? "/login" : "/login?to=" + encode_percent(request.target()));
  else
    response = not_done(service, who, e.status,
                        e.status != 401
                            ? e.what()
                            : "Your session has ended, and nothing was taken in. Log in in another "
                              "tab, then go back to this form and send it again.");
  if (e.wait.count() > 0)
    response.headers.emplace_back("Retry-After", fmt::format("{}", e.wait.count()));
  return response;
}

/// The visitor by token, session, or authenticating proxy. `wrong`: an invalid secret was sent.
std::optional<Identity> identify(Service& service, const Request& request, bool& wrong) {
  const std::string bearer = "Bearer ";
  // Other schemes are ignored, because an authenticating proxy may pass on the password that it
  // accepted.
  if (const std::string header = request.header("authorization"); header.starts_with(bearer)) {
    auto who = service.accounts.by_token(header.substr(bearer.size()));
    wrong = !who;
    return who;
  }
  if (const std::string cookie = request.cookie(cookie_name(service, "session")); !cookie.empty())
    return service.accounts.by_session(cookie, service.now());  // an expired cookie is no attack
  return std::nullopt;
}

/// A session's request that changes something must come from a page of this service.
bool has_form_key(const Request& request, const Identity& who) {
  if (who.form_key.empty()) return true;  // a browser never sends a token by itself
  std::string key = request.header("x-form-key");
  const std::string type = request.header("content-type");
  if (key.empty() && type.starts_with("application/x-www-form-urlencoded")) {
    const auto form = read_form(request.body);
    if (const auto found = form.find("form_key"); found != form.end()) key = found->second;
  }
  if (key.empty() && type.starts_with("multipart/form-data")) {
    if (const auto parts = read_multipart(type, request.body))
      for (const FormPart& part : *parts)
        if (part.name == "form_key") key = part.bytes;
  }
  return same_secret(key, who.form_key);
}

/// Throws NotDone if a visitor may not use an address. `wrong`: an invalid secret was sent.
void require(const std::optional<Identity>& who, Access access, bool wrong) {
  if (access == Access::anyone) return;
  if (!who)
    throw NotDone(401, wrong ? "the token is unknown or revoked; ask the staff for a new one"
                             : "a token is needed: opgrade login --server URL");
  if (!may(*who, access))
    throw NotDone(403, who->is_staff() ? "your role does not allow this" : "this is for staff");
}

std::optional<HandIn> visible_hand_in(const Service& service, const Visit& visit) {
  const auto id = whole_number(visit.captured.at(0));
  auto found = id && visit.who ? service.queue.find(*id) : std::nullopt;
  return found && may_see(service, *visit.who, *found) ? std::move(found) : std::nullopt;
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

bool may(const Identity& who, Access access) {
  const bool is_staff = who.role == Role::staff, whole = who.is_of_whole_course();
  const std::map<Access, bool> rights{
      {Access::anyone, true},
      {Access::student, true},
      {Access::sees, who.is_staff()},
      {Access::sees_all, whole},
      {Access::writes, who.role != Role::observer},
      {Access::hands_in, is_staff || who.role == Role::student},
      {Access::helps, who.role >= Role::grader},
      {Access::changes, is_staff},
      {Access::runs, is_staff && whole},
  };
  return rights.at(access);
}

bool may(const Identity& who, std::string_view method, const std::string& address) {
  const Route* const route = find_route(method, address).route;
  return route != nullptr && may(who, route->access);
}

Response json_answer(int status, const nlohmann::ordered_json& json) {
  return {status, "application/json", json_text(json) + "\n"};
}

Response json_error(int status, const std::string& why) {
  return json_answer(status, {{"error", why}});
}

Response see_other(const std::string& place) {
  return {303, "text/plain; charset=utf-8", "", {{"Location", place}}};
}

std::string cookie_name(const Service& service, const char* purpose) {
  return fmt::format("{}opgrade_{}", service.options.secure_cookies ? "__Host-" : "", purpose);
}

std::string cookie_of(const Service& service, const char* purpose, const std::string& value,
                      long seconds, const char* same_site) {
  return fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite={}{}",
                     cookie_name(service, purpose), value, seconds, same_site,
                     service.options.secure_cookies ? "; Secure" : "");
}

HandIn own_hand_in(const Service& service, const Visit& visit) {
  if (auto found = visible_hand_in(service, visit)) return *std::move(found);
  throw NotDone(404, "you have no such submission");
}

Stream while_allowed(Service& service, const Visit& visit, Stream stream) {
  Request secrets;
  for (const char* name : {"authorization", "cookie"})
    if (std::string value = visit.request.header(name); !value.empty())
      secrets.headers.emplace(name, std::move(value));
  stream.next = [&service, secrets = std::move(secrets), captured = visit.captured,
                 next = std::move(stream.next)]() -> std::optional<std::string> {
    bool wrong = false;
    const Visit now{secrets, identify(service, secrets, wrong), captured};
    return visible_hand_in(service, now) ? next() : std::nullopt;
  };
  return stream;
}

namespace {

/// The most bytes that the body may have, or the answer that refuses the request.
std::variant<std::size_t, Response> before_body(Service& service, Request& request) {
  std::optional<Identity> who;
  try {
    const Found found = find_route(request.method, request.path);
    if (found.route == nullptr && found.methods.empty())
      throw NotDone(404, "there is nothing at this address");
    if (found.route == nullptr) {
      Response other =
          refuse(service, request, who,
                 NotDone(405, fmt::format("This address does not accept {}; it accepts {}.",
                                          printable_line(request.method, 20), found.methods)));
      other.headers.emplace_back("Allow", found.methods);
      return other;
    }
    // GET /login begins a session for a user whom an authenticating proxy names.
    request.changes =
        request.method != "GET" || (found.route->answer == pages::login && request.from_proxy);
    // Requests that need no token have no limit: they cost less than a refusal, and a limit would
    // shut out all who share an address with an attacker.
    if (found.route->access == Access::anyone) return found.route->body;
    bool wrong = false;
    who = identify(service, request, wrong);
    if (who) request.person = who->person;
    if (wrong) {
      const bool many = !service.flood.may_fail(request.address);
      service.flood.failed(request.address);
      if (many)
        throw NotDone(429,
                      "this token is wrong, as many others of this address were; "
                      "wait some minutes, and check it");
    }
    if (who && !service.flood.take("person " + who->person))
      throw NotDone(429, "too many requests; wait some seconds");
    require(who, found.route->access, wrong);
    if (found.route->body != kUpload) return found.route->body;
    // The server would refuse the length, too, but without a page.
    const auto length = whole_number(request.header("content-length"));
    if (length && *length > static_cast<std::int64_t>(service.options.upload_bytes))
      throw NotDone(413, fmt::format("the files have more than {} MiB; nothing was taken in",
                                     service.options.upload_bytes >> 20));
    request.place = service.open_uploads.enter(who->person);
    if (request.place == nullptr)
      throw NotDone(429, "too many uploads are in progress; wait until one has ended");
    return service.options.upload_bytes;
  } catch (const NotDone& e) {
    return refuse(service, request, who, e);
  } catch (const std::exception&) {
    const std::string why = "the service cannot read its store; tell the staff";
    if (is_api(request)) return json_error(503, why);
    return Response{503, "text/plain; charset=utf-8", why + "\n"};
  }
}

Response answer_to(Service& service, const Request& request) {
  const Found found = find_route(request.method, request.path);
  std::optional<Identity> who;
  try {
    bool wrong = false;
    who = identify(service, request, wrong);
    Visit visit{request, who, found.captured};
    // The token may have been revoked after before_body().
    require(who, found.route->access, wrong);
    if (request.method != "GET" && found.route->access != Access::anyone &&
        !has_form_key(request, *visit.who))
      throw NotDone(403, "the form is out of date; load the page again");
    return found.route->answer(service, visit);
  } catch (const NotDone& e) {
    return refuse(service, request, who, e);
  } catch (const UsageError& e) {
    return refuse(service, request, who, NotDone(400, printable_line(e.what(), 400)));
  } catch (const std::exception&) {
    // The error's text is not shown, because it may name files of the grader.
    return refuse(service, request, who,
                  NotDone(503, "the service failed; nothing was lost. Tell the staff"));
  }
}

}  // namespace

Handler handler_of(Service& service) {
  Handler handler;
  handler.before_body = [&service](Request& request) { return before_body(service, request); };
  handler.answer = [&service](const Request& request) { return answer_to(service, request); };
  return handler;
}

}  // namespace opgrade::service
