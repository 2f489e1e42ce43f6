// A compiled adapter serves later gradings for as long as all that it is made of is the same.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/pipeline/cache_folder.hpp"
#include "grader/task/config/registry.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

class AdapterCache : public testing::Test {
 protected:
  AdapterCache() {
    ::setenv("XDG_CACHE_HOME", (place_.path() / "cache").c_str(), 1);
    tools_.cuda_root = place_.path();
    write(place_.path() / "version.json", "13.0");
    write(made_, "an object");
  }
  ~AdapterCache() override { ::unsetenv("XDG_CACHE_HOME"); }

  fs::path cached() const { return adapter_in_cache(interface_, tools_); }

  const TempDir place_{"opgrade-test-"};
  const fs::path made_ = place_.path() / "made.o", taken_ = place_.path() / "taken.o";
  const Interface& interface_ = find_interface("minidnn-3");
  Toolchain tools_;
};

TEST_F(AdapterCache, GivesWhatWasKept) {
  EXPECT_FALSE(take_adapter(cached(), taken_));
  keep_adapter(made_, cached());
  ASSERT_TRUE(take_adapter(cached(), taken_));
  EXPECT_EQ(fs::file_size(taken_), fs::file_size(made_));
}

TEST_F(AdapterCache, HasAnotherForAnotherDeviceToolkitOrInterface) {
  const fs::path first = cached();
  tools_.cuda_architecture = "sm_80";
  EXPECT_NE(cached(), first);
  tools_.cuda_architecture = "sm_90";
  EXPECT_EQ(cached(), first);
  EXPECT_NE(adapter_in_cache(find_interface("minidnn-1"), tools_), first);
  write(place_.path() / "version.json", "13.1");
  EXPECT_NE(cached(), first);
  EXPECT_TRUE(adapter_in_cache(find_interface("mxnet"), tools_).empty())
      << "it includes the submission";
}

TEST_F(AdapterCache, TakesNothingThatOthersCouldHaveWritten) {
  keep_adapter(made_, cached());
  const auto others = fs::perms::others_write;
  fs::permissions(cached().parent_path(), others, fs::perm_options::add);
  EXPECT_FALSE(take_adapter(cached(), taken_));
  fs::permissions(cached().parent_path(), others, fs::perm_options::remove);
  fs::permissions(cached(), others, fs::perm_options::add);
  EXPECT_FALSE(take_adapter(cached(), taken_));
  fs::remove(cached());
  fs::create_symlink(made_, cached());
  EXPECT_FALSE(take_adapter(cached(), taken_));
}

}  // namespace
}  // namespace opgrade
