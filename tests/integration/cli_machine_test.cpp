// Machines that lack a disk, a folder, /proc, a GPU or a part of opgrade, and the doctor's words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/cli_fixture.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Cli;
using test::exit_code;
using test::kQuick;
using test::SandboxedCli;
using test::submission;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(SandboxedCli, RootOfAUserNamespaceCanGrade) {
  Command command = place.command({});
  const std::string opgrade = command.program;
  command.program = "/usr/bin/unshare";
  command.arguments = {"--map-root-user", opgrade, "check", submission("good"), "--config", kQuick};
  const auto report = run_command(command, test::kPatience);
  OPGRADE_SKIP_UNLESS("userns", report.standard_error.find("unshare:") == std::string::npos,
                      "no user namespaces here: " + report.standard_error);
  EXPECT_EQ(exit_code(report), 0) << report.standard_error << report.standard_output;
}

TEST_F(SandboxedCli, ADamagedDataSetIsTheMachinesFault) {
  write_model_config("fmnist-86-high", 1);
  fs::create_directory(place.path() / "data");
  fs::copy(OPGRADE_BINARY_DIR "/data/fmnist-86.h5", place.path() / "data/fmnist-86.h5");
  fs::resize_file(place.path() / "data/fmnist-86.h5", 1'000'000);
  expect_error(run({"check", submission("good"), "--config", "model.yaml", "--data", "data"}), 3,
               "data/fmnist-86.h5");
}

TEST_F(SandboxedCli, FullDisk) {
  fs::create_directory(place.path() / "small");
  Command command = place.command({});
  const std::string opgrade = command.program;
  command.program = "/usr/bin/unshare";
  command.arguments = {"--mount", ::geteuid() == 0 ? "--fork" : "--map-root-user", "sh", "-c",
                       "mount -t tmpfs -o size=16k none small 2>&1 && exec " + opgrade +
                           " grade '" + submission("not_compiling") + "' --config '" + kQuick +
                           "' --out small/results"};
  const auto report = run_command(command, test::kPatience);
  OPGRADE_SKIP_UNLESS(
      "mount",
      report.standard_output.find("mount:") == std::string::npos &&
          report.standard_error.find("unshare:") == std::string::npos,
      "cannot mount a small disk here: " + report.standard_output + report.standard_error);
  EXPECT_EQ(exit_code(report), 3) << report.standard_output << report.standard_error;
  EXPECT_THAT(report.standard_error,
              AllOf(HasSubstr("cannot write"), HasSubstr("No space left on device")));
}

TEST_F(Cli, AResultThatCannotBePrintedIsNotLostSilently) {
  Command command = place.command({});
  const std::string opgrade = command.program;
  command.program = "/bin/sh";
  for (const char* arguments : {"check-config self-check", "--help", "doctor"}) {
    command.arguments = {"-c", opgrade + " " + arguments + " > /dev/full"};
    const auto report = run_command(command, test::kPatience);
    EXPECT_EQ(exit_code(report), 3) << arguments << report.standard_error;
    EXPECT_THAT(report.standard_error, HasSubstr("No space left on device")) << arguments;
  }
}

TEST_F(SandboxedCli, NoPlaceForTemporaryFiles) {
  expect_error(run({"check", submission("good"), "--config", kQuick}, {"TMPDIR=/proc"}), 3,
               "cannot make a folder like /proc/");
  const auto none = run({"check", submission("good"), "--config", kQuick}, {"TMPDIR=/nowhere"});
  expect_error(none, 3, "no folder for temporary files: /nowhere: No such file");
  EXPECT_THAT(none.standard_error, HasSubstr("-> set TMPDIR"));
}

TEST_F(SandboxedCli, NoPlaceForTheDataSet) {
  const auto report =
      run({"check", submission("good"), "--only", "cpu/high/100", "--data", "/proc/nope"});
  expect_error(report, 3, "cannot make the data folder /proc/nope");
  EXPECT_THAT(report.standard_error, HasSubstr("-> name one that can be written"));
  expect_error(run({"data", "--out", "/proc/nope/x.h5"}), 3,
               "cannot make the data folder /proc/nope");
}

