#include "grader/client/http_client.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <cstdlib>
#include <exception>
#include <regex>

#include "grader/base/core/text_parts.hpp"
#include "grader/client/not_reached.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade::client {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::use_awaitable;
using asio::ip::tcp;
using Request = http::request<http::string_body>;
using Parser = http::response_parser<http::string_body>;

constexpr auto kSilence = std::chrono::seconds(60);
constexpr const char* kCheckAddress =
    "check the address; if the service is being restarted, opgrade submit --patience 600 waits "
    "for it";

/// Called with the parser after each piece; returns false to end the reading.
using Piece = std::function<bool(Parser&)>;

template <class Stream>
asio::awaitable<void> exchange(Stream& stream, beast::tcp_stream& bottom, const Request& request,
                               std::chrono::seconds patience, Parser& parser, const Piece& piece) {
  bottom.expires_after(patience);
  boost::system::error_code unsent, unread;
  co_await http::async_write(stream, request, asio::redirect_error(use_awaitable, unsent));
  // A server that refuses a request may answer and close before it has read the whole request.
  beast::flat_buffer buffer;
  co_await http::async_read_header(stream, buffer, parser,
                                   asio::redirect_error(use_awaitable, unread));
  if (unread) throw boost::system::system_error(unsent ? unsent : unread);
  while (!parser.is_done()) {
    bottom.expires_after(piece ? kSilence : patience);
    co_await http::async_read_some(stream, buffer, parser,
                                   asio::redirect_error(use_awaitable, unread));
    if (unread && unsent) co_return;  // the status was read
    if (unread) throw boost::system::system_error(unread);
    if (piece && !piece(parser)) co_return;
  }
}

/// Makes the proxy connect `stream` to the server.
asio::awaitable<void> open_tunnel(beast::tcp_stream& stream, const Url& url, const Proxy& proxy) {
  const std::string place = url.host + ":" + url.port;
  http::request<http::empty_body> request(http::verb::connect, place, 11);
  request.set(http::field::host, place);
  if (!proxy.authorization.empty())
    request.set(http::field::proxy_authorization, proxy.authorization);
  co_await http::async_write(stream, request, use_awaitable);
  http::response_parser<http::empty_body> answer;
  answer.skip(true);  // the bytes after the headers come from the server
  beast::flat_buffer buffer;
  co_await http::async_read_header(stream, buffer, answer, use_awaitable);
  const unsigned status = answer.get().result_int();
  if (status / 100 == 2) co_return;
  const std::string why = fmt::format("the proxy {}:{} refuses a connection to {}: status {}",
                                      proxy.host, proxy.port, place, status);
  if (status >= 500) throw NotReached(why, kCheckAddress);
  throw UsageError(why, status == 407 ? "https_proxy names its user: http://USER:PASSWORD@HOST:PORT"
                                      : "correct https_proxy, or name the host in no_proxy");
}

asio::awaitable<void> talk(const Url& url, const Proxy* proxy, const Request& request,
                           std::chrono::seconds patience, Parser& parser, const Piece& piece) {
  const auto executor = co_await asio::this_coro::executor;
  tcp::resolver resolver(executor);
  const std::string host = proxy != nullptr ? proxy->host : url.host;
  const std::string port = proxy != nullptr ? proxy->port : url.port;
  const auto places = co_await resolver.async_resolve(host, port, use_awaitable);
  beast::tcp_stream plain(executor);
  plain.expires_after(patience);
  co_await plain.async_connect(places, use_awaitable);
  if (proxy != nullptr && url.tls) co_await open_tunnel(plain, url, *proxy);
  if (!url.tls) {
    co_await exchange(plain, plain, request, patience, parser, piece);
    co_return;
  }
  asio::ssl::context context(asio::ssl::context::tls_client);
  context.set_default_verify_paths();
  context.set_verify_mode(asio::ssl::verify_peer);
  beast::ssl_stream<beast::tcp_stream> secure(std::move(plain), context);
  secure.set_verify_callback(asio::ssl::host_name_verification(url.host));
  if (SSL_set_tlsext_host_name(secure.native_handle(), url.host.c_str()) != 1)
    throw UsageError(fmt::format("{} is not a host name", url.host), "correct the address");
  co_await secure.async_handshake(asio::ssl::stream_base::client, use_awaitable);
  co_await exchange(secure, secure.next_layer(), request, patience, parser, piece);
}

Request message(const Url& url, const std::string& token, const std::string& method,
                const std::string& target, const std::map<std::string, std::string>& headers,
                const std::string& body) {
  Request request(http::string_to_verb(method), url.path + target, 11);
  request.set(http::field::host, url.host + ":" + url.port);
  request.set(http::field::user_agent, "opgrade");
  if (!token.empty()) request.set(http::field::authorization, "Bearer " + token);
  for (const auto& [name, value] : headers) request.set(name, value);
  request.body() = body;
  request.keep_alive(false);
  request.prepare_payload();
  return request;
}

