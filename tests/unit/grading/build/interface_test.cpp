#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/task/config/registry.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

TEST(Interfaces, EachIsCompleteAndItsFilesExist) {
  std::set<std::string_view> ids;
  for (const Interface& interface : interfaces()) {
    EXPECT_TRUE(ids.insert(interface.id).second) << interface.id;
    const fs::path adapters = resources::share_folder() / "adapters" / interface.id;
    const fs::path solution = resources::share_folder() / "reference_solution" / interface.id;
    for (const Device device : {Device::cpu, Device::cuda}) {
      EXPECT_FALSE(interface.source(device).empty());
      EXPECT_TRUE(fs::exists(adapters / interface.adapter(device)))
          << adapters / interface.adapter(device);
    }
    EXPECT_EQ(interface.adapter(Device::cuda), interface.adapter(Device::emulated));
    EXPECT_FALSE(interface.cpu_signature.empty()) << interface.id;
    EXPECT_FALSE(interface.gpu_signature.empty()) << interface.id;
    EXPECT_FALSE(interface.terms.empty()) << interface.id;
  }
}

TEST(Interfaces, EveryInstalledAdapterFileIsListed) {
  const std::set<std::string> listed(adapter_files().begin(), adapter_files().end());
  std::set<std::string> installed;
  const fs::path adapters = resources::share_folder() / "adapters";
  for (const auto& entry : fs::recursive_directory_iterator(adapters))
    if (entry.is_regular_file()) installed.insert(entry.path().lexically_relative(adapters));
  EXPECT_EQ(listed, installed);
}

// An adapter that says #include "submission_abi.h" gets the submission's file of that name.
TEST(Interfaces, AdaptersNameTheGradersHeadersByTheirPlace) {
  for (const auto& entry :
       fs::recursive_directory_iterator(resources::share_folder() / "adapters")) {
    if (!entry.is_regular_file() || entry.path().parent_path().filename() == "adapters") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      for (const char* own : {"\"submission_abi.h\"", "\"cuda_device.h\""}) {
        EXPECT_EQ(line.find(own), std::string::npos) << entry.path() << ": " << line;
      }
    }
  }
}

TEST(Interfaces, AnUnknownOneNamesTheKnown) {
  try {
    find_interface("minidnn-4");
    FAIL() << "found";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "unknown interface 'minidnn-4'");
    EXPECT_THAT(e.hint, testing::HasSubstr("minidnn-3"));
  }
}

TEST(Interfaces, StepsThatAreThere) {
  const Interface& three = find_interface("minidnn-3");
  EXPECT_FALSE(three.prolog(Device::cpu));
  EXPECT_FALSE(three.epilog(Device::cpu));
  EXPECT_TRUE(three.prolog(Device::cuda));
  EXPECT_TRUE(three.epilog(Device::emulated));
  EXPECT_FALSE(find_interface("minidnn-1").prolog(Device::cuda));
  EXPECT_FALSE(find_interface("mxnet").prolog(Device::cpu));
  EXPECT_TRUE(find_interface("mxnet").zeroed_output);
  EXPECT_FALSE(three.zeroed_output);
}

}  // namespace
}  // namespace opgrade
