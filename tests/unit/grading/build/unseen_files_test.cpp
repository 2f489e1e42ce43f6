// What a source cannot read through the compiler, in each tier of the sandbox.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "tests/unit/grading/build/compile_fixture.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using test::kGood;

class UnseenFiles : public test::Compile, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    const std::string without = GetParam();
    const auto support =
        without.empty() ? SandboxSupport::detect() : SandboxSupport::detect_without({without});
    OPGRADE_SKIP_UNLESS("sandbox",
                        support.tier != SandboxTier::none &&
                            (without.empty() || support.tier == SandboxTier::no_userns),
                        "no such tier here");
    OPGRADE_SKIP_UNLESS("compiler", tools.cxx.has_value(), "no C++ compiler");
    sandbox.emplace(support);
    limits.wall = std::chrono::seconds(60);
    limits.memory_bytes = 1 << 30;
  }
  void expect_built(const std::string& source, const std::string& what) {
    const BuildReport report = build(source);
    EXPECT_EQ(report.outcome, Outcome::passed) << what << ": " << report.compiler_output;
  }
  void expect_unseen(const std::string& head, const std::string& what) {
    const BuildReport report = build(head + "\n" + kGood);
    EXPECT_EQ(report.outcome, Outcome::build_failed) << what;
    EXPECT_THAT(report.compiler_output,
                testing::ContainsRegex(
                    "No such file or directory|Permission denied|file not found|can.t open|unseen"))
        << what;
  }
};
INSTANTIATE_TEST_SUITE_P(Tier, UnseenFiles, testing::Values("", "userns"), [](const auto& tier) {
  return std::string(tier.param).empty() ? "best" : "no_userns";
});

/// A file that everybody may read, at most three folders down.
std::optional<fs::path> readable_file(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator
           entry(folder, fs::directory_options::skip_permission_denied, error),
       end;
       !error && entry != end; entry.increment(error)) {
    if (entry.depth() >= 3) entry.disable_recursion_pending();
    const fs::file_status status = entry->symlink_status(error);
    if (!error && fs::is_regular_file(status) && entry->file_size(error) > 0 &&
        (status.permissions() & fs::perms::others_read) != fs::perms::none)
      return entry->path();
  }
  return std::nullopt;
}

TEST_P(UnseenFiles, NothingOfTheHostButCompilersHeadersAndLibraries) {
  int tried = 0;
  for (const char* place : {"/usr/share",
                            "/usr/share/datasets",
                            "/usr/share/doc",
                            "/usr/local/share",
                            "/usr/local/src",
                            "/usr/local/etc",
                            "/usr/src",
                            "/usr/sbin",
                            "/usr/libexec/sudo",
                            "/usr/games",
                            "/etc",
                            "/etc/ssl",
                            "/var/lib",
                            "/var/log",
                            "/opt",
                            "/srv",
                            "/home",
                            "/root",
                            "/boot",
                            "/sys/kernel",
                            "/proc/sys/kernel"}) {
    const auto file = readable_file(place);
    if (!file) continue;
    ++tried;
    expect_unseen(fmt::format("asm(\".incbin \\\"{}\\\"\");", file->string()), file->string());
  }
  EXPECT_GE(tried, 3);
}

TEST_P(UnseenFiles, ByEachWayToNameAFile) {
  const auto found = readable_file("/usr/share");
  ASSERT_TRUE(found);
  const std::string file = *found, below = file.substr(std::string("/usr/").size());
  for (const std::string& path :
       {file, "/usr/lib/../" + below, "/lib/../" + below, "/usr/include/../" + below,
        "/usr/bin/../" + below, "/proc/self/root" + file, "/proc/self/cwd/../" + file,
        "/proc/thread-self/root" + file, "../../../../../../../.." + file, "/proc/1/root" + file,
        "/opgrade/adapters/../.." + file}) {
    expect_unseen(fmt::format("asm(\".incbin \\\"{}\\\"\");", path), ".incbin " + path);
    expect_unseen(fmt::format("asm(\".include \\\"{}\\\"\");", path), ".include " + path);
    expect_unseen(fmt::format("#if !__has_include(\"{0}\")\n#error unseen\n#endif", path),
                  "__has_include " + path);
    expect_unseen(fmt::format("#include \"{}\"", path), "#include " + path);
    expect_unseen(fmt::format("#include <{}>", path), "#include <> " + path);
  }
  const TempDir home("opgrade-test-");
  fs::permissions(home.path(), fs::perms::others_read | fs::perms::others_exec,
                  fs::perm_options::add);
  std::ofstream(home.path() / "solution.h") << "\n";
  expect_unseen(fmt::format("#include \"{}/solution.h\"", home.path().string()),
                "another person's folder");
}

