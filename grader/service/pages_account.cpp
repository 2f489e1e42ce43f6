#include "grader/service/pages.hpp"

namespace opgrade::service::pages {
namespace {

Response login_page(Service& service, const std::string& complaint, int status) {
  return page(service, std::nullopt, "Log in",
              [&](xml_node main) {
                auto section = add(main, "section");
                if (!complaint.empty()) add(section, "p", complaint, "notice");
                auto made = form(section, {}, "/login");
                auto token =
                    field(made, "Token, as the course's staff sent it", "token", "password");
                token.append_attribute("required") = "required";
                token.append_attribute("autocomplete") = "current-password";
                button(made, "Log in");
              },
              {.status = status});
}

Response begin(Service& service, const Accounts::Session& session) {
  Response response = see_other("/");
  response.headers.emplace_back(
      "Set-Cookie", cookie_of(service, session.cookie, std::chrono::seconds(kSessionLife).count()));
  return response;
}

/// Whom the authenticating proxy names: a student of the roster, or staff who have a token.
std::optional<Identity> named_by_proxy(const Service& service, const Request& request) {
  if (service.options.proxy_header.empty() || !request.from_proxy) return std::nullopt;
  const std::string person = request.header(service.options.proxy_header);
  if (person.empty()) return std::nullopt;
  // A number of the roster may be another's login.
  if (const auto* const student = service.folder()->roster.find(person);
      student != nullptr && student->login == person)
    return Identity{person, Role::student, ""};
  for (const TokenLine& token : service.accounts.tokens())
    if (token.person == person && token.role == Role::staff && !token.revoked)
      return Identity{person, Role::staff, ""};
  return std::nullopt;
}

}  // namespace

Response login(Service& service, const Visit& visit) {
  if (const auto who = named_by_proxy(service, visit.request))
    return begin(service,
                 service.accounts.begin_proxy_session(who->person, who->role, service.now()));
  return login_page(service, "", 200);
}

Response log_in(Service& service, const Visit& visit) {
  const auto fields = read_form(visit.request.body);
  const auto token = fields.find("token");
  const auto session = token == fields.end()
                           ? std::nullopt
                           : service.accounts.begin_session(token->second, service.now());
  if (!session) {
    service.flood.wrong_secret(visit.request.address);
    return login_page(service, "This token is unknown or revoked; ask the staff for a new one.",
                      403);
  }
  return begin(service, *session);
}

Response log_out(Service& service, const Visit& visit) {
  service.accounts.end_session(visit.request.cookie(kCookie));
  Response response = see_other("/login");
  response.headers.emplace_back("Set-Cookie", cookie_of(service, "", 0));
  return response;
}

}  // namespace opgrade::service::pages
