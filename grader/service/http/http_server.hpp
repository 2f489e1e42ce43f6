/// HTTP/1.1 over TCP; the only header for http_server.cpp, where Boost.Beast is.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "grader/service/http/http_message.hpp"

namespace opgrade::service {

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: any free one
  int threads = 4;  ///< for answers, which wait for the disk; and as many for those that change
  std::chrono::seconds head_time{10};  ///< from the first byte to the end of the headers
  std::chrono::seconds idle_time{60};  ///< between two requests of a connection
  /// For each 64 KiB of a body, in either direction: the limit of who is slow, not of who is large.
  std::chrono::seconds body_time{60};
  std::chrono::seconds upload_time{600};  ///< for all of a request's body: a trickle ends
  // Beyond these the one that is idle longest is closed.
  int connections = 2000;
  int connections_of_address = 200;  ///< whose last request had no right token
  /// That send this person an answer, of which a slow client takes long; a request above it is
  /// refused. Live logs and uploads have limits of their own.
  int connections_of_person = 30;
  std::string proxy;  ///< a reverse proxy's address: its X-Forwarded-For names the client
};

struct Handler {
  /// Asked before the body is read, with the body still empty: how many bytes it may have, or the
  /// answer that refuses it.
  std::function<std::variant<std::size_t, Response>(Request&)> before_body;
  std::function<Response(const Request&)> answer;
};

class HttpServer {
 public:
  /// Listens. Throws Error for an address that cannot be had.
  HttpServer(ServerOptions options, Handler handler);
  ~HttpServer();

  std::uint16_t port() const;
  void run();   ///< until stop()
  void stop();  ///< from any thread

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opgrade::service
