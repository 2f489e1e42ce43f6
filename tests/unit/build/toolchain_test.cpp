#include "grader/build/toolchain.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "grader/core/temp_dir.hpp"

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

}  // namespace
}  // namespace opgrade
