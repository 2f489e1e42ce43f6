/// A port of this machine that counts who calls.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "grader/base/core/fd.hpp"

namespace opgrade::test {

class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_.get(), any, size) != 0 || ::listen(socket_.get(), 16) != 0 ||
        ::getsockname(socket_.get(), any, &size) != 0)
      throw std::runtime_error("no port to listen at");
    port_ = ntohs(address.sin_port);
  }

  int port() const { return port_; }
  std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/" + path;
  }

  /// A connection that the kernel has completed waits here, even if its caller has ended.
  bool was_called() const {
    const Fd caller(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    return static_cast<bool>(caller);
  }

 private:
  Fd socket_;
  int port_ = 0;
};

}  // namespace opgrade::test
