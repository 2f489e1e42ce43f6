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
  std::string address;            ///< of the client, as the proxy tells it where there is one
  bool from_proxy = false;        ///< it came through ServerOptions::proxy
  std::string person;             ///< set by Handler::before_body: whose right token it has
  bool changes = false;           ///< its answer may wait for another one's change to end
  std::shared_ptr<void> place{};  ///< among the uploads in progress, until the answer

  /// Empty where there is none.
  std::string header(const std::string& name) const { return value_in(headers, name); }
  std::string parameter(const std::string& name) const { return value_in(query, name); }
  std::string cookie(const std::string& name) const;
};

/// A request that is not done, and the status of HTTP. JSON or a page says why.
struct NotDone : Error {
  NotDone(int of_http, const std::string& why, std::chrono::seconds until_again = {})
      : Error(why), status(of_http), wait(until_again) {}
  int status;
  std::chrono::seconds wait;  ///< after that it may be done; 0: not known
};

/// Server-sent events that go on until the stream ends or the client leaves.
struct Stream {
  std::function<bool()> has_news;                    ///< cheap: asked several times a second
  std::function<std::optional<std::string>()> next;  ///< the text to send; none: the end
  std::shared_ptr<void> place{};                     ///< among the open ones
};

struct Response {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers{};
  /// Its content is sent in the place of `body`, piece by piece: it may be larger than what the
  /// server wants to hold in memory for each reader. Empty: none.
  std::filesystem::path file{};
  std::optional<Stream> stream{};
};

/// On one line; a byte that is not UTF-8 is replaced.
std::string json_text(const nlohmann::ordered_json& json);

/// "a=1&b=x+y%21", as in a query and in a form. Later values of a name replace earlier ones.
std::map<std::string, std::string> read_form(std::string_view text);

/// One field of a form that a browser sent as multipart/form-data.
struct FormPart {
  std::string name;
  std::string file_name;  ///< empty for a plain field
  std::string bytes;
};
/// Nothing for what is not well formed, or has more than `most` parts.
std::optional<std::vector<FormPart>> read_multipart(const std::string& content_type,
                                                    std::string_view body, std::size_t most = 400);

}  // namespace opgrade::service
