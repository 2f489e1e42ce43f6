#include "grader/platform/harness/program_starter.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "grader/platform/harness/program_end.hpp"
#include "grader/platform/harness/program_process.hpp"

namespace opgrade::harness {

using namespace protocol;

namespace {

/// The last packet of the emulated device's findings.
constexpr std::string_view kAllFindings = R"({"complete":true})";

Reply* map_shared_reply() {
  void* const shared =
      ::mmap(nullptr, sizeof(Reply), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) ::_exit(0);
  return static_cast<Reply*>(shared);
}

/// Waits for the next request, then ends the process. If the program ends first, without an output,
/// ends this process in the same way.
void await(pid_t process) {
  const int end_of_process = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  std::array<pollfd, 2> both{pollfd{kControlFd, POLLIN, 0}, pollfd{end_of_process, POLLIN, 0}};
  while (::poll(both.data(), both.size(), -1) < 0 && errno == EINTR) {
  }
  ::close(end_of_process);
  const bool ended = both[1].revents != 0;
  if (!ended) ::kill(process, SIGKILL);
  int end = 0;
  while (::waitpid(process, &end, 0) < 0 && errno == EINTR) {
  }
  if (!ended) return;
  if (WIFSIGNALED(end)) end_by(WTERMSIG(end));
  ::_exit(WEXITSTATUS(end));
}

}  // namespace

ProgramStarter::ProgramStarter(const char* path, CallPage* page)
    : path_(path), page_(page), recorded_(map_shared_reply()) {
  files_.fill(-1);
}

void ProgramStarter::serve() {
  for (;;) {
    Request request;
    Files files;
    if (!receive(request, files) || request.kind == Kind::finish) return;
    Reply reply{.kind = request.kind};
    switch (request.kind) {
      case Kind::map:
        tensors_ = request;
        close_all(files_);
        std::swap(files_, files);
        break;
      case Kind::arm:
        run(request);
        continue;
      case Kind::share:
        reply.status = Status::not_shared;
        break;
      case Kind::case_over:
        close_all(files_);
        break;
      case Kind::findings:
        // Each program's process has sent its own findings.
        ::send(kFindingsFd, kAllFindings.data(), kAllFindings.size(), MSG_NOSIGNAL);
        break;
      case Kind::profile_begin:
        begin_profile();
        break;
      case Kind::profile_end:
        end_profile(files[0], reply);
        break;
      default:
        fail(reply, Status::bad_request, "unknown request");
        break;
    }
    close_all(files);
    send(reply);
  }
}

/// The program's process answers the request; this process takes no part in the rest of the call.
void ProgramStarter::run(const Request& arm) {
  ProgramRun run{path_, tensors_, files_, arm, record_, layers_++, *recorded_};
  const pid_t process = ::fork();
  if (process == 0) ProgramProcess(page_, run).run();
  if (process < 0) {
    Reply reply{.kind = Kind::arm};
    fail(reply, Status::threw, std::strerror(errno));
    return send(reply);
  }
  await(process);
}

void ProgramStarter::begin_profile() {
  record_ = ::memfd_create("record", MFD_CLOEXEC);
  layers_ = 0;
  *recorded_ = {};
}

void ProgramStarter::end_profile(int file, Reply& reply) {
  if (record_ < 0) return fail(reply, Status::no_profile, "no memory for the record");
  if (recorded_->status != Status::ok) fail(reply, recorded_->status, recorded_->text);
  std::array<char, 1 << 16> part;
  off_t at = 0;
  for (ssize_t n; (n = ::pread(record_, part.data(), part.size(), at)) > 0; at += n)
    if (::write(file, part.data(), static_cast<std::size_t>(n)) != n) break;
  ::close(std::exchange(record_, -1));
}

}  // namespace opgrade::harness
