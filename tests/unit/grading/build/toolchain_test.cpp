#include "grader/grading/build/toolchain.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

TEST(CudaLibraryFiles, AreThoseTheLoaderAsksForAndTheirHelpers) {
  const TempDir root("opgrade-test-");
  fs::create_directory(root.path() / "lib64");
  for (const char* name : {"libcublas.so", "libcublas.so.13", "libcublas.so.13.0.2",
                           "libcublasLt.so.13", "libcublas_static.a", "libcufft.so.12"})
    std::ofstream(root.path() / "lib64" / name) << "x";
  Toolchain tools;
  EXPECT_TRUE(tools.cuda_library_files("cublas").empty());
  tools.cuda_root = root.path();
  EXPECT_THAT(tools.cuda_library_files("cublas"),
              testing::UnorderedElementsAre(root.path() / "lib64/libcublas.so.13",
                                            root.path() / "lib64/libcublasLt.so.13"));
}

TEST(Compiler, WatchesAccessesFromTheVersionOnThatKnowsVolatileObjects) {
  for (const char* const version : {"11", "11.0.1", "12", "12.2.0", "19.1.7"})
    EXPECT_TRUE(can_watch(version)) << version;
  for (const char* const version : {"10", "10.2.1", "9", "", "unknown"})
    EXPECT_FALSE(can_watch(version)) << version;
}

TEST(Emulator, AMissingPartIsAnErrorWithAHint) {
  const TempDir installed("opgrade-test-"), copy("opgrade-test-");
  fs::create_directory(installed.path() / "bin");
  std::ofstream(installed.path() / "bin/opgrade-cucc") << "x";
  Toolchain tools;
  tools.emulator = installed.path();
  try {
    tools.move_emulator_to(copy.path() / "emulation");
    ADD_FAILURE() << "copied";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("lib/opgrade/emulation"));
    EXPECT_THAT(e.hint, testing::HasSubstr("install opgrade again"));
  }
}

class BuildFor : public testing::Test {
 protected:
  BuildFor() {
    ::unsetenv("OPGRADE_CUDA_ARCH");
    fs::create_directory(root.path() / "bin");
    std::ofstream(root.path() / "bin/nvcc")
        << "#!/bin/sh\n[ \"$*\" = --list-gpu-code ] && printf 'sm_75\\nsm_80\\nsm_100\\n'\n";
    fs::permissions(root.path() / "bin/nvcc", fs::perms::owner_all);
    tools.cuda_root = root.path();
  }
  ~BuildFor() override { ::unsetenv("OPGRADE_CUDA_ARCH"); }

  const TempDir root{"opgrade-test-"};
  Toolchain tools;
};

TEST_F(BuildFor, WhatThisNvccKnows) {
  tools.build_for("sm_80");
  EXPECT_EQ(tools.cuda_architecture, "sm_80");
}

TEST_F(BuildFor, NothingThatItDoesNotKnow) {
  for (const char* unknown : {"sm_120", "sm_10", "sm_8", ""}) tools.build_for(unknown);
  EXPECT_EQ(tools.cuda_architecture, "sm_90");
}

using CudaVersion = BuildFor;

TEST_F(CudaVersion, IsOfToolkitAndDriver) {
  const fs::path driver = root.path() / "driver";
  const auto nvcc_says = [&](const std::string& text) {
    std::ofstream(root.path() / "bin/nvcc") << "#!/bin/sh\ncat <<END\n" << text << "\nEND\n";
  };
  nvcc_says(
      "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.4, V12.4.131");
  EXPECT_EQ(tools.cuda_version(driver), "");
  std::ofstream(driver) << "550.54.15\n";
  EXPECT_EQ(tools.cuda_version(driver), "CUDA V12.4.131, driver 550.54.15");
  nvcc_says("nvcc fatal");
  EXPECT_EQ(tools.cuda_version(driver), "");
  tools.cuda_root.reset();
  EXPECT_EQ(tools.cuda_version(driver), "");
}

TEST_F(BuildFor, WhatTheOperatorNamedStays) {
  ::setenv("OPGRADE_CUDA_ARCH", "sm_90a", 1);
  tools.build_for("sm_80");
  EXPECT_EQ(tools.cuda_architecture, "sm_90");
}

TEST_F(BuildFor, NothingWithoutAToolkit) {
  tools.cuda_root.reset();
  tools.build_for("sm_80");
  EXPECT_EQ(tools.cuda_architecture, "sm_90");
}

}  // namespace
}  // namespace opgrade
