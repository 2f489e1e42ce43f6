// Paths of a policy where there are no mounts.
#include "grader/platform/sandbox/path_mapping.hpp"

#include <gtest/gtest.h>

namespace opgrade {
namespace {

const PathMapping& view() {
  static const PathMapping made({{"/host/a/src", "/submission"},
                                 {"/host/a/adapters", "/opgrade/adapters"},
                                 {"/host/lib/libc.so", "/opgrade/lib/libc.so"},
                                 {"/host/gcc/libm.so", "/opgrade/lib/libm.so"},
                                 {"/host/lib/libd.so", "/opgrade/lib/libd.so"},
                                 {"/usr", "/usr"}},
                                "/host/scratch");
  return made;
}

TEST(PathMapping, PathsInArgumentsBecomeTheHosts) {
  for (const auto& [policys, hosts] : {
           std::pair{"/submission", "/host/a/src"},
           {"/submission/x.cc", "/host/a/src/x.cc"},
           {"/submissions", "/submissions"},
           {"-I/opgrade/adapters/three/include", "-I/host/a/adapters/three/include"},
           {"--root=/submission,/tmp/x", "--root=/host/a/src,/host/scratch/x"},
           {"TMPDIR=/tmp", "TMPDIR=/host/scratch"},
           {"PATH=/usr/bin:/bin", "PATH=/usr/bin:/bin"},
           {"/tmpx:/tmp", "/tmpx:/host/scratch"},
           {"part/tmp/x.cc", "part/tmp/x.cc"},
           {"-DX=\"a/tmp\"", "-DX=\"a/tmp\""},
           {"", ""},
       }) {
    EXPECT_EQ(view().to_host(policys), hosts);
  }
}

TEST(PathMapping, AFolderOfMountedFilesBecomesTheListOfTheirFolders) {
  EXPECT_EQ(view().to_host("LD_LIBRARY_PATH=/opgrade/lib"), "LD_LIBRARY_PATH=/host/lib:/host/gcc");
  EXPECT_EQ(view().to_host("/"), "/");
}

TEST(PathMapping, OutputSpeaksOfThePolicysPaths) {
  EXPECT_EQ(view().to_policy("/host/a/src/x.cc:1: in /host/scratch/cc1.s, /usr/x; /host/a/srcs"),
            "/submission/x.cc:1: in /tmp/cc1.s, /usr/x; /submissions");
}

TEST(PathMapping, WithoutMountsNothingChanges) {
  EXPECT_EQ(PathMapping().to_host("/tmp/x"), "/tmp/x");
  EXPECT_EQ(PathMapping().to_policy("/tmp/x"), "/tmp/x");
}

}  // namespace
}  // namespace opgrade
