#include "grader/client/proxy.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <cstdlib>

#include "grader/core/text_parts.hpp"

namespace opgrade::client {
namespace {

std::string variable(const char* name, const char* other) {
  for (const char* const one : {name, other})
    if (const char* const value = std::getenv(one); value != nullptr && *value != 0) return value;
  return "";
}

/// By a list such as "example.edu,.local,10.0.0.1": a name stands for its domain too.
bool is_exempt(const std::string& host, const std::string& list) {
  for (std::string entry : split(list, ',')) {
    std::erase(entry, ' ');
    if (entry == "*" || entry == host) return true;
    if (entry.starts_with('.')) entry.erase(0, 1);
    if (!entry.empty() && (host == entry || host.ends_with("." + entry))) return true;
  }
  return false;
}

std::string base64(const std::string& text) {
  std::string coded((text.size() + 2) / 3 * 4 + 1, '\0');
  const int length = ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(coded.data()),
                                       reinterpret_cast<const unsigned char*>(text.data()),
                                       static_cast<int>(text.size()));
  coded.resize(static_cast<std::size_t>(length));
  return coded;
}

}  // namespace

std::optional<Proxy> proxy_for(const Url& url) {
  for (const char* const here : {"localhost", "127.0.0.1", "::1"})
    if (url.host == here) return std::nullopt;
  // HTTP_PROXY in capitals may be a header of a CGI request, so it is not read.
  std::string named =
      url.tls ? variable("https_proxy", "HTTPS_PROXY") : variable("http_proxy", "http_proxy");
  if (named.empty() || is_exempt(url.host, variable("no_proxy", "NO_PROXY"))) return std::nullopt;
  const std::string scheme = "http://";
  if (named.starts_with("https://"))
    throw UsageError(
        "a proxy that itself speaks TLS is not supported",
        fmt::format("name it as http://HOST:PORT in {}_proxy", url.tls ? "https" : "http"));
  if (named.starts_with(scheme)) named.erase(0, scheme.size());
  Proxy proxy;
  if (const auto at = named.rfind('@'); at != std::string::npos) {
    proxy.authorization = "Basic " + base64(named.substr(0, at));
    named.erase(0, at + 1);
  }
  const Url place = parse_url(scheme + named);
  proxy.host = place.host;
  proxy.port = place.port;
  return proxy;
}

}  // namespace opgrade::client
