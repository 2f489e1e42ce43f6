#include "grader/task/conv/data/weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "grader/base/core/temp_dir.hpp"
#include "grader/task/conv/data/h5.hpp"
#include "tests/unit/task/conv/data/files.hpp"

namespace opgrade {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<LayerLayout> kSavedLayout{{"conv1", {2, 1, 1, 2}, false}, {"fc1", {2, 3}, true}};

Weights saved_weights() {
  return {"net",
          "made up",
          {{"conv1", {{2, 1, 1, 2}, {1, -2, 3, 4}}, {}},
           {"fc1", {{2, 3}, {1, 2, 3, 4, 5, 6.5F}}, Tensor{{2}, {-1, 0.25F}}}}};
}

// The bytes 1.0f, -2.0f, 3.0f, 4.0f, 1 .. 5, 6.5f, -1.0f, 0.25f in this order, by `sha256sum`.
constexpr const char* kSum = "fd543392bfa38f82b532cf5faba1bbedb825a240894cb0f2bcc4c4c34f0e96e6";

class WeightsFile : public testing::Test {
 protected:
  std::string load_complaint(const std::string& network = "net",
                             const std::vector<LayerLayout>& layout = kSavedLayout) {
    return test::complaint([&] { load_weights(path_, network, layout); });
  }

  const TempDir folder_{"opgrade-test-"};
  const std::filesystem::path path_ = folder_.path() / "weights.h5";
};

TEST_F(WeightsFile, ChecksumIsOverTheValuesInOrder) {
  EXPECT_EQ(weights_sha256(saved_weights()), kSum);
}

TEST_F(WeightsFile, GivesBackWhatWasSaved) {
  save_weights(saved_weights(), path_);
  const Weights weights = load_weights(path_, "net", kSavedLayout);
  EXPECT_EQ(weights.network, "net");
  EXPECT_EQ(weights.provenance, "made up");
  ASSERT_EQ(weights.layers.size(), 2U);
  EXPECT_EQ(weights.layers[0].layer, "conv1");
  EXPECT_EQ(weights.layers[0].weights.values, saved_weights().layers[0].weights.values);
  EXPECT_FALSE(weights.layers[0].bias);
  const LayerWeights* fc = weights.find("fc1");
  ASSERT_NE(fc, nullptr);
  EXPECT_EQ(fc->weights.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(fc->weights.values, saved_weights().layers[1].weights.values);
  EXPECT_EQ(fc->bias->values, saved_weights().layers[1].bias->values);
  EXPECT_EQ(weights.find("fc2"), nullptr);
}

TEST_F(WeightsFile, OfAnotherNetwork) {
  save_weights(saved_weights(), path_);
  EXPECT_THAT(load_complaint("fmnist-86"),
              AllOf(StartsWith(path_.string()), HasSubstr("weights of another network"),
                    HasSubstr("for 'net', not 'fmnist-86'")));
  EXPECT_THAT(load_complaint("net", {{"conv1", {2, 1, 2, 1}, false}}),
              HasSubstr("/conv1/weights is 2x1x1x2, the network wants 2x1x2x1"));
  EXPECT_THAT(load_complaint("net", {{"conv1", {1 << 20, 1 << 20, 1, 1}, false}}),
              HasSubstr("the network wants 1048576x1048576x1x1"));
  EXPECT_THAT(load_complaint("net", {{"conv9", {2, 1, 1, 2}, false}}),
              HasSubstr("there is no dataset /conv9/weights"));
  EXPECT_THAT(load_complaint("net", {{"conv1", {2, 1, 1, 2}, true}}),
              HasSubstr("there is no dataset /conv1/bias"));
}

TEST_F(WeightsFile, MissingTruncatedAndForeignFilesAreNamed) {
  EXPECT_THAT(load_complaint(), AllOf(StartsWith(path_.string()), HasSubstr("no such file")));
  save_weights(saved_weights(), path_);
  const std::string whole = test::read_file(path_);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{50}, whole.size() / 2, whole.size() - 1}) {
    test::write_file(path_, whole.substr(0, length));
    EXPECT_THAT(load_complaint(), AllOf(StartsWith(path_.string()), HasSubstr("truncated")));
  }
}

