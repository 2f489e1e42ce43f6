#include "grader/platform/gpu/foreign_processes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace opgrade {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A child that waits until the test is over.
class Child {
 public:
  Child() : pid_(::fork()) {
    if (pid_ == 0) {
      ::pause();
      ::_exit(0);
    }
  }
  ~Child() { ::kill(pid_, SIGKILL); }
  int pid() const { return pid_; }

 private:
  int pid_;
};

TEST(ForeignProcesses, AreThoseOfOthers) {
  EXPECT_THAT(foreign_processes({::getpid(), ::getppid()}),
              ElementsAre(testing::HasSubstr(", process " + std::to_string(::getppid()) + " of ")));
}

TEST(ForeignProcesses, AreNotThoseOfTheGraderOrGone) {
  const Child child;
  constexpr int kNone = 1 << 30;
  EXPECT_THAT(foreign_processes({::getpid(), child.pid(), kNone}), IsEmpty());
}

TEST(ForeignProcesses, AreUnknownWhereTheListIsOfAnotherNamespace) {
  EXPECT_THAT(foreign_processes({::getppid()}), IsEmpty());
}

}  // namespace
}  // namespace opgrade
