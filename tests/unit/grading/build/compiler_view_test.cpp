#include "grader/grading/build/compiler_view.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "grader/base/core/resources.hpp"
#include "grader/base/core/temp_dir.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class CompilerView : public testing::Test {
 protected:
  fs::path put(const std::string& file) const {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << "x";
    return root / file;
  }
  /// What the policy shows, from the test's folder on.
  std::vector<std::string> seen() const {
    std::vector<std::string> names;
    for (const Mount& mount : policy.mounts) {
      EXPECT_EQ(mount.host, mount.inside);
      EXPECT_EQ(mount.access, Mount::Access::read);
      if (mount.inside.string().starts_with(root.string()))
        names.push_back(mount.inside.lexically_relative(root));
    }
    return names;
  }
  bool shows(const fs::path& file) const {
    return std::ranges::any_of(policy.mounts, [&](const Mount& mount) {
      return (file.string() + "/").starts_with(mount.inside.string() + "/");
    });
  }

  const TempDir folder{"opgrade-test-"};
  const fs::path root = fs::canonical(folder.path());
  SandboxPolicy policy;
};

TEST_F(CompilerView, TheSystemHasCompilersHeadersAndLibrariesAlone) {
  add_system_view(policy);
  for (const char* path : {"/usr/bin/g++", "/usr/include/stdio.h", "/usr/lib/gcc", "/bin/sh",
                           "/lib/x86_64-linux-gnu", "/usr/local/include"})
    EXPECT_TRUE(shows(path)) << path;
  for (const char* path : {"/usr",
                           "/usr/share",
                           "/usr/share/opgrade/labs",
                           "/usr/share/datasets",
                           "/usr/libexec",
                           "/usr/libexec/opgrade/opgrade-harness",
                           "/usr/local",
                           "/usr/local/share/opgrade",
                           "/usr/local/src",
                           "/usr/local/lib",
                           "/usr/local/lib/bundle",
                           "/usr/src",
                           "/usr/sbin",
                           "/etc",
                           "/etc/passwd",
                           "/opt",
                           "/home",
                           "/root",
                           "/srv",
                           "/var",
                           "/mnt",
                           "/tmp",
                           "/"})
    EXPECT_FALSE(shows(path)) << path;
}

TEST_F(CompilerView, OfAToolkitItsPartsAreSeen) {
  for (const char* file : {"bin/nvcc", "include/cuda.h", "lib64/libcudart.so", "nvvm/bin/cicc",
                           "targets/x86_64-linux/include/cuda.h", "libexec/gcc/x/cc1plus",
                           "libexec/opgrade/opgrade-harness", "share/opgrade/labs/x/solution/a.cu",
                           "x86_64-conda-linux-gnu/bin/ld", "course/solution.cu", ".ssh/id"})
    put(file);
  add_prefix(policy, root);
  EXPECT_THAT(seen(), UnorderedElementsAre("bin", "include", "lib64", "libexec/gcc", "nvvm",
                                           "targets", "x86_64-conda-linux-gnu"));
}

TEST_F(CompilerView, AFolderWithTheGradersFilesIsSeenWithoutThem) {
  put("lib/gcc/cc1plus");
  put("lib/opgrade/bin/opgrade");
  put("lib/opgrade/share/opgrade/labs/a.cu");
  fs::create_symlink("opgrade/share/opgrade", root / "lib/labs");
  fs::create_symlink("../../secret", root / "lib/elsewhere");
  fs::create_symlink("gcc", root / "lib/gcc-12");
  fs::create_symlink("nowhere", root / "lib/dangling");
  add_readable(policy, root / "lib", {root / "lib/opgrade/share/opgrade"});
  EXPECT_THAT(seen(), UnorderedElementsAre("lib/gcc", "lib/gcc-12", "lib/opgrade/bin"));
}

