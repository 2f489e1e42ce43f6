#include "grader/grading/device/gpu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "grader/base/core/temp_dir.hpp"

namespace opgrade {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The rules are those of the CUDA programming guide's section on environment variables.
class VisibleToCuda : public testing::Test {
 protected:
  const GpuId a{"A", "GPU-11111111-aa"}, b{"B", "GPU-22222222-bb"}, c{"C", "GPU-22223333-cc"};
  const std::vector<GpuId> all{a, b, c};
};

TEST_F(VisibleToCuda, AllWithoutTheVariable) { EXPECT_EQ(visible_to_cuda(all, nullptr), all); }

TEST_F(VisibleToCuda, ByNumberInTheOrderGiven) {
  EXPECT_THAT(visible_to_cuda(all, "2,0"), ElementsAre(c, a));
  EXPECT_THAT(visible_to_cuda(all, " 1 , 2"), ElementsAre(b, c));
}

TEST_F(VisibleToCuda, ByTheBeginningOfAUuid) {
  EXPECT_THAT(visible_to_cuda(all, "GPU-22223333-cc,GPU-1"), ElementsAre(c, a));
}

TEST_F(VisibleToCuda, NothingFromTheFirstThatNamesNone) {
  EXPECT_THAT(visible_to_cuda(all, "1,-1,0"), ElementsAre(b));
  EXPECT_THAT(visible_to_cuda(all, "0,3,1"), ElementsAre(a));
  for (const char* none : {"", " ", "-1", "none", "GPU-4", "9", ",0", "1x", "99999999999999999999"})
    EXPECT_THAT(visible_to_cuda(all, none), IsEmpty()) << none;
}

TEST_F(VisibleToCuda, APartOfADeviceIsADevice) {
  const auto visible = visible_to_cuda(all, "MIG-abc");
  ASSERT_EQ(visible.size(), 1U);
  EXPECT_EQ(visible[0].uuid, "MIG-abc");
}

// As /proc/driver/nvidia/gpus/<place on the bus>/information, which has more lines than these.
class DriverList : public testing::Test {
 protected:
  void add(const std::string& bus, const std::string& model, const std::string& uuid) {
    std::filesystem::create_directory(folder.path() / bus);
    std::ofstream(folder.path() / bus / "information")
        << "Model: \t\t " << model << "\nIRQ:   \t\t 57\nGPU UUID: \t " << uuid
        << "\nVideo BIOS: \t 96.00\nBus Type: \t PCIe\n";
  }
  TempDir folder{"opgrade-test-"};
};

TEST_F(DriverList, InTheOrderOfTheBus) {
  add("0000:65:00.0", "NVIDIA B", "GPU-22222222-bb");
  add("0000:17:00.0", "NVIDIA A", "GPU-11111111-aa");
  EXPECT_THAT(machine_gpus(folder.path()), ElementsAre(GpuId{"NVIDIA A", "GPU-11111111-aa"},
                                                       GpuId{"NVIDIA B", "GPU-22222222-bb"}));
}

TEST_F(DriverList, OneThatDoesNotKnowADeviceIsNotBelieved) {
  add("0000:17:00.0", "NVIDIA A", "GPU-11111111-aa");
  add("0000:65:00.0", "NVIDIA B", "GPU-\?\?\?\?\?\?\?\?-\?\?\?\?-\?\?\?\?");
  for (const auto& gpu : machine_gpus(folder.path())) EXPECT_NE(gpu.uuid, "GPU-11111111-aa");
}

}  // namespace
}  // namespace opgrade
