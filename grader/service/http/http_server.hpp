/// An HTTP/1.1 server over TCP. Only http_server.cpp includes Boost.Beast.
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
  int threads = 4;         ///< threads for answers, which wait for the disk; requests that change
                           ///< something have as many more
  std::chrono::seconds head_time{10};  ///< limit from the first byte to the end of the headers
  std::chrono::seconds idle_time{60};  ///< limit between two requests of a connection
  /// Time for each 64 KiB of a body, in either direction. It limits slow clients, not large bodies.
  std::chrono::seconds body_time{60};
  /// Limit for a whole request body, so that a trickle ends.
  std::chrono::seconds upload_time{600};
  // If there are more connections than these limits, the longest idle one is closed.
  int connections = 2000;
  /// Connections of one address whose last request had no valid token.
  int connections_of_address = 200;
  /// Connections that are sending answers to one person, which takes long for a slow client.
  /// Further requests of the person are refused. Live logs and uploads have limits of their own.
  int connections_of_person = 30;
  std::string proxy;  ///< a reverse proxy's address: its X-Forwarded-For names the client
};

struct Handler {
  /// Called before the body is read. Returns how many bytes the body may have, or the answer that
  /// refuses the request.
  std::function<std::variant<std::size_t, Response>(Request&)> before_body;
  std::function<Response(const Request&)> answer;
};

class HttpServer {
 public:
  /// Begins to listen. Throws Error if the address cannot be used.
  HttpServer(ServerOptions options, Handler handler);
  ~HttpServer();

  std::uint16_t port() const;
  void run();   ///< serves until stop()
  void stop();  ///< may be called from any thread

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opgrade::service
