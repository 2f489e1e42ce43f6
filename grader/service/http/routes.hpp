/// The table of all addresses of the service: role, limits and handler of each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grader/service/http/http_server.hpp"
#include "grader/service/state/service.hpp"

namespace opgrade::service {

enum class Access {
  anyone,    ///< also without a token
  student,   ///< any person with a token; what it shows is limited by the handler to the team's own
  writes,    ///< comments: students, and staff but observers
  hands_in,  ///< students, and staff who may change a grade
  // Staff. What is about students shows those that may_see() allows.
  sees,      ///< observers, too
  sees_all,  ///< the same, without those of one section
  helps,     ///< graders, too
  changes,   ///< grades and deadlines of students
  runs,      ///< what is of the whole course: workers, tokens, rejudges
};

struct Visit {
  const Request& request;
  std::optional<Identity> who;        ///< always there but where Access is `anyone`
  std::vector<std::string> captured;  ///< what stood at the pattern's {...}
};

using Answer = Response(Service& service, const Visit& visit);

struct Route {
  const char* method;
  const char* pattern;  ///< "/submissions/{id}"
  Access access;
  std::size_t body;  ///< bytes; kUpload: ServiceOptions::upload_bytes
  Answer* answer;
};
inline constexpr std::size_t kNoBody = 0;
inline constexpr std::size_t kForm = 16 * 1024;
inline constexpr std::size_t kRubric = 256 * 1024;
inline constexpr std::size_t kUpload = std::size_t(-1);

std::span<const Route> routes();

/// The whole of a server's answers: finds the route, the visitor and the rights.
Handler handler_of(Service& service);

/// True where the role of a visitor is enough; the handlers limit what is shown.
bool may(const Identity& who, Access access);
/// The same for the address of a link or of a form.
bool may(const Identity& who, std::string_view method, const std::string& address);

/// The id at the pattern's first {...}, of a submission that the visitor may see. Throws NotDone
/// for all others: a stranger's submission looks like none.
HandIn own_hand_in(const Service& service, const Visit& visit);

/// `stream` of the visit's own_hand_in(), which stays for hours. It ends at the first news after
/// the visitor's token or session ended, or their right to see the submission.
Stream while_allowed(Service& service, const Visit& visit, Stream stream);

Response json_answer(int status, const nlohmann::ordered_json& json);
Response json_error(int status, const std::string& why);
Response see_other(const std::string& place);

/// "session" or "login" as the name of a cookie. Browsers take one with __Host- from this host
/// alone, not from another one of its domain.
std::string cookie_name(const Service& service, const char* purpose);
/// "Lax": also sent when a link of another site is followed, which changes nothing here.
std::string cookie_of(const Service& service, const char* purpose, const std::string& value,
                      long seconds, const char* same_site = "Strict");

}  // namespace opgrade::service
