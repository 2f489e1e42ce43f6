#include <gtest/gtest.h>

#include <filesystem>

#include "grader/task/config/load.hpp"

namespace opgrade {
namespace {

TEST(ShippedConfigs, AllLoadWithoutAComplaintAndSurviveTheDump) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(OPGRADE_SOURCE_DIR "/configs")) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    const LoadedConfig loaded = load_config(entry.path());
    EXPECT_EQ(to_text(loaded.problems), "");
    EXPECT_EQ(loaded.config.name, entry.path().stem());
    const std::string dumped = dump_config(loaded.config);
    EXPECT_EQ(to_text(parse_config(dumped, "dump").problems), "") << dumped;
  }
  EXPECT_GE(count, 2);
}

}  // namespace
}  // namespace opgrade
