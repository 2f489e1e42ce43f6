// What a child does between fork and exec. This program's operator new counts there.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "grader/platform/process/process.hpp"

namespace {

struct InChildren {
  pid_t owner;
  std::atomic<int> allocations;
};
InChildren* in_children = nullptr;  // shared with the children; none before a test asks

}  // namespace

// Not inlined: g++ 12 would see free() on memory from operator new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (in_children != nullptr && ::getpid() != in_children->owner) ++in_children->allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace opgrade {
namespace {

// The allocator may be locked by a thread that the child lacks: the child would hang.
TEST(StartChild, AllocatesNothingInTheChild) {
  void* const shared = ::mmap(nullptr, sizeof(InChildren), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  in_children = new (shared) InChildren{::getpid(), 0};
  Command command{.program = OPGRADE_PROBE, .arguments = {"exit", "0"}};
  command.environment = {"A=1", "B=2"};
  command.descriptors = {{2, 7}};
  command.limits = {{RLIMIT_CORE, 0}};
  command.confine = [] { return 0; };
  run_command(command, {});
  command.working_folder = "/missing";
  EXPECT_THROW(run_command(command, {}), Error);
  EXPECT_EQ(in_children->allocations, 0);
  in_children = nullptr;
  ::munmap(shared, sizeof(InChildren));
}

TEST(StartChild, ARefusedProcessIsAnErrorOfItsOwn) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "root's processes are not limited, and only root drops root";
  Command command{.program = OPGRADE_PROBE, .arguments = {"exit", "0"}};
  command.drop_to_nobody = true;
  Command neighbour = command;
  neighbour.arguments = {"wait"};
  const ChildProcess running = ChildProcess::start(neighbour, {});
  command.limits = {{RLIMIT_NPROC, 0}};
  EXPECT_THROW(run_command(command, {}), NoMoreProcesses);
}

}  // namespace
}  // namespace opgrade
