#include "grader/grading/run/runtime_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "grader/base/core/temp_dir.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

/// The parts of /dev and /proc that the NVIDIA driver makes, in a folder.
class GpuNodes : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root() / "dev/nvidia-caps");
    for (const char* node : {"nvidia0", "nvidia1", "nvidia2", "nvidiactl", "nvidia-uvm",
                             "nvidia-uvm-tools", "nvidia-modeset", "null"})
      std::ofstream(root() / "dev" / node) << "";
    // Addresses on the bus are in another order than the nodes.
    gpu("0000:18:00.0", "GPU-aaaaaaaa-0000-0000-0000-000000000001", "2");
    gpu("0000:2a:00.0", "GPU-aaaaaaaa-0000-0000-0000-000000000002", "0");
  }
  void gpu(const std::string& bus, const std::string& uuid, const std::string& minor) {
    const fs::path folder = root() / "proc/driver/nvidia/gpus" / bus;
    fs::create_directories(folder);
    std::ofstream(folder / "information")
        << "Model: \t\t NVIDIA H100 80GB HBM3\n"
        << "IRQ:   \t\t 16\nGPU UUID: \t " << uuid << "\nBus Type: \t PCIe\nDevice Minor: \t "
        << minor << "\nGPU Firmware: \t 580\nGPU Excluded:\t No\n";
  }
  const fs::path& root() const { return folder_.path(); }
  std::vector<std::string> nodes(const std::string& uuid) const {
    std::vector<std::string> names;
    for (const auto& node : gpu_nodes(uuid, root())) {
      EXPECT_EQ(node.parent_path(), root() / "dev");
      names.push_back(node.filename());
    }
    return names;
  }

  TempDir folder_{"opgrade-test-"};
};

TEST_F(GpuNodes, OnlyTheChosenOnes) {
  EXPECT_THAT(nodes("GPU-aaaaaaaa-0000-0000-0000-000000000001"), ElementsAre("nvidia2"));
  EXPECT_THAT(nodes("GPU-aaaaaaaa-0000-0000-0000-000000000002"), ElementsAre("nvidia0"));
}

TEST_F(GpuNodes, AllWhereItIsNotKnownWhichOne) {
  const auto all = ElementsAre("nvidia0", "nvidia1", "nvidia2");
  EXPECT_THAT(nodes(""), all);
  EXPECT_THAT(nodes("GPU-bbbbbbbb-0000-0000-0000-000000000001"), all) << "a part of a GPU";
  EXPECT_THAT(nodes("GPU-aaaaaaaa"), all) << "a prefix is not the name";
  gpu("0000:18:00.0", "GPU-aaaaaaaa-0000-0000-0000-000000000001", "7");
  EXPECT_THAT(nodes("GPU-aaaaaaaa-0000-0000-0000-000000000001"), all) << "its node is not there";
  gpu("0000:18:00.0", "GPU-aaaaaaaa-0000-0000-0000-000000000001", "");
  EXPECT_THAT(nodes("GPU-aaaaaaaa-0000-0000-0000-000000000001"), all);
  fs::remove_all(root() / "proc");
  EXPECT_THAT(nodes("GPU-aaaaaaaa-0000-0000-0000-000000000001"), all) << "no such /proc";
}

TEST_F(GpuNodes, NoneWithoutADriver) {
  fs::remove_all(root() / "dev");
  EXPECT_THAT(nodes("GPU-aaaaaaaa-0000-0000-0000-000000000001"), testing::IsEmpty());
}

}  // namespace
}  // namespace opgrade
