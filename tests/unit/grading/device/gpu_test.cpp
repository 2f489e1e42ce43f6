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

// As /proc/driver/nvidia/gpus/<place on the bus>/information, which has more lines than these, and
// the devices' nodes.
class DriverList : public testing::Test {
 protected:
  void add(const std::string& bus, const std::string& model, const std::string& uuid,
           const std::string& minor) {
    const auto place = root.path() / "proc/driver/nvidia/gpus" / bus;
    std::filesystem::create_directories(place);
    std::filesystem::create_directories(root.path() / "dev");
    std::ofstream(place / "information")
        << "Model: \t\t " << model << "\nIRQ:   \t\t 57\nGPU UUID: \t " << uuid
        << "\nVideo BIOS: \t 96.00\nBus Type: \t PCIe\nDevice Minor: \t " << minor << "\n";
    std::ofstream(node(minor)) << "";
  }
  std::filesystem::path node(const std::string& minor) const {
    return root.path() / "dev" / ("nvidia" + minor);
  }
  std::vector<GpuId> gpus() const { return machine_gpus(root.path(), without); }

  TempDir root{"opgrade-test-"};
  const Nvml without{"libopgrade-no-such-library.so"};
  const GpuId a{"NVIDIA A", "GPU-11111111-aa"}, b{"NVIDIA B", "GPU-22222222-bb"};
};

TEST_F(DriverList, InTheOrderOfTheBus) {
  add("0000:65:00.0", b.name, b.uuid, "0");
  add("0000:17:00.0", a.name, a.uuid, "1");
  EXPECT_THAT(gpus(), ElementsAre(a, b));
}

TEST_F(DriverList, OneThatDoesNotKnowADeviceIsNotBelieved) {
  add("0000:17:00.0", a.name, a.uuid, "0");
  add("0000:65:00.0", b.name, "GPU-\?\?\?\?\?\?\?\?-\?\?\?\?-\?\?\?\?", "1");
  EXPECT_THAT(gpus(), IsEmpty());
}

// A container on a machine with GPUs: it sees the list of all, and was given none, or another one.
TEST_F(DriverList, OfAContainerIsNotBelieved) {
  add("0000:17:00.0", a.name, a.uuid, "0");
  add("0000:65:00.0", b.name, b.uuid, "1");
  std::filesystem::remove(node("1"));
  EXPECT_THAT(gpus(), IsEmpty()) << "one of two";
  std::filesystem::remove(node("0"));
  EXPECT_THAT(gpus(), IsEmpty()) << "none";
  add("0000:65:00.0", b.name, b.uuid, "1");
  add("0000:17:00.0", a.name, a.uuid, "");
  EXPECT_THAT(gpus(), IsEmpty()) << "no number";
}

}  // namespace
}  // namespace opgrade
