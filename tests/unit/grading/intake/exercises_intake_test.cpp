// One hand-in with a folder for each of several exercises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/intake/stage_files.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

using Texts = std::map<std::string, std::string>;

StageConfig exercise(const std::string& name, const std::string& source, double points) {
  StageConfig stage{.name = name, .folder = name, .sources = {source}};
  stage.random_shapes.points = points;
  return stage;
}

/// Exercises "scan" and "saxpy", whose sources are named likewise.
Config two_exercises(const std::string& of_scan = "scan.cu",
                     const std::string& of_saxpy = "saxpy.cu") {
  Config config;
  config.stages = {exercise("scan", of_scan, 30), exercise("saxpy", of_saxpy, 10)};
  return config;
}

StageFiles taken_from(const Texts& files, const Config& config) {
  const TempDir folder("opgrade-test-");
  for (const auto& [name, text] : files) {
    fs::create_directories((folder.path() / name).parent_path());
    std::ofstream(folder.path() / name) << text;
  }
  return take_stage_files(folder.path(), config);
}

/// "scan/scan.cu=1 scan/tile.h=2" of each stage, or why it is refused.
std::vector<std::string> words_of(const StageFiles& taken) {
  std::vector<std::string> words;
  for (const auto& stage : taken.stages) {
    std::string& text = words.emplace_back(stage ? "" : stage.error().reason);
    if (!stage) continue;
    for (const auto& file : stage->files)
      text += (text.empty() ? "" : " ") + path_of(*stage) + "/" + file.name + "=" + file.bytes;
  }
  return words;
}

TEST(ExercisesIntake, EachTakesItsFolder) {
  const Texts files{{"scan/scan.cu", "1"},
                    {"scan/util.h", "2"},
                    {"saxpy/saxpy.cu", "3"},
                    {"saxpy/util.h", "4"},
                    {"notes.h", "5"}};
  EXPECT_THAT(
      words_of(taken_from(files, two_exercises())),
      testing::ElementsAre("scan/scan.cu=1 scan/util.h=2", "saxpy/saxpy.cu=3 saxpy/util.h=4"));
  Texts packed;
  for (const auto& [name, text] : files) packed["hw1/" + name] = text;
  EXPECT_THAT(words_of(taken_from(packed, two_exercises())),
              testing::ElementsAre("hw1/scan/scan.cu=1 hw1/scan/util.h=2",
                                   "hw1/saxpy/saxpy.cu=3 hw1/saxpy/util.h=4"));
}

TEST(ExercisesIntake, FilesOfDifferentNamesMayLieTogether) {
  EXPECT_THAT(words_of(taken_from({{"scan.cu", "1"}, {"saxpy.cu", "2"}}, two_exercises())),
              testing::ElementsAre("./saxpy.cu=2 ./scan.cu=1", "./saxpy.cu=2 ./scan.cu=1"));
  // Of the same name none can be told from the other.
  const Config alike = two_exercises("kernel.cu", "kernel.cu");
  EXPECT_THAT(words_of(taken_from({{"kernel.cu", "1"}}, alike)),
              testing::ElementsAre("scan/kernel.cu is missing", "saxpy/kernel.cu is missing"));
}

TEST(ExercisesIntake, NoneTakesAnothersFiles) {
  for (const auto& [of_scan, of_saxpy] :
       {std::pair("scan.cu", "saxpy.cu"), std::pair("kernel.cu", "kernel.cu")}) {
    const Config config = two_exercises(of_scan, of_saxpy);
    for (const char* inside : {"", "hw1/"}) {
      const std::string scan = std::string(inside) + "scan/" + of_scan;
      const auto words = words_of(taken_from({{scan, "1"}}, config));
      EXPECT_EQ(words[0], scan + "=1");
      EXPECT_EQ(words[1], std::string("saxpy/") + of_saxpy + " is missing");
    }
  }
  const StageFiles other =
      taken_from({{"old/saxpy.cu", "1"}, {"scan/scan.cu", "2"}}, two_exercises());
  ASSERT_FALSE(other.stages[1]);
  EXPECT_THAT(other.stages[1].error().hint,
              AllOf(HasSubstr("Searched folders: saxpy/."), HasSubstr("old/saxpy.cu")));
}

TEST(ExercisesIntake, ExchangedFilesAreAnotherContent) {
  const Config config = two_exercises();
  const auto content = [&](const std::string& of_scan, const std::string& of_saxpy) {
    return taken_from({{"scan/scan.cu", ""},
                       {"scan/util.h", of_scan},
                       {"saxpy/saxpy.cu", ""},
                       {"saxpy/util.h", of_saxpy}},
                      config)
        .sha256;
  };
  EXPECT_EQ(content("1", "2"), content("1", "2"));
  EXPECT_NE(content("1", "2"), content("2", "1"));
}

// A single exercise is found wherever it lies, as before.
TEST(ExercisesIntake, OneAloneMayLieAnywhere) {
  Config config = two_exercises();
  config.stages.resize(1);
  config.stages[0].folder.clear();
  EXPECT_EQ(words_of(taken_from({{"deep/er/scan.cu", "1"}, {"x.txt", ""}}, config))[0],
            "deep/er/scan.cu=1");
}

}  // namespace
}  // namespace opgrade
