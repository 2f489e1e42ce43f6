#include "grader/grading/build/compiler_end.hpp"

#include <gtest/gtest.h>

namespace opgrade {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kByTime =
    "g++: internal compiler error: CPU time limit exceeded signal terminated program cc1plus";
constexpr const char* kBySize =
    "g++: internal compiler error: File size limit exceeded signal terminated program as";

/// The kind of limit, or "none".
std::string kind_of(int code, milliseconds used, const char* messages,
                    Device device = Device::emulated) {
  SandboxReport run;
  run.process.end = Exited{code};
  run.process.user = used;
  run.peak_memory_bytes = 100 << 20;
  LimitConfig limits;
  limits.cpu = seconds(5);
  limits.memory_bytes = 512 << 20;
  const auto limit = compiler_limit(run, device, messages, limits);
  if (!limit) return "none";
  switch (limit->kind) {
    case Limit::Kind::cpu_time:
      return "time";
    case Limit::Kind::memory:
      return "memory";
    case Limit::Kind::file_size:
      return "size";
    default:
      return "another";
  }
}

TEST(CompilerLimit, TimeIsTheLimitWhoeverCountedIt) {
  EXPECT_EQ(kind_of(1, milliseconds(4800), ""), "time") << "the driver ends as on a mistake";
  EXPECT_EQ(kind_of(3, milliseconds(4800), ""), "time");
  EXPECT_EQ(kind_of(3, milliseconds(4500), kByTime), "time") << "counted by the clock's ticks";
  EXPECT_EQ(kind_of(4, milliseconds(4500), kByTime, Device::cpu), "time");
  EXPECT_EQ(
      kind_of(255, milliseconds(4500), "nvcc error : 'cicc' died due to signal 24", Device::cuda),
      "time");
}

TEST(CompilerLimit, AFileThatIsTooLarge) {
  EXPECT_EQ(kind_of(3, milliseconds(100), kBySize), "size");
  EXPECT_EQ(kind_of(255, milliseconds(100), "'ptxas' died due to signal 25", Device::cuda), "size");
}

TEST(CompilerLimit, ASourceThatSaysSoIsNoLimit) {
  EXPECT_EQ(kind_of(1, milliseconds(100), kByTime), "none");
  EXPECT_EQ(kind_of(1, milliseconds(100), kBySize), "none");
  EXPECT_EQ(kind_of(2, milliseconds(100), kByTime, Device::cuda), "none");
  EXPECT_EQ(kind_of(1, milliseconds(100), "error: out of memory"), "none") << "it used little";
}

}  // namespace
}  // namespace opgrade
