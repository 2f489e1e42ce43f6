// A lecturer's functions with other parameters than those with which opgrade calls them.
#include "grader/grading/pipeline/staff_prototypes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade {
namespace {

constexpr const char* kWanted =
    "void reference(const float* x, double* y, double* y_scale, long long n);\n"
    "void generate(unsigned long long seed, float* x, long long n);\n"
    "const char* validate(const float* x, long long n);\n"
    "const char* check(const float* x, const float* y, long long n);";

constexpr const char* kRight[][2] = {
    {"reference.cpp",
     "#include \"reference.h\"\nvoid reference(const float* in, double* y, double*, long long "
     "count) {}"},
    {"generate.cpp",
     "void generate(unsigned long long seed, float* x, long long n) { for (;;) generate(seed, x, "
     "n); }"},
    {"validate.cpp",
     "extern \"C\" const char* validate(float const* x,\n    long long n) { return nullptr; }"},
    {"check.cpp",
     "// const char* check(int)\nconst char* check(const float *x, const float *y, long long n) { "
     "return 0; }"}};

std::string complaint_with(const std::string& file = "", const std::string& text = "") {
  TakenFiles files{".", {}};
  for (const auto& [name, right] : kRight)
    files.files.push_back({name, name == file ? text : right});
  return other_prototypes(kWanted, files);
}

TEST(StaffPrototypes, NamesOfParametersAndLayoutAreFree) { EXPECT_EQ(complaint_with(), ""); }

TEST(StaffPrototypes, EachOfTheFunctionsIsShownAsItIsAndAsItIsCalled) {
  struct Case {
    const char *file, *text, *has, *calls;
  };
  for (const auto& [file, text, has, calls] : {
           Case{"generate.cpp", "\nvoid generate(unsigned seed, float* x, int n) {}",
                "generate.cpp:2 defines `void generate(unsigned seed, float* x, int n)`",
                "opgrade calls `void generate(unsigned long long seed, float* x, long long n)`"},
           Case{"generate.cpp", "int generate(unsigned long long seed, float* x, long long n) {}",
                "defines `int generate(", "`void generate("},
           Case{"generate.cpp", "void generate(float* x, long long n) {}",
                "defines `void generate(float* x,", "seed"},
           Case{"generate.cpp",
                "void generate(unsigned long long seed, std::vector<float>& x, long long n) {}",
                "std::vector<float>& x", "float* x"},
           Case{"generate.cpp", "void make(unsigned long long seed, float* x, long long n) {}",
                "generate.cpp does not define generate()", "opgrade calls `void generate("},
           Case{"reference.cpp", "void reference(const float* x, float* y, int n) {}",
                "reference.cpp:1 defines", "double* y_scale"},
           Case{"reference.cpp", "void reference(const float* x, double* y, long long n) {}",
                "reference.cpp:1 defines", "double* y_scale"},
           Case{"validate.cpp", "bool validate(const float* x, long long n) { return true; }",
                "defines `bool validate(", "`const char* validate("},
           Case{"check.cpp", "const char* check(const float* x, const double* y, long long n) {}",
                "const double* y", "const float* y"},
       }) {
    const auto complaint = complaint_with(file, text);
    EXPECT_THAT(complaint, testing::HasSubstr(has)) << text;
    EXPECT_THAT(complaint, testing::HasSubstr(calls)) << text;
  }
}

TEST(StaffPrototypes, AFunctionInAnotherFileIsFound) {
  TakenFiles files{".", {}};
  for (const auto& [name, right] : kRight) files.files.push_back({name, right});
  files.files[0].bytes += files.files[1].bytes;
  files.files[1].bytes = "// all in reference.cpp";
  EXPECT_EQ(other_prototypes(kWanted, files), "");
}

}  // namespace
}  // namespace opgrade
