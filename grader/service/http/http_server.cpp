#include "grader/service/http/http_server.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <list>

#include "grader/base/core/error.hpp"
#include "grader/base/core/percent.hpp"
#include "grader/base/core/text_parts.hpp"

namespace opgrade::service {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::use_awaitable;
using asio::ip::tcp;
using Parser = http::request_parser<http::string_body>;

constexpr std::uint32_t kHeaderBytes = 16 * 1024;
constexpr std::size_t kProgress = 64 * 1024;  // bytes of a body within ServerOptions::body_time
constexpr auto kNewsEvery = std::chrono::milliseconds(200);
constexpr auto kAliveEvery = std::chrono::seconds(15);  // proxies close silent connections

Response plain(int status, const std::string& text) {
  return {status, "text/plain; charset=utf-8", text + "\n"};
}

/// nullopt for a request that two servers might read differently, or that this server does not
/// accept.
std::optional<Request> request_of(const http::request<http::string_body>& message) {
  Request request;
  request.method = std::string(message.method_string());
  const std::string_view target(message.target().data(), message.target().size());
  if (!target.starts_with('/') || target.size() > 2000) return std::nullopt;
  const auto question = target.find('?');
  request.path = decode_percent(target.substr(0, question), false);
  if (question != std::string_view::npos) request.query = read_form(target.substr(question + 1));
  for (const auto& field : message) {
    const auto given = field.name_string();
    const std::string name = lowercase({given.data(), given.size()});
    const auto [known, is_new] = request.headers.emplace(name, std::string(field.value()));
    const bool once = name == "host" || name == "content-length" || name == "transfer-encoding" ||
                      name == "authorization" || name == "cookie" || name == "origin";
    if (!is_new && once) return std::nullopt;
    // Values are joined to one list, because a proxy may add its own header after the client's.
    if (!is_new) known->second += ", " + std::string(field.value());
  }
  if (message.version() == 11 && !request.headers.contains("host")) return std::nullopt;
  // RFC 9112 allows "5, 5" as one number. Two such lines are refused above, and so are lists.
  if (const auto length = request.headers.find("content-length");
      length != request.headers.end() &&
      length->second.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  // Beast assumes that there is no body if it does not know the coding. A proxy might assume
  // something else.
  if (const auto coding = request.headers.find("transfer-encoding");
      coding != request.headers.end() &&
      (!beast::iequals(coding->second, "chunked") || request.headers.contains("content-length")))
    return std::nullopt;
  return request;
}

/// The head of a response, without its body.
template <class Body>
http::response<Body> head_of(const Response& response, bool keep_alive) {
  http::response<Body> message;
  message.version(11);
  message.result(static_cast<unsigned>(response.status));
  message.set(http::field::content_type, response.type);
  message.set("X-Content-Type-Options", "nosniff");
  message.set("Referrer-Policy", "no-referrer");
  message.set("X-Frame-Options", "DENY");
  message.set(http::field::cache_control, "no-store");
  for (const auto& [name, value] : response.headers) {
    // A line break in a value would let its author add a header.
    if (value.find_first_of("\r\n") == std::string::npos) message.set(name, value);
  }
  message.keep_alive(keep_alive);
  return message;
}

/// Moves the body out of the response, because it may have megabytes.
http::response<http::string_body> message_of(Response& response, bool keep_alive) {
  auto message = head_of<http::string_body>(response, keep_alive);
  message.body() = std::move(response.body);
  message.prepare_payload();
  return message;
}

/// Opens the response's file. nullopt if the file is gone.
std::optional<http::response<http::file_body>> file_message_of(const Response& response,
                                                               bool keep_alive) {
  auto message = head_of<http::file_body>(response, keep_alive);
  boost::system::error_code gone;
  message.body().open(response.file.c_str(), beast::file_mode::scan, gone);
  if (gone) return std::nullopt;
  message.prepare_payload();
  return message;
}

/// What is known of a client's connection when another one needs its place.
struct Connection {
  std::string address;
  beast::tcp_stream* socket;
  std::string person{};  ///< owner of the valid token of its last request
  bool idle = true;      ///< no request's headers are complete
  bool sending = false;  ///< it sends an answer, which a slow client may not have received
  bool closed = false;   ///< closed in favour of another connection
};

/// Takes the client's address from the proxy's header. Only the last entry is the proxy's own; the
/// client can write the others.
void name_client(Request& request) {
  request.from_proxy = true;
  const std::string told = request.header("x-forwarded-for");
  const std::string last = told.substr(told.rfind(',') + 1);
  if (const auto begin = last.find_first_not_of(' '); begin != std::string::npos)
    request.address = last.substr(begin);
}

/// True while the client has not received all that was sent. On a busy machine an answer can be on
/// its way for long.
bool has_unsent(int socket) {
  int bytes = 0;
  return ::ioctl(socket, TIOCOUTQ, &bytes) == 0 && bytes > 0;
}

/// True if the client closed the connection. Otherwise a client that left would keep its place
/// until the next write.
bool has_left(int socket) {
  char byte = 0;
  return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

}  // namespace

struct HttpServer::State {
  State(ServerOptions o, Handler h)
      : options(std::move(o)),
        handler(std::move(h)),
        pool(static_cast<std::size_t>(options.threads)),
        changing(static_cast<std::size_t>(options.threads)) {}

  ServerOptions options;
  Handler handler;
  // Declared before `io`, because connections that `io` destroys remove themselves from this list.
  // The most recently used one is at the end.
  std::list<Connection> connections;
  asio::io_context io{1};
  /// Separate, so that pages are shown while changes wait for each other.
  asio::thread_pool pool, changing;
  tcp::acceptor acceptor{io};

  /// Runs `*work` on a pool. `work` is a pointer, because GCC 12 destroys some temporaries of an
  /// expression with co_await twice, so none of them may own anything.
  template <class R>
  asio::awaitable<R> on(asio::thread_pool& threads, const std::function<R()>* work) {
    co_return co_await asio::co_spawn(
        threads, [work]() -> asio::awaitable<R> { co_return (*work)(); }, use_awaitable);
  }

  asio::awaitable<bool> send(beast::tcp_stream& stream, Response& response, bool keep_alive,
                             bool head_alone) {
    if (!response.file.empty()) {
      auto file = file_message_of(response, keep_alive);
      if (file) {
        co_await send_message(stream, *file, head_alone);
        co_return keep_alive;
      }
      response = plain(404, "the file is not there any more");
    }
    auto message = message_of(response, keep_alive);
    if (response.stream) message.erase(http::field::content_length);  // an event stream has none
    co_await send_message(stream, message, head_alone);
    co_return keep_alive;
  }

  template <class Body>
  asio::awaitable<void> send_message(beast::tcp_stream& stream, http::response<Body>& message,
                                     bool head_alone) {
    http::response_serializer<Body> serializer(message);
    serializer.split(head_alone);
    stream.expires_after(options.body_time);
    std::size_t moved = 0;
    while (head_alone ? !serializer.is_header_done() : !serializer.is_done()) {
      moved += co_await http::async_write_some(stream, serializer, use_awaitable);
      if (moved < kProgress) continue;
      moved = 0;
      stream.expires_after(options.body_time);
    }
  }

  /// Closes another connection if there are too many. First it closes connections without a valid
  /// token, whose number for each address is limited, then those between two requests. Returns
  /// false if none can be closed.
  bool make_place(const Connection& newcomer) {
    const auto strangers_here = [&](const Connection& c) {
      return !c.closed && c.person.empty() && c.address == newcomer.address;
    };
    const auto open = std::ranges::count(connections, false, &Connection::closed);
    const bool crowded_here =
        newcomer.address != options.proxy &&
        std::ranges::count_if(connections, strangers_here) > options.connections_of_address;
    if (!crowded_here && open <= options.connections) return true;
    const auto close_first = [&](const auto& may) {
      const auto found = std::ranges::find_if(
          connections, [&](const Connection& c) { return &c != &newcomer && !c.closed && may(c); });
      if (found == connections.end()) return false;
      found->closed = true;
      found->socket->close();
      return true;
    };
    if (crowded_here) return close_first(strangers_here);
    return close_first([](const Connection& c) { return c.person.empty(); }) ||
           close_first([](const Connection& c) { return c.idle; });
  }

  /// True if as many slow answers are on their way to one person as are allowed.
  bool is_greedy(const Connection& one) const {
    const auto of_person = [&](const Connection& c) {
      return c.person == one.person && c.sending && !c.closed &&
             has_unsent(c.socket->socket().native_handle());
    };
    return !one.person.empty() &&
           std::ranges::count_if(connections, of_person) >= options.connections_of_person;
  }

  asio::awaitable<void> send_events(beast::tcp_stream& stream, const Response& response) {
    const std::string head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Accel-Buffering: no\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";
    stream.expires_after(options.body_time);
    co_await asio::async_write(stream, asio::buffer(head), use_awaitable);
    asio::steady_timer timer(io);
    auto said = std::chrono::steady_clock::now();
    for (bool first = true;; first = false) {
      std::string text;
      if (first || response.stream->has_news()) {
        const std::optional<std::string> news = co_await on(pool, &response.stream->next);
        if (!news) break;
        text = *news;
      }
      const auto now = std::chrono::steady_clock::now();
      if (text.empty() && now - said > kAliveEvery) text = ": alive\n\n";
      if (!text.empty()) {
        said = now;
        stream.expires_after(options.body_time);
        co_await asio::async_write(stream, asio::buffer(text), use_awaitable);
      }
      timer.expires_after(kNewsEvery);
      co_await timer.async_wait(use_awaitable);
      if (has_left(stream.socket().native_handle())) break;
    }
  }

  asio::awaitable<bool> serve_one(beast::tcp_stream& stream, beast::flat_buffer& buffer,
                                  std::list<Connection>::iterator connection) {
    const std::string& address = connection->address;
    connection->idle = true;
    connection->sending = false;
    auto parser = std::make_unique<Parser>();
    parser->header_limit(kHeaderBytes);
    parser->body_limit(boost::none);  // set when the headers are known
    boost::system::error_code error;
    if (buffer.size() == 0) {
      stream.expires_after(options.idle_time);
      const auto space = buffer.prepare(1024);
      const std::size_t read =
          co_await stream.async_read_some(space, asio::redirect_error(use_awaitable, error));
      if (error) co_return false;
      buffer.commit(read);
    }
    stream.expires_after(options.head_time);
    co_await http::async_read_header(stream, buffer, *parser,
                                     asio::redirect_error(use_awaitable, error));
    if (error == beast::error::timeout || error == http::error::end_of_stream) co_return false;
    connection->idle = false;
    connections.splice(connections.end(), connections, connection);
    const bool head_alone = parser->get().method() == http::verb::head;  // answers without a body
    std::optional<Response> refusal;
    std::optional<Request> request;
    if (error) {
      refusal = plain(400, "this is no HTTP/1.1 request: " + error.message());
    } else {
      request = request_of(parser->get());
      if (!request) refusal = plain(400, "the request is ambiguous");
    }
    if (refusal) co_return co_await send(stream, *refusal, false, head_alone);
    if (head_alone) request->method = "GET";
    request->address = address;
    if (!options.proxy.empty() && address == options.proxy) name_client(*request);

    using Decision = std::variant<std::size_t, Response>;
    const std::function<Decision()> decide = [&] { return handler.before_body(*request); };
    Decision decided = co_await on(pool, &decide);
    connection->person = request->person;
    std::size_t limit = 0;
    if (auto* const refused = std::get_if<Response>(&decided))
      refusal = std::move(*refused);
    else if (is_greedy(*connection))
      refusal = {429,
                 "text/plain; charset=utf-8",
                 "too many answers to you are on their way; wait until one has ended\n",
                 {{"Retry-After", "5"}}};
    else
      limit = std::get<std::size_t>(decided);
    const auto length = parser->content_length();
    if (!refusal && length && *length > limit)
      refusal =
          plain(413, fmt::format("the body has {} bytes; at most {} are taken", *length, limit));
    if (refusal) co_return co_await send(stream, *refusal, false, head_alone);
    parser->body_limit(limit);
    if (beast::iequals(parser->get()[http::field::expect], "100-continue")) {
      const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
      co_await asio::async_write(stream, asio::buffer(go_on), use_awaitable);
    }
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + options.upload_time;
    std::size_t moved = kProgress;
    while (!parser->is_done() && !error) {
      if (moved >= kProgress) {
        moved = 0;
        stream.expires_at(std::min(Clock::now() + options.body_time, end));
      }
      moved += co_await http::async_read_some(stream, buffer, *parser,
                                              asio::redirect_error(use_awaitable, error));
    }
    if (error == beast::error::timeout) co_return false;
    if (error == http::error::body_limit)
      refusal = plain(413, fmt::format("at most {} bytes are taken", limit));
    else if (error)
      refusal = plain(400, "the body cannot be read");
    if (refusal) co_return co_await send(stream, *refusal, false, head_alone);
    const bool keep_alive = parser->get().keep_alive();
    request->body = std::move(parser->get().body());
    parser.reset();

    const std::function<Response()> answer = [&] { return handler.answer(*request); };
    Response response = co_await on(request->changes ? changing : pool, &answer);
    request.reset();  // releases memory, because a stream may last for hours
    connection->sending = !head_alone && !response.stream;
    if (head_alone || !response.stream)
      co_return co_await send(stream, response, keep_alive, head_alone);
    buffer.shrink_to_fit();
    co_await send_events(stream, response);
    co_return false;
  }

  asio::awaitable<void> serve(tcp::socket socket, std::string address) {
    // Unsent bytes wait in this program, where their progress is visible, and not in the kernel's
    // buffer.
    const int unsent = kProgress;
    ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
    beast::tcp_stream stream(std::move(socket));
    beast::flat_buffer buffer(kHeaderBytes + 64 * 1024);
    struct Listed {
      std::list<Connection>& all;
      std::list<Connection>::iterator own;
      ~Listed() { all.erase(own); }
    } listed{connections, connections.insert(connections.end(), {std::move(address), &stream})};
    try {
      if (make_place(*listed.own)) {
        while (co_await serve_one(stream, buffer, listed.own)) {
        }
      } else {
        Response refusal = plain(429, "too many connections; wait some seconds");
        co_await send(stream, refusal, false, false);
      }
      boost::system::error_code ignored;
      stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
    } catch (const boost::system::system_error&) {
      // The client left.
    }
  }

  asio::awaitable<void> accept() {
    for (;;) {
      boost::system::error_code error;
      tcp::socket socket(io);
      co_await acceptor.async_accept(socket, asio::redirect_error(use_awaitable, error));
      if (!acceptor.is_open()) co_return;
      if (error) {
        // No file descriptor is free. Connections that end will release some.
        asio::steady_timer timer(io, std::chrono::milliseconds(100));
        co_await timer.async_wait(use_awaitable);
        continue;
      }
      const auto peer = socket.remote_endpoint(error);
      if (error) continue;
      asio::co_spawn(io, serve(std::move(socket), peer.address().to_string()), asio::detached);
    }
  }
};

HttpServer::HttpServer(ServerOptions options, Handler handler)
    : state_(std::make_unique<State>(std::move(options), std::move(handler))) {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(state_->options.address, error);
  const tcp::endpoint endpoint(address, state_->options.port);
  auto& acceptor = state_->acceptor;
  if (!error) acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(512, error);
  if (error)
    throw UsageError(fmt::format("cannot listen on {}:{}: {}", state_->options.address,
                                 state_->options.port, error.message()),
                     "name a free port of this machine with --listen ADDRESS:PORT");
}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const { return state_->acceptor.local_endpoint().port(); }

void HttpServer::run() {
  asio::co_spawn(state_->io, state_->accept(), asio::detached);
  state_->io.run();
  state_->pool.join();
  state_->changing.join();
}

void HttpServer::stop() {
  asio::post(state_->io, [this] {
    boost::system::error_code ignored;
    state_->acceptor.close(ignored);
    state_->io.stop();
  });
}

}  // namespace opgrade::service