/// True if there is no service at the address: the name is unknown, or nothing listens there.
bool tells_of_no_service(const boost::system::error_code& code) {
  namespace error = asio::error;
  return code == error::connection_refused || code == error::host_not_found ||
         code == error::host_not_found_try_again || code == error::no_data;
}

void run(const Url& url, Request request, std::chrono::seconds patience, Parser& parser,
         const Piece& piece, std::uint64_t most = kLargestAnswer) {
  parser.body_limit(most);
  const std::optional<Proxy> proxy = proxy_for(url);
  if (proxy && !url.tls) {
    request.target(fmt::format("http://{}:{}{}", url.host, url.port,
                               std::string(request.target().data(), request.target().size())));
    if (!proxy->authorization.empty())
      request.set(http::field::proxy_authorization, proxy->authorization);
  }
  std::exception_ptr failed;
  asio::io_context io(1);
  asio::co_spawn(io, talk(url, proxy ? &*proxy : nullptr, request, patience, parser, piece),
                 [&](std::exception_ptr e) { failed = std::move(e); });
  while (!io.stopped()) {
    io.run_for(std::chrono::milliseconds(100));
    interrupt::check();
  }
  if (!failed) return;
  try {
    std::rethrow_exception(failed);
  } catch (const boost::system::system_error& e) {
    // An answer without a length ends when the server closes the connection.
    if (parser.is_done()) return;
    const std::string where =
        fmt::format("{}:{}{}", url.host, url.port,
                    proxy ? fmt::format(" by the proxy {}:{}", proxy->host, proxy->port) : "");
    // Not retried, because the answer would be as large again.
    if (e.code() == http::error::body_limit)
      throw Error(fmt::format("{}: the answer has more than {} MiB", where, most >> 20),
                  "is this an opgrade service? If so, tell the course's staff");
    if (e.code().category() == asio::error::get_ssl_category())
      throw UsageError(fmt::format("{}: the TLS certificate is refused: {}", where, e.what()),
                       "check the address; SSL_CERT_FILE names a course's own authority");
    const std::string why = fmt::format("{}: {}", where, e.code().message());
    if (tells_of_no_service(e.code())) throw NotReached(why, kCheckAddress);
    throw ConnectionLost(why, "check the address and the network");
  }
}

std::string variable(const char* name, const char* other) {
  for (const char* const one : {name, other})
    if (const char* const value = std::getenv(one); value != nullptr && *value != 0) return value;
  return "";
}

/// True if the list, such as "example.edu,.local,10.0.0.1", contains the host or its domain.
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

Url parse_url(const std::string& text) {
  static const std::regex form(
      "http(s?)://(\\[[^/@ \r\n]*\\]|[^/@: \r\n]+)(:([0-9]+))?(/[^@ \r\n]*[^/@ \r\n])?/*");
  std::smatch part;
  constexpr std::size_t kLongest = 1000;  // the library recurses for each character
  if (text.size() > kLongest || !std::regex_match(text, part, form))
    throw UsageError(fmt::format("{} is not an address of a service", text),
                     "write https://HOST, or http://HOST:PORT on a machine of your own");
  const bool tls = part.length(1) > 0;
  return {tls, part[2], part[4].matched ? part[4].str() : tls ? "443" : "80", part[5]};
}

std::optional<Proxy> proxy_for(const Url& url) {
  for (const char* const here : {"localhost", "127.0.0.1", "::1"})
    if (url.host == here) return std::nullopt;
  // HTTP_PROXY in capitals is not read, because a CGI request can set it by a header.
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

HttpClient::HttpClient(Url url, std::string token, std::chrono::seconds patience)
    : url_(std::move(url)), token_(std::move(token)), patience_(patience) {}

Answer HttpClient::request(const std::string& method, const std::string& target,
                           const std::map<std::string, std::string>& headers,
                           const std::string& body) const {
  Parser parser;
  run(url_, message(url_, token_, method, target, headers, body), patience_, parser, {});
  Answer answer;
  answer.status = static_cast<int>(parser.get().result_int());
  for (const auto& field : parser.get()) {
    answer.headers[lowercase({field.name_string().data(), field.name_string().size()})] =
        std::string(field.value());
  }
  answer.body = std::move(parser.get().body());
  return answer;
}

int HttpClient::stream(const std::string& target, const std::map<std::string, std::string>& headers,
                       const std::function<bool(std::string_view)>& take, std::string& refusal,
                       std::uint64_t most) const {
  Parser parser;
  const Piece piece = [&](Parser& now) {
    std::string& body = now.get().body();
    if (now.get().result_int() != 200) return true;
    std::string text;
    text.swap(body);
    return text.empty() || take(text);
  };
  run(url_, message(url_, token_, "GET", target, headers, ""), patience_, parser, piece, most);
  const int status = static_cast<int>(parser.get().result_int());
  if (status != 200) refusal = parser.get().body();
  return status;
}

}  // namespace opgrade::client
