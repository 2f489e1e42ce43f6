#include "grader/report/bundle/bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/intake/archive.hpp"
#include "grader/task/config/load.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;

constexpr const char* kBundledConfig = R"(opgrade: 1
name: c
models:
  m: {network: ./nets/own.yaml, weights: w.d/w.h5}
  other: {network: fmnist-86, weights: fmnist-86-high}
stages:
  - {name: gpu, device: cuda, cases: [{model: m, batch: 10}]}
ranking: {stage: gpu, model: m, batch: 10, rule: deviations}
)";

class Bundle : public testing::Test {
 protected:
  Bundle() {
    ::setenv("OPGRADE_SHARE", dir.path().c_str(), 1);
    for (const char* script : {"bundle/gradescope/setup.sh", "bundle/gradescope/run_autograder"})
      write(script, "#!/bin/sh\n");
    write("course/nets/own.yaml", "layers");
    write("course/w.d/w.h5", std::string("\0\xFF weights", 10));
    write("course/base.yaml", kBundledConfig);
    config = load_config(write("course/c.yaml", "extends: base.yaml\n")).config;
  }
  ~Bundle() override { ::unsetenv("OPGRADE_SHARE"); }

  std::filesystem::path write(const std::string& name, const std::string& text) {
    const auto file = dir.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  static std::string bytes(const std::vector<ArchivedFile>& files, const std::string& path) {
    const auto found = std::ranges::find(files, path, &ArchivedFile::path);
    return found == files.end() ? "missing" : found->bytes;
  }

  TempDir dir{"opgrade-test-"};
  Config config;
};

TEST_F(Bundle, HoldsAllThatTheConfigNames) {
  const auto files = bundle_files("gradescope", config, {});
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.path);
  EXPECT_THAT(names, IsSupersetOf({"setup.sh", "run_autograder", "config.yaml", "settings.sh"}));
  const std::string text = bytes(files, "config.yaml");
  EXPECT_THAT(text, testing::Not(HasSubstr("extends")));
  const LoadedConfig there = parse_config(text, "config.yaml");
  ASSERT_EQ(to_text(there.problems), "");
  const ModelConfig& model = there.config.models.at("m");
  EXPECT_EQ(bytes(files, model.network.substr(2)), "layers");
  EXPECT_EQ(bytes(files, model.weights.substr(2)), std::string("\0\xFF weights", 10));
  EXPECT_EQ(there.config.models.at("other").network, "fmnist-86");
}

TEST_F(Bundle, SettingsAreWordsOfAShell) {
  BundleOptions options;
  options.package = write("my opgrade.deb", "deb");
  options.late = {.grace_minutes = 15, .percent_per_day = 10, .days = 3};
  options.handin = "a'b.zip";
  const auto files = bundle_files("gradescope", config, options);
  EXPECT_EQ(bytes(files, "settings.sh"),
            "# Written by opgrade bundle.\npackage='my opgrade.deb'\ndata_sizes=86\n"
            "leaderboard=gpu/m/10\nlate_percent=10\nlate_days=3\nlate_grace=15\n"
            "handin='a'\\''b.zip'\nserver=''\nassignment=''\n");
  EXPECT_EQ(bytes(files, "my opgrade.deb"), "deb");
  config.ranking->model = "square";
  config.ranking->batch = 0;  // a case with sizes
  EXPECT_THAT(bytes(bundle_files("gradescope", config, options), "settings.sh"),
              HasSubstr("leaderboard=gpu/square\n"));
  EXPECT_THAT(bytes(bundle_files("gradescope", config, {}), "settings.sh"),
              HasSubstr("package=''\n"));
}

TEST_F(Bundle, AServiceGradesWithATokenThatItsOwnerAloneReads) {
  BundleOptions options;
  options.server = "https://gpu.example.edu";
  options.assignment = "m1";
  options.token = write("secret", "t0k3n\n");
  const auto files = bundle_files("gradescope", config, options);
  const std::string text = bytes(files, "settings.sh");
  EXPECT_THAT(text, HasSubstr("\nserver=https://gpu.example.edu\nassignment=m1\n"));
  EXPECT_THAT(text, HasSubstr("\ndata_sizes=''\n")) << "nothing is graded there";
  const auto token = std::ranges::find(files, "token", &ArchivedFile::path);
  ASSERT_NE(token, files.end());
  EXPECT_EQ(token->bytes, "t0k3n\n");
  EXPECT_TRUE(token->secret);
  EXPECT_EQ(std::ranges::count(files, true, &ArchivedFile::secret), 1);
}

TEST_F(Bundle, WhatCannotBePackedIsNamed) {
  BundleOptions options;
  options.package = write("opgrade.zip", "zip");
  EXPECT_THROW(bundle_files("gradescope", config, options), UsageError);
  std::filesystem::remove(dir.path() / "course/w.d/w.h5");
  try {
    bundle_files("gradescope", config, {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("w.h5"));
  }
}

TEST_F(Bundle, ArchivesHoldTheFilesAndRepeat) {
  const auto files = bundle_files("gradescope", config, {});
  for (const ArchiveFormat format : {ArchiveFormat::zip, ArchiveFormat::tar}) {
    const std::string packed = write_archive(files, format);
    EXPECT_EQ(packed, write_archive(files, format));
    const auto read = read_archive(
        packed, [](const std::string&) { return true; }, 1 << 20);
    ASSERT_TRUE(read) << read.error().reason;
    ASSERT_EQ(read->size(), files.size());
    for (const ArchiveFile& file : *read) EXPECT_EQ(bytes(files, file.path), file.bytes);
  }
}

}  // namespace
}  // namespace opgrade
