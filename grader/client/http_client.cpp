#include "grader/client/http_client.hpp"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <exception>

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
constexpr std::uint64_t kMaxBody = 64 << 20;

/// Called with the parser after each piece; false ends the reading.
using Piece = std::function<bool(Parser&)>;

template <class Stream>
asio::awaitable<void> exchange(Stream& stream, beast::tcp_stream& bottom, const Request& request,
                               std::chrono::seconds patience, Parser& parser, const Piece& piece) {
  bottom.expires_after(patience);
  co_await http::async_write(stream, request, use_awaitable);
  beast::flat_buffer buffer;
  parser.body_limit(kMaxBody);
  co_await http::async_read_header(stream, buffer, parser, use_awaitable);
  while (!parser.is_done()) {
    bottom.expires_after(piece ? kSilence : patience);
    co_await http::async_read_some(stream, buffer, parser, use_awaitable);
    if (piece && !piece(parser)) co_return;
  }
}

asio::awaitable<void> talk(const Url& url, const Request& request, std::chrono::seconds patience,
                           Parser& parser, const Piece& piece) {
  const auto executor = co_await asio::this_coro::executor;
  tcp::resolver resolver(executor);
  const auto places = co_await resolver.async_resolve(url.host, url.port, use_awaitable);
  beast::tcp_stream plain(executor);
  plain.expires_after(patience);
  co_await plain.async_connect(places, use_awaitable);
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
    throw UsageError(fmt::format("{} is no host name", url.host), "correct the address");
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

void run(const Url& url, const Request& request, std::chrono::seconds patience, Parser& parser,
         const Piece& piece) {
  asio::io_context io(1);
  std::exception_ptr failed;
  asio::co_spawn(io, talk(url, request, patience, parser, piece),
                 [&](std::exception_ptr e) { failed = std::move(e); });
  io.run();
  if (!failed) return;
  try {
    std::rethrow_exception(failed);
  } catch (const boost::system::system_error& e) {
    // A server that closes at the end of an answer without a length ended it.
    if (parser.is_done()) return;
    const std::string where = fmt::format("{}:{}", url.host, url.port);
    if (e.code().category() == asio::error::get_ssl_category())
      throw UsageError(fmt::format("{}: the TLS certificate is refused: {}", where, e.what()),
                       "check the address; SSL_CERT_FILE names a course's own authority");
    throw ConnectionLost(fmt::format("{}: {}", where, e.code().message()),
                         "check the address and the network");
  }
}

}  // namespace

Url parse_url(const std::string& text) {
  Url url;
  std::string left = text;
  if (left.starts_with("https://")) {
    url.tls = true;
    left.erase(0, 8);
  } else if (left.starts_with("http://")) {
    left.erase(0, 7);
  } else {
    throw UsageError(fmt::format("{} is no address of a service", text),
                     "write https://HOST, or http://HOST:PORT on a machine of your own");
  }
  const auto slash = left.find('/');
  if (slash != std::string::npos) url.path = left.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();
  url.host = left.substr(0, slash);
  url.port = url.tls ? "443" : "80";
  if (const auto colon = url.host.rfind(':'); colon != std::string::npos) {
    url.port = url.host.substr(colon + 1);
    url.host.resize(colon);
  }
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (url.host.empty() || url.port.empty() || !std::ranges::all_of(url.port, is_digit) ||
      text.find_first_of(" \r\n@") != std::string::npos)
    throw UsageError(fmt::format("{} is no address of a service", text), "correct it");
  return url;
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
    std::string name(field.name_string());
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    answer.headers[name] = std::string(field.value());
  }
  answer.body = std::move(parser.get().body());
  return answer;
}

int HttpClient::stream(const std::string& target, const std::map<std::string, std::string>& headers,
                       const std::function<bool(std::string_view)>& take,
                       std::string& refusal) const {
  Parser parser;
  const Piece piece = [&](Parser& now) {
    std::string& body = now.get().body();
    if (now.get().result_int() != 200) return true;
    std::string text;
    text.swap(body);
    return text.empty() || take(text);
  };
  run(url_, message(url_, token_, "GET", target, headers, ""), patience_, parser, piece);
  const int status = static_cast<int>(parser.get().result_int());
  if (status != 200) refusal = parser.get().body();
  return status;
}

}  // namespace opgrade::client
