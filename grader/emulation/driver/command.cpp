#include "grader/emulation/driver/command.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "grader/core/error.hpp"

extern char** environ;

namespace opgrade::emulation {

namespace {

/// Passes on what comes, and keeps the start of it.
void relay(int from, std::string& messages, bool passes_on) {
  constexpr std::size_t kKept = 1 << 18;
  std::array<char, 1 << 12> part;
  for (;;) {
    const ssize_t n = ::read(from, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    const auto bytes = static_cast<std::size_t>(n);
    messages.append(part.data(), std::min(bytes, kKept - std::min(kKept, messages.size())));
    if (passes_on) std::fwrite(part.data(), 1, bytes, stderr);
  }
  ::close(from);
}

}  // namespace

int run_command(const std::vector<std::string>& arguments, const std::string& output_file,
                std::string* messages, bool passes_on) {
  std::vector<char*> argv;
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!output_file.empty())
    posix_spawn_file_actions_addopen(&actions, 1, output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  int ends[2] = {-1, -1};
  if (messages != nullptr) {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("pipe: ") + std::strerror(errno));
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  }
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (messages != nullptr) {
    ::close(ends[1]);
    relay(ends[0], *messages, passes_on);
  }
  if (error != 0)
    throw Error("cannot start " + arguments[0] + ": " + std::strerror(error),
                "install g++, or name another compiler with --compiler");
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR)
      throw Error("cannot wait for " + arguments[0] + ": " + std::strerror(errno));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace opgrade::emulation
