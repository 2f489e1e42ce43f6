#include <algorithm>

#include "grader/service/pages/pages.hpp"

namespace opgrade::service::pages {
namespace {

/// The key in the login form of the browser with this cookie. Another site can send a form, but can
/// neither read nor set the cookie.
std::string login_key(const std::string& cookie) { return hash_of_secret("login " + cookie); }

bool is_secret(const std::string& cookie) {
  return cookie.size() == hash_of_secret("").size() &&
         std::ranges::all_of(cookie, [](unsigned char c) {
           return std::isdigit(c) != 0 || (c >= 'a' && c <= 'f');
         });
}

/// The page of this service to show after the login. For an address of another site it is the home
/// page.
std::string wanted(const std::string& to) {
  const bool is_here = to.starts_with('/') && !to.starts_with("//") && to.size() < 500 &&
                       std::ranges::all_of(to, [](char c) { return c > ' ' && c != '\\'; });
  return is_here ? to : "/";
}

Response login_page(Service& service, const Request& request, const std::string& to,
                    const std::string& complaint, int status) {
  std::string cookie = request.cookie(cookie_name(service, "login"));
  if (!is_secret(cookie)) cookie = new_secret();  // otherwise keep it, for a second tab
  const Identity nobody{"", Role::student, login_key(cookie)};
  constexpr long kHour = 3600;
  Response response =
      page(service, std::nullopt, "Log in",
           [&](xml_node main) {
             auto section = add(main, "section");
             if (!complaint.empty()) add(section, "p", complaint, "notice");
             auto made = form(section, nobody, "/login");
             hidden(made, "to", to);
             with(field(made, "Token, as the course's staff sent it", "token", "password"),
                  {{"required", "required"}, {"autocomplete", "current-password"}});
             button(made, "Log in");
           },
           {.status = status});
  response.headers.emplace_back("Set-Cookie", cookie_of(service, "login", cookie, kHour));
  return response;
}

Response begin(Service& service, const Accounts::Session& session, const std::string& to) {
  Response response = see_other(wanted(to));
  response.headers.emplace_back("Set-Cookie",
                                cookie_of(service, "session", session.cookie,
                                          std::chrono::seconds(kSessionLife).count(), "Lax"));
  return response;
}

/// The person whom the authenticating proxy names: a student of the roster, or staff who have a
/// token.
std::optional<Identity> named_by_proxy(const Service& service, const Request& request) {
  if (service.options.proxy_header.empty() || !request.from_proxy) return std::nullopt;
  const std::string person = request.header(service.options.proxy_header);
  if (person.empty()) return std::nullopt;
  // The name must be the login, because one student's id may be another one's login.
  if (const auto* const student = service.files.folder()->roster.find(person);
      student != nullptr && student->login == person)
    return Identity{person, Role::student, ""};
  for (const TokenLine& token : service.accounts.tokens())
    if (token.person == person && token.role != Role::student && !token.revoked)
      return Identity{person, token.role, "", token.section};
  return std::nullopt;
}

}  // namespace

Response login(Service& service, const Visit& visit) {
  const std::string to = visit.request.parameter("to");
  if (const auto who = named_by_proxy(service, visit.request)) {
    if (!service.flood.take("person " + who->person))
      throw NotDone(429, "too many requests; wait some seconds");
    return begin(service, service.accounts.begin_session(*who, std::nullopt, service.now()).value(),
                 to);
  }
  return login_page(service, visit.request, to, "", 200);
}

Response log_in(Service& service, const Visit& visit) {
  auto fields = read_form(visit.request.body);
  const std::string cookie = visit.request.cookie(cookie_name(service, "login"));
  if (!is_secret(cookie) || !same_secret(fields["form_key"], login_key(cookie)))
    return login_page(service, visit.request, fields["to"],
                      "The form was out of date; log in by this one.", 403);
  const auto refuse = [&](const char* why, int status) {
    return login_page(service, visit.request, fields["to"], why, status);
  };
  const auto who = service.accounts.by_token(fields["token"]);
  if (!who) {  // a valid token is accepted, however many invalid ones its address sent
    const bool many = !service.flood.may_fail(visit.request.address);
    service.flood.failed(visit.request.address);
    if (many)
      return refuse(
          "This token is wrong, as many others of this address were. Wait some minutes, "
          "and check it.",
          429);
    return refuse("This token is unknown or revoked; ask the staff for a new one.", 403);
  }
  if (!service.flood.take("person " + who->person))
    return refuse("Too many requests; wait some seconds.", 429);
  const auto session = service.accounts.begin_session(fields["token"], service.now());
  if (!session) return refuse("This token was revoked just now.", 403);
  return begin(service, *session, fields["to"]);
}

Response log_out(Service& service, const Visit& visit) {
  service.accounts.end_session(visit.request.cookie(cookie_name(service, "session")));
  Response response = see_other("/login");
  response.headers.emplace_back("Set-Cookie", cookie_of(service, "session", "", 0));
  return response;
}

}  // namespace opgrade::service::pages
