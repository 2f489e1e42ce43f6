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
  anyone,    ///< any visitor, also without a token
  student,   ///< any person with a token; the handler shows a student only what belongs to the
             ///< student's team
  writes,    ///< comments: students, and staff but observers
  hands_in,  ///< students, and staff who may change a grade
  // Staff. Pages about students show only those that may_see() allows.
  sees,      ///< observers, too
  sees_all,  ///< like `sees`, but not for staff of one section
  helps,     ///< graders, too
  changes,   ///< grades and deadlines of students
  runs,      ///< what concerns the whole course: workers, tokens, rejudges
};

struct Visit {
  const Request& request;
  std::optional<Identity> who;        ///< always set unless Access is `anyone`
  std::vector<std::string> captured;  ///< the texts at the pattern's {...}
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

/// Makes a server's handler, which finds the route, the visitor and the visitor's rights.
Handler handler_of(Service& service);

/// True if the visitor's role allows the access. The handlers limit what is shown.
bool may(const Identity& who, Access access);
/// True if the visitor's role allows the link or form with this address.
bool may(const Identity& who, std::string_view method, const std::string& address);

/// The submission whose id is at the pattern's first {...}, if the visitor may see it. Otherwise
/// throws NotDone, so that a stranger's submission looks as if it did not exist.
HandIn own_hand_in(const Service& service, const Visit& visit);

/// Wraps a `stream` about the visit's own_hand_in(), which may last for hours. The wrapped stream
/// ends at the first news after the visitor's token, session or right to see the submission ended.
Stream while_allowed(Service& service, const Visit& visit, Stream stream);

Response json_answer(int status, const nlohmann::ordered_json& json);
Response json_error(int status, const std::string& why);
Response see_other(const std::string& place);

/// The name of a cookie for "session" or "login". Browsers accept a name with __Host- only from
/// this host, not from another host of its domain.
std::string cookie_name(const Service& service, const char* purpose);
/// A Set-Cookie header. "Lax": the cookie is also sent if a visitor follows a link on another site,
/// which changes nothing here.
std::string cookie_of(const Service& service, const char* purpose, const std::string& value,
                      long seconds, const char* same_site = "Strict");

}  // namespace opgrade::service