TEST_P(UnseenFiles, WhatHonestSourcesUseIsThere) {
  flags = {"-O1", "-fopenmp"};
  expect_built(
      "#include <bits/stdc++.h>\n#include <immintrin.h>\n#include <omp.h>\n"
      "#include <sys/time.h>\n#include <pthread.h>\n#include <linux/limits.h>\n" +
          kGood + "int threads() { return omp_get_max_threads(); }\n",
      "headers of the system");
  flags = {"-O1", "-flto"};
  expect_built(kGood, "the linker's plug-in");
  flags = {"-O1", "-static-libstdc++", "-lm"};
  expect_built("#include <iostream>\n" + kGood + "void f() { std::cout << 1; }\n",
               "a static library");
  const TempDir library("opgrade-test-");
  fs::permissions(library.path(), fs::perms::others_read | fs::perms::others_exec,
                  fs::perm_options::add);
  std::ofstream(library.path() / "course.h") << "const int kCourse = 1;\n";
  flags = {"-O1", "-I" + library.path().string()};
  expect_built("#include <course.h>\n" + kGood + "int course() { return kCourse; }\n",
               "a folder that the config names");
}

TEST_P(UnseenFiles, ClangAndItsOpenMpAreThere) {
  if (::access("/usr/bin/clang++", X_OK) != 0) GTEST_SKIP() << "no clang++";
  tools.cxx = "/usr/bin/clang++";
  expect_built("#include <bits/stdc++.h>\n#include <immintrin.h>\n" + kGood, "headers");
  if (fs::exists("/usr/lib/llvm-14/lib/libomp.so")) {
    flags = {"-O1", "-fopenmp"};
    expect_built("#include <omp.h>\n" + kGood + "int n() { return omp_get_max_threads(); }\n",
                 "OpenMP");
  }
}

TEST_P(UnseenFiles, TheCudaToolkitIsThereAndNothingElse) {
  OPGRADE_SKIP_UNLESS("toolkit", tools.cuda_root.has_value(), "no CUDA toolkit");
  std::error_code missing;
  const bool linked = fs::canonical("/usr/local/cuda", missing) == *tools.cuda_root;
  const std::string source =
      std::string(linked ? "#include \"/usr/local/cuda/include/cuda_fp16.h\"\n" : "") +
      "#include \"gpu-new-forward.h\"\n#include <cublas_v2.h>\n#include <cuda_fp16.h>\n"
      "__global__ void kernel(float* y) { *y = __half2float(__float2half(*y)); }\n"
      "void GPUInterface::conv_forward_gpu_prolog(const float*, const float*, const float*, "
      "float**, float**, float**, const int, const int, const int, const int, const int, const "
      "int) { cublasHandle_t handle; cublasCreate(&handle); }\n"
      "void GPUInterface::conv_forward_gpu(float* y, const float*, const float*, const int, const "
      "int, const int, const int, const int, const int) { kernel<<<1, 1>>>(y); }\n"
      "void GPUInterface::conv_forward_gpu_epilog(float*, float*, float*, float*, const int, const "
      "int, const int, const int, const int, const int) {}\n";
  limits = Config{}.build_limits;
  const auto unseen = readable_file("/usr/share");
  ASSERT_TRUE(unseen);
  const std::string bytes = fmt::format("asm(\".incbin \\\"{}\\\"\");\n", unseen->string());
  for (const bool peeks : {false, true}) {
    const TakenFiles files{".", {{"new-forward.cu", source + (peeks ? bytes : "")}}};
    const TempDir place("opgrade-test-");
    const BuildReport report = compile({find_interface("minidnn-3"),
                                        Device::cuda,
                                        {"new-forward.cu"},
                                        {"-O1"},
                                        {"cublas"},
                                        files,
                                        limits},
                                       tools, *sandbox, place.path())
                                   .report;
    EXPECT_EQ(report.outcome, peeks ? Outcome::build_failed : Outcome::passed)
        << report.compiler_output;
  }
}

}  // namespace
}  // namespace opgrade
