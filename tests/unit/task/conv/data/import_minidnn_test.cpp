#include "grader/task/conv/data/import_minidnn.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "grader/base/core/temp_dir.hpp"
#include "tests/unit/task/conv/data/files.hpp"

namespace opgrade {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<LayerLayout> kLayout{{"conv1", {2, 1, 1, 2}, false}, {"fc1", {2, 3}, true}};

std::string number(std::int32_t n) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &n, 4);
  return bytes;
}

std::string floats(const std::vector<float>& values) {
  std::string bytes(4 * values.size(), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// conv1 with its biases 8 and 9, a layer without parameters, fc1.
std::string example() {
  return number(3) + number(6) + floats({1, 2, 3, 4, 8, 9}) + number(0) + number(8) +
         floats({1, 2, 3, 4, 5, 6, 7, -7});
}

class ImportMinidnn : public testing::Test {
 protected:
  std::string import_complaint(const std::string& bytes) {
    test::write_file(path_, bytes);
    return test::complaint([&] { import_minidnn(path_, "net", kLayout); });
  }

  const TempDir folder_{"opgrade-test-"};
  const std::filesystem::path path_ = folder_.path() / "weights.bin";
};

TEST_F(ImportMinidnn, DropsTheBiasesOfConvolutions) {
  test::write_file(path_, example());
  const Weights weights = import_minidnn(path_, "net", kLayout);
  EXPECT_EQ(weights.network, "net");
  EXPECT_THAT(weights.provenance, HasSubstr("imported from weights.bin"));
  ASSERT_EQ(weights.layers.size(), 2U);
  EXPECT_THAT(weights.layers[0].weights.values, ElementsAre(1, 2, 3, 4));
  EXPECT_FALSE(weights.layers[0].bias);
  EXPECT_THAT(weights.layers[1].weights.shape, ElementsAre(2, 3));
  EXPECT_THAT(weights.layers[1].weights.values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(weights.layers[1].bias->values, ElementsAre(7, -7));
}

TEST_F(ImportMinidnn, EveryTruncationIsSeen) {
  const std::string whole = example();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(import_complaint(whole.substr(0, length)), path_.string() + " is truncated");
  }
}

TEST_F(ImportMinidnn, OtherFilesAreNamed) {
  EXPECT_THAT(import_complaint(example() + "x"), HasSubstr("goes on for 1 bytes"));
  EXPECT_THAT(import_complaint("#!/bin/sh\nexit 0\n"), HasSubstr("not a mini-dnn weights file"));
  EXPECT_THAT(import_complaint(number(-1)), HasSubstr("announces -1 layers"));
  EXPECT_THAT(import_complaint(number(1) + number(std::numeric_limits<std::int32_t>::max())),
              HasSubstr("2147483647 numbers for layer conv1, net wants 6"));
  EXPECT_THAT(import_complaint(number(1) + number(-6)), HasSubstr("-6 numbers for layer conv1"));
  EXPECT_THAT(import_complaint(number(1) + number(6) + floats({1, 2, 3, 4, 8, 9})),
              HasSubstr("weights of layer fc1 are missing"));
  std::string more = example() + number(6);
  more[0] = 4;
  EXPECT_THAT(import_complaint(more), HasSubstr("more layers with weights than network net"));
}

TEST_F(ImportMinidnn, NumbersThatAreNotFiniteAreRefused) {
  std::string bytes = example();
  const std::string nan = floats({std::numeric_limits<float>::quiet_NaN()});
  bytes.replace(8, 4, nan);
  EXPECT_THAT(import_complaint(bytes), HasSubstr("weights of layer conv1 are not all finite"));
}

TEST_F(ImportMinidnn, MissingFilesAndFoldersAreNamed) {
  const auto missing = folder_.path() / "none";
  EXPECT_THAT(test::complaint([&] { import_minidnn(missing, "net", kLayout); }),
              AllOf(StartsWith(missing.string()), HasSubstr("No such file")));
  EXPECT_THAT(test::complaint([&] { import_minidnn(folder_.path(), "net", kLayout); }),
              StartsWith(folder_.path().string()));
}

}  // namespace
}  // namespace opgrade
