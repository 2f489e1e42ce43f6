/// HTTP/1.1 to the service, with TLS for https; the only header for http_client.cpp.
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

/// The connection failed or broke: the same request may be sent again. Other errors are final.
struct ConnectionLost : Error {
  using Error::Error;
};

/// Bytes of an answer that is held in memory.
inline constexpr std::uint64_t kLargestAnswer = std::uint64_t{64} << 20;

struct Answer {
  int status = 0;
  std::string body;
  std::map<std::string, std::string> headers;  ///< names in lower case
};

struct Url {
  bool tls = false;
  std::string host, port, path;  ///< the path without a slash at its end
};
/// Throws UsageError for what is no http or https address.
Url parse_url(const std::string& text);

struct Proxy {
  std::string host, port;
  std::string authorization;  ///< value of Proxy-Authorization; empty: none
};

/// http_proxy for http, https_proxy (or HTTPS_PROXY) for https; no_proxy lists exceptions, which
/// this machine always is. Throws UsageError for a proxy's address that is none.
std::optional<Proxy> proxy_for(const Url& url);

class HttpClient {
 public:
  /// Certificates are those of this machine, or of the file that SSL_CERT_FILE names; the host's
  /// name is checked. Requests go by the proxy that the environment names.
  HttpClient(Url url, std::string token, std::chrono::seconds patience = std::chrono::seconds(30));

  /// Throws ConnectionLost, Interrupted on Ctrl-C, and Error for an answer of more than
  /// kLargestAnswer.
  Answer request(const std::string& method, const std::string& target,
                 const std::map<std::string, std::string>& headers = {},
                 const std::string& body = "") const;

  /// Gives each piece of a body that comes over time to `take`, which ends it by false. Returns
  /// the status; when that is not 200, the body is in `refusal`. Throws ConnectionLost, also when
  /// nothing comes for a minute: the service says something four times a minute. Throws Error for a
  /// body of more than `most` bytes.
  int stream(const std::string& target, const std::map<std::string, std::string>& headers,
             const std::function<bool(std::string_view)>& take, std::string& refusal,
             std::uint64_t most = kLargestAnswer) const;

 private:
  Url url_;
  std::string token_;
  std::chrono::seconds patience_;
};

}  // namespace opgrade::client
