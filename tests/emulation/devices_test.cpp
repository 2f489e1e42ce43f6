// Several emulated devices: what is right works, and memory of another device is a finding at its
// line.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "grader/base/core/temp_dir.hpp"
#include "tests/emulation/build_and_run.hpp"

namespace opgrade::emulation_test {
namespace {

constexpr const char* kTwo = "OPGRADE_EMULATION_DEVICES=2";

TEST(Devices, have_memory_variables_and_streams_of_their_own) {
  const auto source =
      std::filesystem::path(OPGRADE_SOURCE_DIR) / "tests/emulation/features/devices.cu";
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{}, {"-O0"}, {"--check"}, {"--count"}}) {
    const TempDir folder("opgrade-devices");
    const Built built = build(source, folder.path(), flags);
    ASSERT_TRUE(built.ok) << built.messages;
    const Ran ran = run(built.object, kTwo);
    ASSERT_TRUE(ran.report.is_object()) << ran.exit_status << ": " << ran.output;
    EXPECT_EQ(ran.report["result"], 0) << ran.output;
    for (const auto& finding : ran.report["findings"])
      EXPECT_TRUE(finding["kind"] == "failed_call" || finding["kind"] == "launch_refused")
          << finding.dump(1);
  }
}

/// What run() finds whose kernel uses, on device 0, memory of device 1 by `line`.
nlohmann::json findings_of(const std::string& line, const std::string& before,
                           const std::vector<std::string>& flags) {
  const TempDir folder("opgrade-devices");
  const auto file = folder.path() / "other.cu";
  std::ofstream(file) << "__global__ void use(int* own, int* other) {\n"
                      << "  " << line << "\n"
                      << "}\n"
                      << "extern \"C\" int run() {\n"
                      << "  int *own, *other;\n"
                      << "  cudaMalloc(&own, 4); cudaMemset(own, 0, 4);\n"
                      << "  cudaSetDevice(1);\n"
                      << "  cudaMalloc(&other, 4); cudaMemset(other, 0, 4);\n"
                      << "  cudaSetDevice(0);\n"
                      << "  " << before << "\n"
                      << "  use<<<1, 1>>>(own, other);\n"
                      << "  cudaDeviceSynchronize();\n"
                      << "  cudaFree(own); cudaFree(other);\n"
                      << "  return 0;\n"
                      << "}\n";
  const Built built = build(file, folder.path(), flags);
  EXPECT_TRUE(built.ok) << built.messages;
  const Ran ran = run(built.object, kTwo);
  EXPECT_TRUE(ran.report.is_object()) << ran.exit_status << ": " << ran.output;
  return ran.report;
}

TEST(Devices, find_an_access_to_memory_of_another_one_at_its_line) {
  for (const char* line :
       {"own[0] = other[0];", "other[0] = 1;", "atomicAdd(other, 1);", "own[0] = __ldg(other);"})
    for (const std::vector<std::string>& flags :
         {std::vector<std::string>{}, {"--check"}, {"--count"}}) {
      const auto report = findings_of(line, "", flags);
      ASSERT_EQ(report["findings"].size(), 1U) << line << report.dump(1);
      const auto& finding = report["findings"][0];
      EXPECT_EQ(finding["kind"], "memory_of_another_device") << line;
      EXPECT_EQ(finding["line"], 2) << line << finding.dump(1);
      EXPECT_NE(finding["message"].get<std::string>().find(
                    "The kernel runs on device 0 and uses memory of device 1"),
                std::string::npos)
          << finding.dump(1);
      EXPECT_EQ(report["status"], 700) << "cudaErrorIllegalAddress";
    }
}

TEST(Devices, say_nothing_once_peer_access_is_enabled) {
  for (const std::vector<std::string>& flags : {std::vector<std::string>{}, {"--check"}}) {
    const auto report =
        findings_of("own[0] = other[0];", "cudaDeviceEnablePeerAccess(1, 0);", flags);
    EXPECT_EQ(report["findings"].size(), 0U) << report.dump(1);
    EXPECT_EQ(report["status"], 0);
  }
}

// From device 1 to device 0 it is another permission.
TEST(Devices, peer_access_has_a_direction) {
  const auto report = findings_of(
      "own[0] = other[0];", "cudaSetDevice(1); cudaDeviceEnablePeerAccess(0, 0); cudaSetDevice(0);",
      {"--check"});
  ASSERT_EQ(report["findings"].size(), 1U) << report.dump(1);
  EXPECT_EQ(report["findings"][0]["kind"], "memory_of_another_device");
}

}  // namespace
}  // namespace opgrade::emulation_test
