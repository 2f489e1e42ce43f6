// export.sh: every rung as one course submission that needs nothing of this project.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "kernels/ladder.hpp"

namespace opgrade::kernels {
namespace {

namespace fs = std::filesystem;

class Export : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("opgrade-export-" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  int run(const std::string& arguments) const {
    return std::system(
        ("sh " OPGRADE_SOURCE_DIR "/kernels/submission/export.sh " + arguments).c_str());
  }
  std::string exported(int number) const {
    const fs::path file = folder_ / "new-forward.cu";
    EXPECT_EQ(run(std::to_string(number) + ' ' + file.string()), 0);
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  fs::path folder_;
};

TEST_F(Export, IncludesOnlyTheCoursesHeaderAndPastesEverythingElseOnce) {
  for (const Rung& rung : ladder()) {
    const std::string text = exported(rung.number);
    const std::regex quoted("#include \"([^\"]+)\"");
    int includes = 0;
    for (std::sregex_iterator it(text.begin(), text.end(), quoted), end; it != end;
         ++it, ++includes)
      EXPECT_EQ((*it)[1], "gpu-new-forward.h") << rung.name;
    EXPECT_EQ(includes, 1) << rung.name;
    const std::string shape = "struct ConvShape {";
    ASSERT_NE(text.find(shape), text.npos) << rung.name;
    EXPECT_EQ(text.find(shape, text.find(shape) + 1), text.npos) << rung.name;
    const std::string naive = "namespace opgrade::kernels::rung01 {";
    ASSERT_NE(text.find(naive), text.npos) << rung.name;
    EXPECT_EQ(text.find(naive, text.find(naive) + 1), text.npos) << rung.name;
    EXPECT_NE(text.find("#define OPGRADE_RUNG rung"), text.npos);
    EXPECT_NE(text.find("conv_forward_gpu_epilog"), text.npos);
  }
}

TEST_F(Export, RefusesANumberThatIsNoRung) {
  EXPECT_NE(run("99 " + (folder_ / "none.cu").string() + " 2>/dev/null"), 0);
  EXPECT_FALSE(fs::exists(folder_ / "none.cu"));
}

TEST_F(Export, TheRungWithTheMostPartsCompilesAsTheCourseCompilesIt) {
  std::ofstream(folder_ / "gpu-new-forward.h")
      << "class GPUInterface { public: void get_device_properties();\n"
         "void conv_forward_gpu_prolog(const float*, const float*, const float*, float**, float**,"
         " float**, int, int, int, int, int, int);\n"
         "void conv_forward_gpu(float*, const float*, const float*, int, int, int, int, int, "
         "int);\n"
         "void conv_forward_gpu_epilog(float*, float*, float*, float*, int, int, int, int, int, "
         "int);"
         "};\n";
  exported(17);
  const std::string command =
      "cd " + folder_.string() +
      " && " OPGRADE_NVCC
      " -std=c++17 -arch=sm_90 -O0 -Xcicc -O0 -ptx new-forward.cu -o out.ptx > log 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << [&] {
    std::ifstream log(folder_ / "log");
    return std::string(std::istreambuf_iterator<char>(log), {});
  }();
}

}  // namespace
}  // namespace opgrade::kernels