// opgrade finds its own files through /proc, so that without one the emulated device is not found,
// which is not the same as not being there.
TEST_F(Cli, TheDoctorSaysThatThereIsNoProc) {
  if (std::getenv("OPGRADE_PROGRAM") != nullptr)
    GTEST_SKIP() << "the sanitizers need /proc themselves";
  Command command = place.command({});
  command.arguments = {"--dev-bind", "/", "/", "--tmpfs", "/proc", command.program, "doctor"};
  command.program = "/usr/bin/bwrap";
  const auto report = run_command(command, test::kPatience);
  OPGRADE_SKIP_UNLESS("mount", report.standard_output != "",
                      "cannot hide /proc here: " + report.standard_error);
  EXPECT_THAT(report.standard_output,
              AllOf(HasSubstr("emulated device    cannot read /proc/self/exe"),
                    HasSubstr("-> mount /proc"), Not(HasSubstr("\n\n"))));
}

TEST_F(Cli, TheDoctorSaysWhereTheEmulatedDeviceIsMissing) {
  Command command = place.command({"doctor"});
  fs::copy_file(command.program, place.path() / "opgrade");
  command.program = place.path() / "opgrade";
  const auto report = run_command(command, test::kPatience);
  EXPECT_THAT(report.standard_output,
              HasSubstr("emulated device    opgrade-cucc is not in " + place.path().string()));
}

TEST_F(Cli, AnIncompleteInstallationSaysSo) {
  expect_error(run({"init", "new"}, {"OPGRADE_SHARE=/nowhere"}), 3, "");
  EXPECT_FALSE(fs::exists(place.path() / "new/cpu-new-forward.cc"));
}

TEST_F(Cli, DoctorSaysWhatIsThere) {
  const auto report = run({"doctor"});
  EXPECT_THAT(report.standard_output,
              AllOf(HasSubstr("C++ compiler"), HasSubstr("CUDA toolkit"), HasSubstr("GPU"),
                    HasSubstr("sandbox"), HasSubstr("data")));
  EXPECT_EQ(report.standard_error, "");
}

TEST_F(Cli, TheDoctorTriesTheDataFolder) {
  write("file", "");
  const std::string folder = place.path() / "file/data";
  const auto report = run({"doctor"}, {"OPGRADE_DATA=" + folder});
  EXPECT_EQ(exit_code(report), 3);
  EXPECT_THAT(report.standard_output,
              AllOf(HasSubstr(folder + " cannot be written"), HasSubstr("-> set OPGRADE_DATA")));
}

TEST_F(Cli, TheDoctorCallsATierThatGradesWeakerAndNotMissing) {
  const auto report = run({"doctor"}, {"OPGRADE_SANDBOX_WITHOUT=cgroup,userns"});
  OPGRADE_SKIP_UNLESS("landlock", exit_code(report) == 0, "no Landlock here");
  EXPECT_THAT(report.standard_output,
              AllOf(HasSubstr("weaker   sandbox            tier 'no user namespaces'\n"),
                    Not(HasSubstr("MISSING  sandbox"))));
}

// A stand-in for the driver's management library knows two devices, of 9.0 and 8.6.
TEST_F(Cli, DoctorNamesTheDevicesAndWhatIsBuiltForThem) {
  if (fs::exists("/proc/driver/nvidia/gpus")) GTEST_SKIP() << "there is a GPU";
  const auto report = run({"doctor"}, {"LD_LIBRARY_PATH=" OPGRADE_BINARY_DIR "/tests/fake_nvml"});
  EXPECT_THAT(report.standard_output,
              AllOf(HasSubstr("Fake A (GPU-11111111-aa)"), HasSubstr("Fake B (GPU-22222222-bb)")));
  OPGRADE_SKIP_UNLESS("nvcc", report.standard_output.find("no nvcc") == std::string::npos,
                      "no CUDA toolkit");
  EXPECT_THAT(report.standard_output, HasSubstr(", builds for sm_86\n"));
}

