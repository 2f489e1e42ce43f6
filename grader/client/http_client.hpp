/// HTTP/1.1 to the service, with TLS for https. http_client.cpp has no other header.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "grader/base/core/error.hpp"

namespace opgrade::client {

/// The connection failed or broke, so the request may be repeated. Other errors are final.
struct ConnectionLost : Error {
  using Error::Error;
};

/// Most bytes of an answer, which is held in memory.
inline constexpr std::uint64_t kLargestAnswer = std::uint64_t{64} << 20;

struct Answer {
  int status = 0;
  std::string body;
  std::map<std::string, std::string> headers;  ///< names in lower case
};

struct Url {
  bool tls = false;
  std::string host, port, path;  ///< `path` has no slash at its end
};
/// Throws UsageError if the text is not an http or https address.
Url parse_url(const std::string& text);

struct Proxy {
  std::string host, port;
  std::string authorization;  ///< value of Proxy-Authorization; empty: none
};

/// The proxy of http_proxy for http, of https_proxy (or HTTPS_PROXY) for https. no_proxy lists
/// exceptions; this machine is always one. Throws UsageError if the proxy's address is invalid.
std::optional<Proxy> proxy_for(const Url& url);

class HttpClient {
 public:
  /// Certificates are those of this machine, or of the file that SSL_CERT_FILE names; the host's
  /// name is checked. Requests use the proxy that the environment names.
  HttpClient(Url url, std::string token, std::chrono::seconds patience = std::chrono::seconds(30));

  /// Throws ConnectionLost, Interrupted on Ctrl-C, and Error if the answer has more than
  /// kLargestAnswer bytes.
  Answer request(const std::string& method, const std::string& target,
                 const std::map<std::string, std::string>& headers = {},
                 const std::string& body = "") const;

  /// Passes each piece of a body that arrives over time to `take`, which returns false to end the
  /// reading. Returns the status; if it is not 200, the body is in `refusal`. Throws
  /// ConnectionLost, also if nothing arrives for a minute, because the service sends something four
  /// times a minute. Throws Error if the body has more than `most` bytes.
  int stream(const std::string& target, const std::map<std::string, std::string>& headers,
             const std::function<bool(std::string_view)>& take, std::string& refusal,
             std::uint64_t most = kLargestAnswer) const;

 private:
  Url url_;
  std::string token_;
  std::chrono::seconds patience_;
};

}  // namespace opgrade::client
