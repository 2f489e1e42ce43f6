// The header of lab programs has two names, and so has each name in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

const std::filesystem::path kFolder = OPGRADE_SOURCE_DIR "/grader/platform/harness/adapters";

std::set<std::string> names_in(const std::filesystem::path& file, const std::string& pattern) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::regex name(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at)
    found.insert((*at)[1]);
  return found;
}

TEST(LabHeader, HasEachNameInItsOtherSpelling) {
  std::set<std::string> names;
  for (const auto& part : std::filesystem::directory_iterator(kFolder / "wb"))
    names.merge(names_in(part.path(), R"(\bwb([A-Z]\w*))"));
  EXPECT_GT(names.size(), 100U);
  EXPECT_THAT(names_in(kFolder / "gputk.h", R"(#define gpuTK(\w+) wb\1\n)"),
              testing::ContainerEq(names));
}

TEST(LabHeader, HasEachOfItsParts) {
  std::set<std::string> parts;
  for (const auto& part : std::filesystem::directory_iterator(kFolder / "wb"))
    parts.insert("wb/" + part.path().filename().string());
  EXPECT_THAT(names_in(kFolder / "wb.h", "#include \"(wb/\\w+\\.h)\""),
              testing::ContainerEq(parts));
}

}  // namespace
