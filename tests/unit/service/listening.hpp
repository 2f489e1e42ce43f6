/// A service behind a real socket, for tests of what only bytes can show.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "grader/base/core/fd.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service::test {

/// A real server on a free port of this machine.
class Listening {
 public:
  Listening() : Listening(Handler{}) {}
  /// Another handler than the service's; other limits than those of an impatient server.
  explicit Listening(Handler handler, ServerOptions options = impatient())
      : server_(std::move(options), handler.answer ? std::move(handler) : sample.handler),
        thread_([this] { server_.run(); }) {}
  static ServerOptions impatient() {
    return {.head_time = std::chrono::seconds(1),
            .idle_time = std::chrono::seconds(1),
            .body_time = std::chrono::seconds(1)};
  }
  ~Listening() { server_.stop(); }

  /// A connection that has sent `bytes`; without a descriptor where there is no server.
  /// It takes in no more than `receives` bytes that were not read, some thousand more or less.
  Fd begin(const std::string& bytes, int receives = 0) const {
    Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (receives > 0) ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &receives, sizeof receives);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(server_.port());
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) return {};
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = ::send(fd.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    return fd;
  }

  /// The bytes that come back until the server closes.
  std::string talk(const std::string& bytes, bool close_after = true) const {
    const Fd fd = begin(bytes);
    if (!fd) return "no server";
    if (close_after) ::shutdown(fd.get(), SHUT_WR);
    std::string answer;
    char buffer[4096];
    for (ssize_t n; (n = ::recv(fd.get(), buffer, sizeof buffer, 0)) > 0;)
      answer.append(buffer, static_cast<std::size_t>(n));
    return answer;
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

  test::SampleService sample;

 private:
  HttpServer server_;
  std::jthread thread_;
};

}  // namespace opgrade::service::test