TEST_F(CompilerView, AFolderOfLibrariesIsSeenWithoutProgramsInIt) {
  for (const char* file : {"lib/libx.so.1", "lib/libx.a", "lib/x86_64-linux-gnu/liby.so",
                           "lib/bundle/share/opgrade/labs/a.cu", "lib/solution.cu"})
    put(file);
  fs::create_symlink("libx.so.1", root / "lib/libx.so");
  fs::create_symlink("bundle", root / "lib/libbundle");
  add_libraries(policy, root / "lib");
  EXPECT_THAT(seen(), UnorderedElementsAre("lib/libx.so.1", "lib/libx.so", "lib/libx.a",
                                           "lib/x86_64-linux-gnu"));
}

TEST_F(CompilerView, AHiddenFolderIsNotAddedByItselfNorByALink) {
  put("share/opgrade/labs/a.cu");
  fs::create_symlink("share/opgrade", root / "include");
  for (const char* path : {"share/opgrade", "share/opgrade/labs", "include", "include/labs"})
    add_readable(policy, root / path, {root / "share/opgrade"});
  EXPECT_THAT(seen(), IsEmpty());
}

// As where a bundle is unpacked below a toolkit's libraries.
TEST_F(CompilerView, TheGradersOwnFilesAreHiddenWhereverTheyAre) {
  put("lib/bundle/share/opgrade/adapters/wb.h");
  put("lib/bundle/bin/opgrade");
  put("lib/data/28x28.h5");
  put("lib/libcudart.so");
  const char* const share = std::getenv("OPGRADE_SHARE");
  const char* const data = std::getenv("OPGRADE_DATA");
  const std::string shares = share != nullptr ? share : "", datas = data != nullptr ? data : "";
  ::setenv("OPGRADE_SHARE", (root / "lib/bundle/share/opgrade").c_str(), 1);
  ::setenv("OPGRADE_DATA", (root / "lib/data").c_str(), 1);
  add_prefix(policy, root);
  share != nullptr ? ::setenv("OPGRADE_SHARE", shares.c_str(), 1) : ::unsetenv("OPGRADE_SHARE");
  data != nullptr ? ::setenv("OPGRADE_DATA", datas.c_str(), 1) : ::unsetenv("OPGRADE_DATA");
  EXPECT_THAT(seen(), UnorderedElementsAre("lib/bundle/bin", "lib/libcudart.so"));
}

TEST_F(CompilerView, ACompilerThatIsALinkIsSeenWhereItIs) {
  put("gcc-14/bin/g++-14");
  put("gcc-14/libexec/gcc/cc1plus");
  put("gcc-14/share/doc");
  put("usr/bin/other");
  fs::create_symlink("../../gcc-14/bin/g++-14", root / "usr/bin/g++");
  Toolchain tools;
  tools.cxx = root / "usr/bin/g++";
  add_compilers(policy, tools, {});
  EXPECT_THAT(seen(), UnorderedElementsAre("gcc-14/bin", "gcc-14/libexec/gcc"));
}

TEST_F(CompilerView, WhatAConfigsFlagsNameIsSeen) {
  for (const char* file : {"eigen/Eigen/Dense", "lib/libx.so", "one.h", "xc/a.h", "gcc/bin/g++",
                           "gcc/include/new", "gcc/share/doc", "other/bin/g++", "unnamed/a.h"})
    put(file);
  const std::string at = root.string();
  add_compilers(policy, {},
                {"-O3", "-I" + at + "/eigen", "-L", at + "/lib", "-include", at + "/one.h",
                 "-Xcompiler=-isystem," + at + "/xc", "-ccbin", at + "/gcc/bin/g++",
                 "--compiler-bindir=" + at + "/other/bin", "-I" + at + "/absent", "-I."});
  EXPECT_THAT(seen(), UnorderedElementsAre("eigen", "lib", "one.h", "xc", "gcc/bin", "gcc/include",
                                           "other/bin"));
}

TEST_F(CompilerView, AFlagShowsNeitherTheWholeSystemNorTheGradersFiles) {
  const std::string share = resources::share_folder();
  add_compilers(policy, {}, {"--sysroot=/", "-B/usr", "-I/usr/../usr", "-I" + share + "/labs"});
  EXPECT_THAT(policy.mounts, IsEmpty());
}

}  // namespace
}  // namespace opgrade
