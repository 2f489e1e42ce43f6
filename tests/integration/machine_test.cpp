// What the program says of the machine before it grades: the GPU in the sandbox, bubblewrap.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "grader/platform/sandbox/support.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using test::exit_code;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Machine : public testing::Test {
 protected:
  test::Workplace place;
};

/// Stand-ins for the driver's libraries: there is a GPU, and its driver starts or does not.
class FakeGpu : public Machine {
 protected:
  void SetUp() override {
    if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "there is a GPU";
    const auto support = SandboxSupport::detect_without({"userns"});
    OPGRADE_SKIP_UNLESS("landlock", support.tier == SandboxTier::no_userns, "no Landlock here");
  }
  /// The libraries lie where the sandbox's user can read them, as a driver does: root's own folder,
  /// in which opgrade may have been built, is closed to it.
  ProcessReport run(std::vector<std::string> arguments, const std::string& driver) const {
    std::string folders;
    for (const std::string& name : {std::string("fake_nvml"), driver}) {
      const fs::path folder = place.path() / name;
      if (!fs::exists(folder)) fs::copy(OPGRADE_BINARY_DIR "/tests/" + name, folder);
      folders += (folders.empty() ? "" : ":") + folder.string();
    }
    return place.run(std::move(arguments),
                     {"LD_LIBRARY_PATH=" + folders, "OPGRADE_SANDBOX_WITHOUT=userns"});
  }
};

TEST_F(FakeGpu, TheDoctorTriesItInTheSandbox) {
  const auto good = run({"doctor"}, "fake_cuda");
  EXPECT_THAT(good.standard_output,
              HasSubstr("ok       GPU in the sandbox memory was written and read back\n"));
  const auto bad = run({"doctor"}, "fake_cuda_refuses");
  EXPECT_THAT(bad.standard_output,
              AllOf(HasSubstr("GPU in the sandbox cuInit: CUDA_ERROR_OPERATING_SYSTEM (304)\n"),
                    HasSubstr("-> GPU stages cannot run in this tier")));
  OPGRADE_SKIP_UNLESS("nvcc", good.standard_output.find("no nvcc") == std::string::npos,
                      "no CUDA toolkit");
  EXPECT_EQ(exit_code(bad), 3);
}

TEST_F(FakeGpu, AGradingThatNeedsItEndsBeforeTheFirstSubmission) {
  OPGRADE_SKIP_UNLESS("nvcc", fs::exists(OPGRADE_BINARY_DIR "/bin/libopgrade_empty_call.so"),
                      "built without CUDA");
  const auto doctor = run({"doctor"}, "fake_cuda");
  OPGRADE_SKIP_UNLESS("nvcc", doctor.standard_output.find("no nvcc") == std::string::npos,
                      "no CUDA toolkit");
  const std::vector<std::string> arguments{
      "grade",    OPGRADE_SOURCE_DIR "/reference/solution/minidnn-3",
      "--config", OPGRADE_SOURCE_DIR "/tests/configs/cli-gpu.yaml",
      "--out",    "results"};
  const auto report = run(arguments, "fake_cuda_refuses");
  EXPECT_EQ(exit_code(report), 3) << report.standard_output;
  EXPECT_THAT(report.standard_error,
              HasSubstr("the GPU does not work in the sandbox tier 'no user namespaces': cuInit: "
                        "CUDA_ERROR_OPERATING_SYSTEM (304)\n"));
  EXPECT_THAT(report.standard_error, Not(HasSubstr("building")));
  EXPECT_FALSE(fs::exists(place.path() / "results/minidnn-3"));
}

TEST_F(Machine, BubblewrapIsFoundOnPath) {
  const fs::path folder = place.path() / "programs";
  fs::create_directory(folder);
  std::ofstream(folder / "bwrap") << "#!/bin/sh\necho the one on PATH >&2\nexit 1\n";
  ::chmod((folder / "bwrap").c_str(), 0755);
  // The first of two of a name counts, as in a shell.
  Command command = place.command({"doctor"});
  std::erase_if(command.environment, [](const std::string& variable) {
    return variable.starts_with("PATH=") || variable.starts_with("OPGRADE_BWRAP=");
  });
  command.environment.push_back("PATH=" + folder.string() + ":/usr/bin:/bin");
  EXPECT_THAT(run_command(command, test::kPatience).standard_output, HasSubstr("the one on PATH"));
}

TEST_F(Machine, ABubblewrapThatIsNamedIsTheOne) {
  const auto report = place.run({"doctor"}, {"OPGRADE_BWRAP=/no/such/bwrap"});
  EXPECT_THAT(report.standard_output,
              HasSubstr("OPGRADE_BWRAP names /no/such/bwrap, which cannot be run"));
  EXPECT_THAT(place.run({"doctor", "--help"}).standard_output,
              AllOf(HasSubstr("OPGRADE_BWRAP"), HasSubstr("OPGRADE_SANDBOX_WITHOUT")));
}

}  // namespace
}  // namespace opgrade
