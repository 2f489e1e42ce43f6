// Adapters: compiled once, or with a submission whose files reach them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "grader/base/core/resources.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/build/compile.hpp"
#include "grader/grading/build/compile_command.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/registry.hpp"
#include "grader/task/folder/folder_task.hpp"
#include "tests/support/must_run.hpp"
#include "tests/unit/grading/build/compile_fixture.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using test::Compile;
using testing::Contains;
using testing::Not;

// Each build would take about twice as long. Where the adapter includes the submission's files, it
// is compiled with them.
TEST_F(Compile, TheEmulatedDevicesAdapterIsCompiledWithTheGrader) {
  OPGRADE_SKIP_UNLESS("emulation", tools.emulator.has_value(), "no emulated device");
  const TakenFiles plain{".", {{"new-forward.cu", ""}}};
  const TakenFiles header{".", {{"new-forward.cu", ""}, {"gpu-new-forward.h", ""}}};
  const auto command = [&](const char* interface, const TakenFiles& files, bool checks) {
    const CompileJob job{find_interface(interface),
                         Device::emulated,
                         {"new-forward.cu"},
                         {},
                         {},
                         files,
                         limits,
                         checks};
    return build_command(job, tools);
  };
  const auto object_of = [&](const char* name) {
    EXPECT_TRUE(fs::exists(*tools.emulator / "lib/opgrade/emulation/adapters" / name)) << name;
    return "/opgrade/emulation/lib/opgrade/emulation/adapters/" + std::string(name);
  };
  for (const char* const interface : {"minidnn-1", "minidnn-3", "minidnn-3s"}) {
    const std::string source = fmt::format("/opgrade/adapters/{}/gpu.cu", interface);
    for (const bool checks : {false, true}) {
      const auto built = command(interface, plain, checks);
      EXPECT_THAT(
          built,
          Contains(object_of(fmt::format("{}{}.o", interface, checks ? ".checked" : "").c_str())));
      EXPECT_THAT(built, Not(Contains(source)));
    }
  }
  EXPECT_THAT(command("minidnn-3", header, true), Contains("/opgrade/adapters/minidnn-3/gpu.cu"));
  EXPECT_THAT(command("mxnet", plain, true), Contains("/opgrade/adapters/mxnet/gpu.cu"));
}

// The emulated device has cuBLAS alone. A submission need not use the others that a config lists.
TEST_F(Compile, OnlyCublasIsLinkedForTheEmulatedDevice) {
  OPGRADE_SKIP_UNLESS("emulation", tools.emulator.has_value(), "no emulated device");
  const TakenFiles files{".", {{"new-forward.cu", ""}}};
  const auto linked = [&](std::vector<std::string> libraries) {
    const CompileJob job{find_interface("minidnn-3"),
                         Device::emulated,
                         {"new-forward.cu"},
                         {},
                         std::move(libraries),
                         files,
                         limits};
    std::vector<std::string> all;
    for (const std::string& argument : build_command(job, tools))
      if (argument.starts_with("-l")) all.push_back(argument);
    return all;
  };
  EXPECT_THAT(linked({}), testing::IsEmpty());
  for (const char* const other : {"cufft", "curand", "cusparse", "cudnn", "nvToolsExt"})
    EXPECT_THAT(linked({other, "cublas"}), testing::ElementsAre("-lcublas")) << other;
}

// What it finds on a machine may be older than what Toolchain::detect() chose.
TEST_F(Compile, TheEmulatedDevicesCompilerIsTheChosenOne) {
  OPGRADE_SKIP_UNLESS("emulation", tools.emulator.has_value(), "no emulated device");
  const TakenFiles files{".", {{"new-forward.cu", ""}}};
  const CompileJob job{
      find_interface("minidnn-3"), Device::emulated, {"new-forward.cu"}, {}, {}, files, limits};
  tools.cxx = "/usr/bin/clang++";
  EXPECT_THAT(build_command(job, tools), Contains("--compiler=/usr/bin/clang++"));
}

// As submissions of the MXNet terms do, whose header the adapter includes.
TEST_F(Compile, MacrosCalledAsTheSizesAreDoNotReachTheAdapter) {
  constexpr const char* kMacros =
      "#define B 10\n#define M 50\n#define C 1\n#define H 28\n#define W 28\n#define K 5\n"
      "#define S 1\n#define x4d(i) x.dptr_[i]\n";
  constexpr const char* kOperator =
      "#include <mxnet/base.h>\nnamespace mxnet {\nnamespace op {\n"
      "template <typename cpu, typename DType>\n"
      "void forward(mshadow::Tensor<cpu, 4, DType> &y, const mshadow::Tensor<cpu, 4, DType> &x,\n"
      "             const mshadow::Tensor<cpu, 4, DType> &k) { y.dptr_[0] = x4d(0) * M; }\n"
      "}\n}\n";
  constexpr const char* kClass =
      "class GPUInterface {\n public:\n"
      "void conv_forward_gpu_prolog(const float*, const float*, const float*, float**, float**, "
      "float**, const int, const int, const int, const int, const int, const int) {}\n"
      "void conv_forward_gpu(float*, const float*, const float*, const int, const int, const int, "
      "const int, const int, const int) {}\n"
      "void conv_forward_gpu_epilog(float*, float*, float*, float*, const int, const int, "
      "const int, const int, const int, const int) {}\n};\n";
  limits = Config{}.build_limits;
  const auto build_for = [&](const char* interface, Device device, const TakenFiles& files) {
    const TempDir place("opgrade-test-");
    const CompileJob job{
        find_interface(interface), device, {files.files.front().name}, {"-O1"}, {}, files, limits};
    const BuildReport report = compile(job, tools, *sandbox, place.path()).report;
    EXPECT_EQ(report.outcome, Outcome::passed)
        << interface << ": " << report.compiler_output << report::hint_of(report.reason);
  };
  build_for("mxnet", Device::cpu, {".", {{"new-forward.h", std::string(kMacros) + kOperator}}});
  for (const Device device : {Device::cuda, Device::emulated}) {
    if (device == Device::cuda ? !tools.cuda_root : !tools.emulator) continue;
    build_for("mxnet", device, {".", {{"new-forward.cuh", std::string(kMacros) + kOperator}}});
    build_for("minidnn-3", device,
              {".",
               {{"new-forward.cu", "#include \"gpu-new-forward.h\"\n"},
                {"gpu-new-forward.h", std::string("#pragma once\n") + kMacros + kClass}}});
  }
}

