#include "grader/platform/gpu/nvml.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/device/gpu.hpp"
#include "grader/grading/pipeline/machine_state.hpp"
#include "grader/platform/gpu/monitor.hpp"
#include "tests/unit/platform/gpu/fake_nvml.hpp"

namespace opgrade {
namespace {

using test::FakeNvml;
using testing::ElementsAre;
using testing::IsEmpty;

/// The state that `library` shares with every Nvml that loads it; reset for this test.
FakeNvml& state_of(const char* library) {
  void* const handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  auto* const state =
      handle == nullptr ? nullptr : static_cast<FakeNvml*>(::dlsym(handle, "fake_nvml"));
  if (state == nullptr) throw std::runtime_error(std::string("no fake in ") + library);
  *state = FakeNvml{};
  return *state;
}

class NvmlTest : public testing::Test {
 protected:
  FakeNvml& fake = state_of(FAKE_NVML);
  Nvml nvml{FAKE_NVML};
  const TempDir root{"opgrade-test-"};  // without a driver's list
  const std::vector<GpuId> both{{"Fake A", "GPU-11111111-aa"}, {"Fake B", "GPU-22222222-bb"}};
};

// In a process that finds the fake where it would find the driver's: by LD_LIBRARY_PATH.
TEST_F(NvmlTest, TheMachinesIsFoundByTheLoader) {
  EXPECT_EQ(&state_of("libnvidia-ml.so.1"), &fake) << "the test's LD_LIBRARY_PATH names the fake";
  EXPECT_EQ(machine_gpus(root.path()), both);
  fake.reasons = 0x08;
  const auto sample = GpuMonitor(both[0].uuid).sample();
  ASSERT_TRUE(sample);
  EXPECT_THAT(sample->throttled_by, ElementsAre("hardware slowdown"));
  EXPECT_EQ(fake.started, 1) << "once for both";
}

TEST_F(NvmlTest, StartsOnceAndOnlyWhenAsked) {
  EXPECT_EQ(fake.started, 0);
  EXPECT_EQ(machine_gpus(root.path(), nvml), both);
  EXPECT_EQ(machine_gpus(root.path(), nvml), both);
  EXPECT_TRUE(GpuMonitor(both[1].uuid, nvml).sample());
  EXPECT_TRUE(GpuMonitor(both[0].uuid, nvml).sample());
  EXPECT_EQ(fake.started, 1);
}

// What /proc/driver/nvidia has of a device whose node is /dev/nvidia3.
void list_a_device(const std::filesystem::path& root) {
  const auto place = root / "proc/driver/nvidia/gpus/0000:17:00.0";
  std::filesystem::create_directories(place);
  std::ofstream(place / "information")
      << "Model: \t Listed\nGPU UUID: \t GPU-33333333-cc\nDevice Minor: \t 3\n";
}

TEST_F(NvmlTest, IsNotStartedWhereTheDriversListTells) {
  list_a_device(root.path());
  std::filesystem::create_directory(root.path() / "dev");
  std::ofstream(root.path() / "dev/nvidia3") << "";
  EXPECT_THAT(machine_gpus(root.path(), nvml), ElementsAre(GpuId{"Listed", "GPU-33333333-cc"}));
  EXPECT_EQ(fake.started, 0);
}

TEST_F(NvmlTest, TellsWhatAContainerWasGiven) {
  list_a_device(root.path());
  EXPECT_EQ(machine_gpus(root.path(), nvml), both);
  EXPECT_EQ(fake.started, 1);
}

// A GPU that falls off the bus must not turn a class's grader faults into "there is no GPU here".
TEST_F(NvmlTest, ADeviceThatIsLostStaysInTheList) {
  EXPECT_EQ(nvml.devices(), both);
  fake.devices = 0;
  EXPECT_EQ(nvml.devices(), both);
}

TEST_F(NvmlTest, ADeviceThatDoesNotAnswerIsLeftOut) {
  fake.devices = 3;  // the fake knows two
  EXPECT_EQ(nvml.devices(), both);
}

TEST_F(NvmlTest, SamplesTellClockTemperatureAndWhatSlows) {
  const GpuMonitor monitor(both[1].uuid, nvml);
  auto sample = monitor.sample();
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->sm_clock_mhz, 1410);
  EXPECT_EQ(sample->temperature_c, 61);
  EXPECT_THAT(sample->throttled_by, IsEmpty());
  fake.reasons = 0x04 | 0x20;  // 1410 is below three quarters of 1980
  sample = monitor.sample();
  ASSERT_TRUE(sample);
  EXPECT_THAT(sample->throttled_by, ElementsAre("power cap", "thermal slowdown"));
  fake.clock = 1800;
  sample = monitor.sample();
  ASSERT_TRUE(sample);
  EXPECT_THAT(sample->throttled_by, ElementsAre("thermal slowdown"));
  fake.processes[0] = static_cast<unsigned>(::getpid());
  fake.processes[1] = static_cast<unsigned>(::getppid());
  sample = monitor.sample();
  ASSERT_TRUE(sample);
  EXPECT_THAT(sample->throttled_by, testing::Contains(testing::StartsWith("another program (")));
}

TEST_F(NvmlTest, TheMachinesStateHasEachDevice) {
  fake.reasons = 0x40;
  const MachineState state = machine_state(both, nvml);
  EXPECT_FALSE(state.host.empty());
  EXPECT_GT(state.cpus, 0);
  ASSERT_EQ(state.gpus.size(), 2U);
  for (const GpuState& gpu : state.gpus) {
    EXPECT_EQ(gpu.sm_clock_mhz, 1410);
    EXPECT_EQ(gpu.highest_sm_clock_mhz, 1980);
    EXPECT_EQ(gpu.temperature_c, 61);
    EXPECT_THAT(gpu.throttled_by, testing::Optional(ElementsAre("hardware thermal slowdown")));
  }
  EXPECT_EQ(state.gpus[1].gpu, both[1]);
}

TEST_F(NvmlTest, AStateHasWhatIsAnswered) {
  const Nvml without(FAKE_NVML_WITHOUT);
  state_of(FAKE_NVML_WITHOUT).temperature = 55;
  const MachineState state = machine_state({both[0], {"Lost", "GPU-44444444-dd"}}, without);
  ASSERT_EQ(state.gpus.size(), 2U);
  EXPECT_EQ(state.gpus[0].temperature_c, 55);
  EXPECT_EQ(state.gpus[0].throttled_by, std::nullopt);
  EXPECT_EQ(state.gpus[1].gpu.name, "Lost");
  EXPECT_EQ(state.gpus[1].sm_clock_mhz, std::nullopt);
}

TEST_F(NvmlTest, CodeIsBuiltForTheOldestDevice) {
  EXPECT_EQ(cuda_architecture(both, nvml), "sm_86");
  EXPECT_EQ(cuda_architecture({both[0]}, nvml), "sm_90");
  fake.capabilities[0] = 75;
  fake.capabilities[1] = 103;
  EXPECT_EQ(cuda_architecture(both, nvml), "sm_75");
  EXPECT_EQ(cuda_architecture({both[1]}, nvml), "sm_103");
  EXPECT_EQ(cuda_architecture({}, nvml), std::nullopt);
  EXPECT_EQ(cuda_architecture({both[0], {"Fake C", "GPU-44444444-dd"}}, nvml), std::nullopt);
}

TEST_F(NvmlTest, NoSamplesOfADeviceItDoesNotKnow) {
  EXPECT_FALSE(GpuMonitor("GPU-44444444-dd", nvml).sample());
}

TEST_F(NvmlTest, OneThatDoesNotStartAnswersNothing) {
  fake.init_result = 9;  // NVML_ERROR_DRIVER_NOT_LOADED
  EXPECT_THAT(machine_gpus(root.path(), nvml), IsEmpty());
  EXPECT_FALSE(GpuMonitor(both[0].uuid, nvml).sample());
  EXPECT_EQ(fake.started, 1) << "and is not tried again";
}

TEST_F(NvmlTest, AMissingLibraryAnswersNothing) {
  const Nvml none("/nowhere/libnvidia-ml.so.1");
  EXPECT_THAT(machine_gpus(root.path(), none), IsEmpty());
  EXPECT_FALSE(GpuMonitor(both[0].uuid, none).sample());
}

TEST_F(NvmlTest, AMissingFunctionAnswersNothing) {
  FakeNvml& old = state_of(FAKE_NVML_WITHOUT);
  const Nvml without(FAKE_NVML_WITHOUT);
  EXPECT_THAT(machine_gpus(root.path(), without), IsEmpty());
  EXPECT_FALSE(GpuMonitor(both[0].uuid, without).sample());
  EXPECT_EQ(cuda_architecture(both, without), std::nullopt);
  EXPECT_EQ(old.started, 1) << "the others were there";
  const auto device = without.find(both[0].uuid);
  ASSERT_TRUE(device);
  EXPECT_EQ(without.temperature(*device), 61);
}

}  // namespace
}  // namespace opgrade
