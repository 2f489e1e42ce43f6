#include "grader/base/core/fd.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <type_traits>

namespace opgrade {
namespace {

static_assert(!std::is_copy_constructible_v<Fd> && !std::is_copy_assignable_v<Fd>);

Fd open_null() { return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }
bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(Fd, ClosesWithItsOwner) {
  int number = -1;
  {
    const Fd fd = open_null();
    number = fd.get();
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Fd, MovedFromOwnsNothing) {
  Fd first = open_null();
  const int number = first.get();
  const Fd second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(second.get(), number);
  EXPECT_TRUE(is_open(number));
}

TEST(Fd, AssignmentClosesTheOldOne) {
  Fd fd = open_null();
  const int old = fd.get();
  fd = Fd(::fcntl(old, F_DUPFD_CLOEXEC, 500));
  EXPECT_FALSE(is_open(old));
  EXPECT_GE(fd.get(), 500);
  fd.reset();
  EXPECT_FALSE(fd);
}

}  // namespace
}  // namespace opgrade
