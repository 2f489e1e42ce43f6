#include "grader/platform/harness/channel.hpp"

#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <utility>

namespace opgrade::harness {

using namespace protocol;

void close_all(Files& files) {
  for (int& file : files)
    if (file >= 0) ::close(std::exchange(file, -1));
}

void fail(Reply& reply, Status status, const char* text) {
  reply.status = status;
  std::snprintf(reply.text, sizeof reply.text, "%s", text);
}

void send(const Reply& reply) {
  if (::send(kControlFd, &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply) ::_exit(0);
}

bool receive(Request& request, Files& files) {
  iovec data{&request, sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  files.fill(-1);
  if (::recvmsg(kControlFd, &message, MSG_CMSG_CLOEXEC) != sizeof request ||
      request.magic != kMagic)
    return false;
  if (const cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr &&
                                                       header->cmsg_type == SCM_RIGHTS &&
                                                       header->cmsg_len <= CMSG_LEN(sizeof files)) {
    std::memcpy(files.data(), CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
  }
  return true;
}

void publish(std::atomic<std::uint32_t>& word, std::uint32_t sequence) {
  word.store(sequence, std::memory_order_release);
  ::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace opgrade::harness
