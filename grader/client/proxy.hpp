/// The proxy for an address, by the environment, as curl reads it.
#pragma once

#include <optional>
#include <string>

#include "grader/client/http_client.hpp"

namespace opgrade::client {

struct Proxy {
  std::string host, port;
  std::string authorization;  ///< value of Proxy-Authorization; empty: none
};

/// http_proxy for http, https_proxy (or HTTPS_PROXY) for https; no_proxy lists exceptions, which
/// this machine always is. Throws UsageError for a proxy's address that is none.
std::optional<Proxy> proxy_for(const Url& url);

}  // namespace opgrade::client
