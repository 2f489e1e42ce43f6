#include "grader/emulation/driver/child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "grader/base/core/error.hpp"

namespace opgrade::emulation {

pid_t start_child(const std::vector<std::string>& command, int output, int errors) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw Error("cannot start " + command[0] + ": " + std::strerror(error),
                "install g++, or name another compiler with --compiler");
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      throw Error(std::string("cannot wait for a child: ") + std::strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

Fd open_to_write(const std::filesystem::path& file) {
  Fd opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!opened) throw Error("cannot write " + file.string() + ": " + std::strerror(errno));
  return opened;
}

}  // namespace opgrade::emulation
