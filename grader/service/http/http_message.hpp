/// Requests and responses as values, without the library that reads and writes them.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/text_parts.hpp"

namespace opgrade::service {

inline std::string value_in(const std::map<std::string, std::string>& all,
                            const std::string& name) {
  const auto found = all.find(name);
  return found == all.end() ? "" : found->second;
}

struct Request {
  std::string method;
  std::string path;  ///< decoded; "/submissions/7"
  std::map<std::string, std::string> query;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
  std::string address;      ///< address of the client; if there is a proxy, as the proxy names it
  bool from_proxy = false;  ///< the request came through ServerOptions::proxy
  std::string person;       ///< set by Handler::before_body: the owner of its valid token
  bool changes = false;     ///< its answer may have to wait until another request's change ends
  std::shared_ptr<void> place{};  ///< counts it among the uploads in progress until the answer

  /// The value of a header; empty if the request has no such header.
  std::string header(const std::string& name) const { return value_in(headers, name); }
  std::string parameter(const std::string& name) const { return value_in(query, name); }
  std::string cookie(const std::string& name) const;
  /// The address that was asked for, with its query.
  std::string target() const;
};

/// Thrown to refuse a request, with the HTTP status. JSON or a page gives the reason.
struct NotDone : Error {
  NotDone(int of_http, const std::string& why, std::chrono::seconds until_again = {})
      : Error(why), status(of_http), wait(until_again) {}
  int status;
  std::chrono::seconds wait;  ///< time until it may succeed; 0: unknown
};

/// Server-sent events that go on until the stream ends or the client leaves.
struct Stream {
  std::function<bool()> has_news;  ///< must be cheap, because it is called several times a second
  std::function<std::optional<std::string>()> next;  ///< the text to send; none: the end
  std::shared_ptr<void> place{};                     ///< counts it among the open streams
};

struct Response {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers{};
  /// A file to send in the place of `body`. It is sent piece by piece, because it may be larger
  /// than the memory that the server wants to use for each reader. Empty: none.
  std::filesystem::path file{};
  std::optional<Stream> stream{};
};

/// JSON on one line. Bytes that are not UTF-8 are replaced.
std::string json_text(const nlohmann::ordered_json& json);

/// Reads "a=1&b=x+y%21", the form of a query and of a submitted form. Later values of a name
/// replace earlier ones.
std::map<std::string, std::string> read_form(std::string_view text);

/// One field of a form that a browser sent as multipart/form-data.
struct FormPart {
  std::string name;
  std::string file_name;  ///< empty for a plain field
  std::string bytes;
};
/// Reads a form that was sent as multipart/form-data. nullopt if it is malformed or has more than
/// `most` parts.
std::optional<std::vector<FormPart>> read_multipart(const std::string& content_type,
                                                    std::string_view body, std::size_t most = 400);

}  // namespace opgrade::service