TEST_F(SandboxedCli, AGpuStageWithoutAGpuIsNotRunNeitherPassedNorFailed) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "there is a GPU";
  write("gpu.yaml",
        "opgrade: 1\nname: gpu\npass_mark: 5\nstages:\n"
        "  - {name: cpu, device: cpu, random_shapes: {count: 1, points: 5}}\n"
        "  - {name: gpu, device: cuda, random_shapes: {count: 1, points: 7}}\n");
  const auto report =
      run({"check", submission("good"), "--config", "gpu.yaml", "--device", "cuda", "--json"});
  EXPECT_EQ(exit_code(report), 0);
  const json grade = json::parse(report.standard_output);
  EXPECT_EQ(grade["outcome"], "passed");
  EXPECT_EQ(grade["open_points"], 7);
  const json& c = grade["stages"][1]["cases"][0];
  EXPECT_EQ(c["outcome"], "not_run");
  EXPECT_THAT(c["reason"].get<std::string>(), HasSubstr("no GPU"));
  EXPECT_EQ(c["points"][0]["open"], true);
}

// Nothing is wrong, and what is open would reach the mark. Where something is wrong it does, too.
TEST_F(SandboxedCli, AnIncompleteGradeIsNoFailureAndHidesNone) {
  write("open.yaml",
        "opgrade: 1\nname: open\npass_mark: 10\nstages:\n"
        "  - name: cpu\n    device: cpu\n    random_shapes: {count: 1, points: 5}\n"
        "    open_items: [{name: Report, points: 12}]\n");
  for (const auto& [name, code] : {std::pair{"good", 3}, {"not_compiling", 1}}) {
    const auto report = run({"check", submission(name), "--config", "open.yaml"});
    EXPECT_EQ(exit_code(report), code) << report.standard_output;
    EXPECT_THAT(report.standard_output, HasSubstr(code == 3 ? "INCOMPLETE" : "FAILED"));
  }
  const auto both = run({"grade", submission("good"), submission("not_compiling"), "--config",
                         "open.yaml", "--out", "results"});
  EXPECT_EQ(exit_code(both), 1) << both.standard_output;
}

// `make demo` builds none of them there.
TEST_F(SandboxedCli, WithoutAGpuTheGpuPartsAreNotNeeded) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "there is a GPU";
  write("gpu.yaml",
        "opgrade: 1\nname: gpu\nstages:\n"
        "  - {name: gpu, device: cuda, random_shapes: {count: 1, points: 7}}\n");
  Command command = place.command({"check", OPGRADE_SOURCE_DIR "/reference/solution/minidnn-3",
                                   "--config", "gpu.yaml", "--json"},
                                  {"OPGRADE_SHARE=" OPGRADE_BINARY_DIR "/share/opgrade"});
  const fs::path bin = place.path() / "bin";
  fs::create_directory(bin);
  fs::copy_file(command.program, bin / "opgrade");
  for (const char* helper : {"opgrade-harness", "opgrade-cucc"})
    fs::create_symlink(fs::path(OPGRADE_BINARY_DIR "/bin") / helper, bin / helper);
  command.program = bin / "opgrade";
  const auto report = run_command(command, test::kPatience);
  EXPECT_EQ(exit_code(report), 0) << report.standard_error;
  EXPECT_EQ(json::parse(report.standard_output, nullptr, false)["outcome"], "passed");
}

TEST_F(SandboxedCli, WhereNothingCouldBeRunNothingHasPassed) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "there is a GPU";
  write("gpu.yaml",
        "opgrade: 1\nname: gpu\nstages:\n"
        "  - {name: gpu, device: cuda, random_shapes: {count: 1, points: 7}}\n");
  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{"check"},
        {"grade", "--out", (place.path() / "results").string()}}) {
    auto words = verb;
    words.insert(words.end(), {submission("good"), "--config", "gpu.yaml", "--device", "cuda"});
    EXPECT_EQ(exit_code(run(words)), 3) << verb.front();
  }
}

}  // namespace
}  // namespace opgrade