TEST_F(WeightsFile, WithoutAttributes) {
  {
    const H5Session session;
    H5File file = H5File::create(path_);
    file.write_attribute("network", "net");
    file.write_attribute("provenance", "");
    file.close();
  }
  EXPECT_THAT(load_complaint(), HasSubstr("it has no attribute sha256"));
}

// Writes the example by hand: fc1 as int8 with `scale`, the checksum as given.
void write_small(const std::filesystem::path& path, const std::string& sum, bool with_scale) {
  const H5Session session;
  H5File file = H5File::create(path);
  file.write_attribute("network", "net");
  file.write_attribute("provenance", "by hand");
  file.write_attribute("sha256", sum);
  const std::vector<std::int64_t> conv_shape{2, 1, 1, 2}, fc_shape{2, 3}, bias_shape{2};
  const std::vector<double> conv{1, -2, 3, 4};
  const std::vector<std::int8_t> fc{2, 4, 6, 8, 10, 13};
  const std::vector<float> bias{-1, 0.25F};
  file.make_group("/conv1");
  file.make_group("/fc1");
  file.write("/conv1/weights", H5T_NATIVE_DOUBLE, conv_shape, conv.data());
  file.write("/fc1/weights", H5T_NATIVE_INT8, fc_shape, fc.data());
  file.write("/fc1/bias", H5T_NATIVE_FLOAT, bias_shape, bias.data());
  if (with_scale) {
    const H5Handle dataset = file.dataset("/fc1/weights");
    const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const H5Handle scale(
        H5Acreate2(dataset.get(), "scale", H5T_IEEE_F32LE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    const float half = 0.5F;
    ASSERT_GE(H5Awrite(scale.get(), H5T_NATIVE_FLOAT, &half), 0);
  }
  file.close();
}

TEST_F(WeightsFile, SmallIntegersWithAScaleAndOtherFloats) {
  write_small(path_, kSum, true);
  const Weights weights = load_weights(path_, "net", kSavedLayout);
  EXPECT_THAT(weights.layers[0].weights.values, ElementsAre(1, -2, 3, 4));
  EXPECT_THAT(weights.layers[1].weights.values, ElementsAre(1, 2, 3, 4, 5, 6.5F));
  write_small(path_, kSum, false);
  EXPECT_THAT(load_complaint(),
              HasSubstr("/fc1/weights holds integers but has no attribute scale"));
}

// Texts of variable length are what h5py writes.
TEST_F(WeightsFile, AttributesOfVariableLength) {
  save_weights(saved_weights(), path_);
  {
    const H5Session session;
    const H5Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const H5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), H5T_VARIABLE);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    const H5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    ASSERT_GE(H5Adelete(file.get(), "provenance"), 0);
    const H5Handle attribute(
        H5Acreate2(file.get(), "provenance", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    const char* text = "another text";
    ASSERT_GE(H5Awrite(attribute.get(), type.get(), &text), 0);
  }
  EXPECT_EQ(load_weights(path_, "net", kSavedLayout).provenance, "another text");
}

TEST_F(WeightsFile, AWrongChecksumIsDamage) {
  write_small(path_, std::string(64, '1'), true);
  EXPECT_THAT(load_complaint(), AllOf(StartsWith(path_.string()), HasSubstr("damaged"),
                                      HasSubstr(kSum), HasSubstr("1111")));
}

TEST_F(WeightsFile, NumbersThatAreNotFiniteAreRefused) {
  Weights weights = saved_weights();
  weights.layers[1].bias->values[1] = std::numeric_limits<float>::infinity();
  save_weights(weights, path_);
  EXPECT_THAT(load_complaint(), HasSubstr("biases of layer fc1 are not all finite"));
}

}  // namespace
}  // namespace opgrade
