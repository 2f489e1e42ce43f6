#include "grader/process/early_prompt.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace opgrade {
namespace {

/// Exit code of a process that does `work` behind begin(); negative: the signal that ended it.
int code_of(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    early_prompt::begin();
    work();
    ::_exit(9);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(EarlyPrompt, ComesWithTheCodeWhileTheRestGoesOn) {
  int hold[2], done[2];
  ASSERT_EQ(::pipe(hold) + ::pipe(done), 0);
  const int code = code_of([&] {
    ::close(hold[1]);
    early_prompt::release(3);
    char c = 0;
    (void)!::read(hold[0], &c, 1);  // until the test has the code
    (void)!::write(done[1], "d", 1);
  });
  EXPECT_EQ(code, 3);
  ::close(hold[1]);
  char c = 0;
  EXPECT_EQ(::read(done[0], &c, 1), 1);
}

TEST(EarlyPrompt, WithoutAReportTheEndIsTheChilds) {
  EXPECT_EQ(code_of([] { ::_exit(5); }), 5);
  EXPECT_EQ(code_of([] { ::raise(SIGKILL); }), -SIGKILL);
}

}  // namespace
}  // namespace opgrade
