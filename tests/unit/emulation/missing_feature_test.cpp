#include "grader/emulation/driver/missing_feature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace opgrade::emulation {
namespace {

/// "file:line feature", or "" where the source is at fault.
std::string missing(const std::string& messages, const std::string& source = "") {
  const auto found = find_missing_feature(messages, aliases_of_cuda(source));
  return found ? found->file + ":" + std::to_string(found->line) + " " + found->feature : "";
}

TEST(MissingFeature, is_a_header_of_cuda_that_is_not_there) {
  EXPECT_EQ(missing("./new-forward.cu:3:10: fatal error: thrust/async/sort.h: No such file or "
                    "directory\n    3 | #include <thrust/async/sort.h>\n"),
            "./new-forward.cu:3 a part of Thrust (thrust/async/sort.h)");
  EXPECT_EQ(missing("a.cuh:7:10: fatal error: 'cuda/std/array' file not found\n"),
            "a.cuh:7 libcu++ (cuda/std/array)");
  EXPECT_EQ(missing("a.cu:1:10: fatal error: curand_kernel.h: No such file or directory\n"),
            "a.cu:1 cuRAND (curand_kernel.h)");
}

TEST(MissingFeature, finds_the_aliases_of_cudas_namespaces) {
  using testing::ElementsAre;
  EXPECT_THAT(aliases_of_cuda("namespace{namespace g=::cooperative_groups;}\n"
                              "namespace t = g::experimental; namespace u = mine;\n"
                              "inline namespace cuda_like { int x = cuda; }\n"),
              ElementsAre("g", "t"));
  EXPECT_THAT(aliases_of_cuda("// namespace a = cuda;\nconst char* b = \"namespace c = cuda;\";\n"
                              "namespace /* of CUDA */ d =\n  cuda;"),
              ElementsAre("d"));
  EXPECT_THAT(aliases_of_cuda("namespace"), testing::IsEmpty());
  EXPECT_THAT(aliases_of_cuda("namespace e ="), testing::IsEmpty());
}

// A student's names and blanks are as long as a file.
TEST(MissingFeature, reads_an_alias_of_any_length) {
  constexpr std::size_t kLong = 1'000'000;
  const std::string name(kLong, 'n'), blank(kLong, ' ');
  EXPECT_EQ(aliases_of_cuda("namespace " + name + " = cuda;").count(name), 1U);
  EXPECT_EQ(aliases_of_cuda("namespace" + blank + "n" + blank + "=" + blank + "cuda;").count("n"),
            1U);
  EXPECT_THAT(aliases_of_cuda("namespace n = " + name + ";"), testing::IsEmpty());
}

TEST(MissingFeature, is_a_name_that_the_stand_in_headers_lack) {
  EXPECT_EQ(missing("In file included from a.cu:1:\nx.h: In function 'void f()':\n"
                    "x.h:12:3: error: \xE2\x80\x98"
                    "cudaTextureObject_t\xE2\x80\x99 was not declared in this scope\n"),
            "x.h:12 textures (cudaTextureObject_t)");
  EXPECT_EQ(missing("a.cu:4:3: error: \xE2\x80\x98thrust\xE2\x80\x99 has not been declared\n"),
            "a.cu:4 a part of Thrust (thrust)");
  EXPECT_EQ(missing("a.cu:4:3: error: use of undeclared identifier 'cuInit'\n"),
            "a.cu:4 the driver API (cuInit)");
  EXPECT_EQ(missing("a.cu:4:3: error: '__vadd4' was not declared in this scope\n"),
            "a.cu:4 packed integers (__vadd4)");
  EXPECT_EQ(missing("a.cu:4:3: error: 'cudaLaunchKernelEx' was not declared in this scope; did you "
                    "mean 'cudaLaunchKernel'?\n"),
            "a.cu:4 cudaLaunchKernelEx");
}

TEST(MissingFeature, is_any_name_of_the_toolkits_headers) {
  EXPECT_EQ(missing("a.cu:5:30: error: '__fadd_rd' was not declared in this scope; did you mean "
                    "'__fadd_rn'?\n"),
            "a.cu:5 a part of CUDA (__fadd_rd)");
  EXPECT_EQ(missing("a.cu:5:3: error: use of undeclared identifier 'cudaHostRegisterIoMemory2'\n"),
            "");
  EXPECT_EQ(
      missing("a.cu:5:3: error: 'cudaDeviceFlushGPUDirectRDMAWrites' was not declared in this "
              "scope\n"),
      "a.cu:5 a part of CUDA (cudaDeviceFlushGPUDirectRDMAWrites)");
  EXPECT_EQ(missing("a.cu:5:3: error: unknown type name 'long4_16a'\n"),
            "a.cu:5 a part of CUDA (long4_16a)");
  EXPECT_EQ(missing("a.cu:5:3: error: 'norm' was not declared in this scope\n"), "")
      << "a variable of that name that the student forgot";
  EXPECT_EQ(missing("a.cu:5:3: error: invalid conversion from 'int' to 'double4_16a'\n"), "")
      << "a wrong use of what is there";
}

TEST(MissingFeature, is_a_member_of_cudas_namespaces_and_classes) {
  EXPECT_EQ(missing("a.cu:7:19: error: 'this_cluster' is not a member of 'cg'; did you mean "
                    "'this_grid'?\n",
                    "namespace cg = cooperative_groups;"),
            "a.cu:7 clusters (this_cluster)");
  EXPECT_EQ(missing("a.cu:7:19: error: 'reduce_update_async' is not a member of 'cg'\n",
                    "namespace cg=::cooperative_groups ;"),
            "a.cu:7 a part of cooperative groups (reduce_update_async)");
  EXPECT_EQ(missing("a.cu:7:19: error: \xE2\x80\x98"
                    "class cooperative_groups::thread_block\xE2\x80\x99 has no member named "
                    "\xE2\x80\x98"
                    "cluster_rank\xE2\x80\x99\n"),
            "a.cu:7 a part of cooperative groups (cluster_rank)");
  EXPECT_EQ(missing("a.cu:7:19: error: no member named 'arrive_and_drop' in "
                    "'cuda::barrier<cuda::thread_scope_block>'\n"),
            "a.cu:7 libcu++ (arrive_and_drop)");
  EXPECT_EQ(missing("a.cu:7:19: error: 'max' is not a member of 'cuda'\n"), "a.cu:7 libcu++ (max)");
  EXPECT_EQ(missing("a.cu:7:19: error: 'mr' in namespace '::cuda' does not name a type\n"),
            "a.cu:7 libcu++ (cuda)");
  EXPECT_EQ(missing("a.cu:7:19: error: 'ceil_div' is not a member of 'c'\n",
                    "namespace d = cuda;\nnamespace c = d;\n"),
            "a.cu:7 libcu++ (ceil_div)");
  for (const char* owner : {"utils", "cg", "my_cuda", "course::cuda", "Tile<cuda::plus>", "std"})
    for (const char* name : {"max", "ceil_div", "device", "shfl", "all"})
      EXPECT_EQ(missing("a.cu:7:19: error: '" + std::string(name) + "' is not a member of '" +
                            owner + "'\n",
                        "namespace utils = course::cuda; namespace cg { }"),
                "")
          << owner << ": a namespace of the student's";
  EXPECT_EQ(missing("a.cu:7:19: error: no member named 'max' in namespace 'utils'\n"), "");
  EXPECT_EQ(missing("a.cu:7:19: error: 'struct Tile' has no member named 'shfl'\n"), "")
      << "a class of the student's";
  EXPECT_EQ(missing("a.cu:7:19: error: 'class cooperative_groups::thread_block' has no member "
                    "named 'synch'\n"),
            "");
  EXPECT_EQ(missing("a.cu:7:19: error: 'ceil_div' is not a member of 'std'\n"), "");
  EXPECT_EQ(missing("a.cu:1:1: error: 'texture' does not name a type\n"), "")
      << "CUDA 12 took texture references out";
}

TEST(MissingFeature, may_be_named_by_a_later_error_of_the_first_errors_line) {
  EXPECT_EQ(missing("a.cu:1:8: error: variable or field 'f' declared void\n"
                    "a.cu:1:8: error: 'cudaTextureObject_t' was not declared in this scope\n"),
            "a.cu:1 textures (cudaTextureObject_t)");
  EXPECT_EQ(missing("a.cu:1:8: error: variable or field 'f' declared void\n"
                    "a.cu:2:8: error: 'cudaTextureObject_t' was not declared in this scope\n"),
            "");
}

TEST(MissingFeature, is_not_a_mistake_of_the_source) {
  EXPECT_EQ(missing("a.cu:3:10: fatal error: my_helpers.h: No such file or directory\n"), "");
  EXPECT_EQ(missing("a.cu:3:10: error: expected ';' before '}' token\n"), "");
  EXPECT_EQ(missing("a.cu:3:10: error: 'cudaMaloc' was not declared in this scope; did you mean "
                    "'cudaMallocArray'?\n"),
            "")
      << "a suggestion is not what was written";
  EXPECT_EQ(missing("a.cu:3:10: error: 'tile' was not declared in this scope\n"
                    "a.cu:9:10: error: 'thrust' has not been declared\n"),
            "")
      << "its own mistake comes first";
  EXPECT_EQ(missing("a.cu:3:1: warning: 'thrust' is unused\n"), "");
  EXPECT_EQ(missing("   12 |   // error: 'thrust'\n"), "");
  EXPECT_EQ(missing("/usr/bin/ld: a.o: in function `f': undefined reference to `cudnnCreate'\n"),
            "");
  EXPECT_EQ(missing("collect2: error: ld returned 1 exit status\n"), "");
  EXPECT_EQ(missing(""), "");
}

TEST(MissingFeature, is_no_name_that_is_there_or_the_submissions_own) {
  for (const char* name : {"cudaMalloc", "cudaMallocAsync", "cudaLaunchKernel", "cudaMemcpyPeer",
                           "cudaMemcpy2DAsync", "cudaDeviceEnablePeerAccess", "__shfl_sync",
                           "cooperative_groups", "conv_forward_kernel", "cubic", "thrusting"})
    EXPECT_EQ(feature_of_name(name), "") << name;
}

}  // namespace
}  // namespace opgrade::emulation