class CompileForGpu : public Compile {
 protected:
  void SetUp() override {
    Compile::SetUp();
    OPGRADE_SKIP_UNLESS("nvcc", tools.cuda_root.has_value(), "no CUDA toolkit");
    limits = Config{}.build_limits;
  }

  BuildReport build_gpu(const std::filesystem::path& adapter_object, const std::string& header) {
    constexpr const char* kPrologParameters =
        "(const float*, const float*, const float*, float**, float**, float**, const int, const "
        "int, const int, const int, const int, const int) {}\n";
    const std::string source =
        "#include \"gpu-new-forward.h\"\n"
        "__global__ void nothing(float* y) { y[threadIdx.x] = 1; }\n"
        "void GPUInterface::conv_forward_gpu_prolog" +
        std::string(kPrologParameters) +
        "void GPUInterface::conv_forward_gpu(float* y, const float*, const float*, const int, "
        "const "
        "int, const int, const int, const int, const int) { nothing<<<1, 1>>>(y); }\n"
        "void GPUInterface::conv_forward_gpu_epilog(float*, float*, float*, float*, const int, "
        "const "
        "int, const int, const int, const int, const int) {}\n";
    TakenFiles files{".", {{"new-forward.cu", source}}};
    if (!header.empty()) files.files.push_back({"gpu-new-forward.h", header});
    folder.emplace("opgrade-test-");
    CompileJob job{
        find_interface("minidnn-3"), Device::cuda, {"new-forward.cu"}, {}, {}, files, limits};
    job.adapter_object = adapter_object;
    return compile(job, tools, *sandbox, folder->path()).report;
  }
};

TEST_F(CompileForGpu, TheAdapterIsCompiledOnceForAll) {
  const TempDir once("opgrade-test-");
  const auto object =
      compile_adapter(find_interface("minidnn-3"), limits, tools, *sandbox, once.path());
  ASSERT_FALSE(object.empty());
  const BuildReport report = build_gpu(object, "");
  EXPECT_EQ(report.outcome, Outcome::passed) << report.compiler_output;
}

/// f() of staff calls g() of a submission.
TaskDescription with_caller() {
  TaskDescription task;
  task.name = "f";
  task.types = "struct P { float x; };\nvoid g(const P* x, float4* y, int n);\n";
  task.callers = {{"call.cu",
                   "#ifndef COURSE\n#error the flags of the stage are missing\n#endif\n"
                   "__global__ void clear(float4* y) { *y = make_float4(0, 0, 0, 0); }\n"
                   "void f(const P* x, float4* y, int n) { clear<<<1, 1>>>(y); g(x, y, n); }\n"}};
  const StructTypes structs(task.types);
  task.function = parse_prototype("void f(const P* x, float4* y, int n)", structs);
  task.sizes = {{.name = "n", .to = 9, .random = 9}};
  task.buffers = {{.name = "x", .type = find_element_type("float"), .extents = {"n"}},
                  {.name = "y",
                   .type = find_element_type("float"),
                   .components = 4,
                   .role = BufferDescription::Role::out,
                   .extents = {"n"}}};
  task.buffers.front().record = structs.find("P");
  return task;
}

TEST_F(CompileForGpu, ACallerIsBuiltWithEachSubmissionByTheStagesFlags) {
  const FolderTask task(with_caller(), "with-caller");
  const TempDir once("opgrade-test-");
  const Interface& interface = task.interfaces().front();
  EXPECT_TRUE(compile_adapter(interface, limits, tools, *sandbox, once.path()).empty());
  const TakenFiles files{
      ".", {{"f.cu", "#include \"types.h\"\nvoid g(const P*, float4*, int) {}\nvoid f(int) {}\n"}}};
  const auto build = [&](std::vector<std::string> options) {
    const TempDir place("opgrade-test-");
    const CompileJob job{interface, Device::cuda, {"f.cu"}, std::move(options), {}, files, limits};
    return compile(job, tools, *sandbox, place.path()).report;
  };
  const auto report = build({"-DCOURSE=408"});
  EXPECT_EQ(report.outcome, Outcome::passed) << report.compiler_output;
  EXPECT_EQ(build({}).outcome, Outcome::build_failed);
}

TEST_F(CompileForGpu, ASubmissionsOwnHeaderIsTheAdaptersToo) {
  const TempDir once("opgrade-test-");
  std::ofstream(once.path() / "adapter.o") << "no object";
  sandbox->hand_over(once.path());
  const auto object = once.path() / "adapter.o";
  EXPECT_EQ(build_gpu(object, "").outcome, Outcome::build_failed) << "it was not linked";
  std::ifstream file(resources::share_folder() / "adapters/minidnn-3/include/gpu-new-forward.h");
  const std::string header(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(build_gpu(object, header).outcome, Outcome::passed);
}

}  // namespace
}  // namespace opgrade
