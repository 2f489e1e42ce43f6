// A device that works for nobody: no kernel image for it, a driver that is too old, none at all.
// The emulated device stands in for it, with headers in which every wait for the device fails. And
// submissions that only say that it does not work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"
#include "tests/support/sandboxed.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::exit_code;
using testing::HasSubstr;
using testing::Not;

const fs::path kHonest = OPGRADE_SOURCE_DIR "/reference/solution/minidnn-3";
const fs::path kClaims = OPGRADE_SOURCE_DIR "/tests/corpus/faults";

class DeviceProgram : public testing::Test {
 protected:
  void SetUp() override {
    OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here");
    OPGRADE_SKIP_UNLESS("emulation", fs::exists(OPGRADE_BINARY_DIR "/bin/opgrade-cucc"),
                        "built without the emulated device");
  }

  /// A copy of the program and its emulated device, whose every wait for the device ends in
  /// `error`.
  void install_broken(const std::string& error) {
    prefix = place.path() / "prefix";
    const fs::path built = OPGRADE_BINARY_DIR;
    for (const fs::path part : {"bin/opgrade", "bin/opgrade-harness", "bin/opgrade-cucc",
                                "lib/opgrade/emulation", "share/opgrade/emulation"}) {
      fs::create_directories((prefix / part).parent_path());
      fs::copy(fs::canonical(built / part), prefix / part, fs::copy_options::recursive);
    }
    // The adapter waits for the device: it is compiled with the broken headers, as a submission is.
    fs::remove_all(prefix / "lib/opgrade/emulation/adapters");
    std::ofstream(prefix / "share/opgrade/emulation/include/cuda_runtime.h", std::ios::app)
        << "inline cudaError_t opgrade_test_broken() { return " << error << "; }\n"
        << "#define cudaDeviceSynchronize opgrade_test_broken\n";
  }

  ProcessReport grade(const fs::path& submission) {
    Command command = place.command(
        {"grade", submission, "--config", OPGRADE_SOURCE_DIR "/tests/configs/cli-gpu.yaml", "--out",
         "results", "--device", "emulated"},
        {"OPGRADE_SHARE=" OPGRADE_BINARY_DIR "/share/opgrade"});
    command.program = prefix / "bin/opgrade";
    return run_command(command, test::kPatience);
  }
  json only_case(const std::string& name) const {
    std::ifstream file(place.path() / "results" / name / "report.json");
    return json::parse(file).at("stages").at(0).at("cases").at(0);
  }

  test::Workplace place;
  fs::path prefix = OPGRADE_BINARY_DIR;
};

class BrokenDevice : public DeviceProgram,
                     public testing::WithParamInterface<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(
    Error, BrokenDevice,
    testing::Values(std::pair{"cudaErrorNoKernelImageForDevice", "set OPGRADE_CUDA_ARCH"},
                    std::pair{"cudaErrorInsufficientDriver", "older than the CUDA toolkit"},
                    std::pair{"cudaErrorNoDevice", "able to open /dev/nvidia*"}),
    [](const auto& error) { return std::string(error.param.first); });

TEST_P(BrokenDevice, IsNotHeldAgainstTheSubmission) {
  install_broken(GetParam().first);
  const auto report = grade(kHonest);
  EXPECT_EQ(exit_code(report), 3) << report.standard_error;
  const json fault = only_case("minidnn-3");
  EXPECT_EQ(fault["outcome"], "grader_fault");
  EXPECT_THAT(fault["reason"].get<std::string>(),
              HasSubstr("reference solution fails on this device as well: device error"));
  EXPECT_THAT(fault["hint"].get<std::string>(), HasSubstr(GetParam().second));
  if (GetParam().first != std::string("cudaErrorInsufficientDriver")) return;
  // Once the device works the submission is graded, without being asked for again.
  prefix = OPGRADE_BINARY_DIR;
  const auto again = grade(kHonest);
  EXPECT_EQ(exit_code(again), 0) << again.standard_output << again.standard_error;
  EXPECT_THAT(again.standard_error, Not(HasSubstr("kept from before")));
}

class ClaimedFault : public DeviceProgram,
                     public testing::WithParamInterface<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Submission, ClaimedFault,
                         testing::Values(std::pair{"claims_no_device", "exited_early"},
                                         std::pair{"forges_device_error", "exited_early"}),
                         [](const auto& name) { return std::string(name.param.first); });

TEST_P(ClaimedFault, IsItsOwnOnADeviceThatWorks) {
  const auto [name, outcome] = GetParam();
  EXPECT_EQ(exit_code(grade(kClaims / name)), 1);
  EXPECT_EQ(only_case(name)["outcome"], outcome) << only_case(name)["reason"];
  const auto again = grade(kClaims / name);
  EXPECT_EQ(exit_code(again), 1);
  EXPECT_THAT(again.standard_error, HasSubstr("kept from before")) << "graded again for ever";
}

}  // namespace
}  // namespace opgrade
