// The course's own weights give the course's own accuracies, to the image, and so do the grading
// fixtures in reference/models/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "grader/base/core/parallel.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/task/conv/data/dataset.hpp"
#include "grader/task/conv/data/import_minidnn.hpp"
#include "grader/task/conv/network/forward.hpp"
#include "grader/task/conv/network/import_mxnet.hpp"
#include "grader/task/conv/network/load_network.hpp"
#include "reference/conv_fast.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

const std::filesystem::path kSource = OPGRADE_SOURCE_DIR;
const std::filesystem::path kCourse = kSource / ".." / "shared" / "course";

// Labels and logits of every image, in the order of the data set.
struct Logits {
  std::vector<std::uint8_t> labels;
  std::vector<float> values;
};

Logits run_network(const Network& network, const Weights& weights, const DataSet& data) {
  constexpr int kPart = 250;  // keeps the test small in memory
  Logits logits{data.read_labels(0, data.images()), {}};
  for (int first = 0; first < data.images(); first += kPart) {
    const int B = std::min(kPart, data.images() - first);
    std::vector<float> x(static_cast<std::size_t>(B * data.image_size()));
    data.read_pixels(first, B, x);
    int next = 0;
    const auto run_to = [&](int layer) {
      std::vector<float> y(static_cast<std::size_t>(B * network.shapes[std::size_t(layer)].size()));
      forward_layers(network, weights, next, layer, B, x, y);
      x = std::move(y);
    };
    for (const ConvLayer& conv : conv_layers(network, B)) {
      run_to(conv.index);
      std::vector<float> y(static_cast<std::size_t>(conv.shape.y_size()));
      const FastConv<float> run_conv(conv.shape, weights.find(conv.name)->weights.values.data());
      parallel_for(B, 2, [&](int b) {
        run_conv.image(x.data() + b * conv.shape.x_image(), y.data() + b * conv.shape.y_image());
      });
      x = std::move(y);
      next = conv.index + 1;
    }
    run_to(network.logits_end());
    logits.values.insert(logits.values.end(), x.begin(), x.end());
  }
  return logits;
}

std::int64_t correct_among(const Logits& logits, int images) {
  const std::size_t classes = logits.values.size() / logits.labels.size();
  const auto count = static_cast<std::size_t>(images);
  return count_correct(std::span(logits.values).first(count * classes),
                       std::span(logits.labels).first(count));
}

DataSet data_set(const TempDir& folder, int side) {
  const auto path = folder.path() / "images.h5";
  build_dataset(default_data_source(), side, side, path);
  return DataSet::open(path);
}

bool have(const char* file) {
  return std::filesystem::exists(kCourse / file) &&
         std::filesystem::exists(default_data_source().images);
}

TEST(CourseAccuracy, MiniDnn) {
  OPGRADE_SKIP_UNLESS("course", have("weights-86.bin"), "the course's weights-86.bin is not here");
  const Network network = load_network(kSource / "configs/networks/fmnist-86.yaml");
  const Weights weights =
      import_minidnn(kCourse / "weights-86.bin", network.name, weight_layout(network));
  const TempDir folder("opgrade-test-");
  const Logits logits = run_network(network, weights, data_set(folder, 86));
  EXPECT_EQ(correct_among(logits, 1), 1);
  EXPECT_EQ(correct_among(logits, 10), 10);
  EXPECT_EQ(correct_among(logits, 100), 86);
  EXPECT_EQ(correct_among(logits, 1000), 886);
  EXPECT_EQ(correct_among(logits, 3000), 2622);
  EXPECT_EQ(correct_among(logits, 5000), 4355);
  EXPECT_EQ(correct_among(logits, 8767), 7641);  // printed as 0.871564
  EXPECT_EQ(correct_among(logits, 10000), 8714);
}

// The kinds and shapes of two networks, names aside.
void expect_same_layers(const Network& got, const Network& want) {
  EXPECT_EQ(got.shapes, want.shapes);
  ASSERT_EQ(got.layers.size(), want.layers.size());
  for (std::size_t i = 0; i < got.layers.size(); ++i) {
    EXPECT_EQ(got.layers[i].kind, want.layers[i].kind) << i;
    EXPECT_EQ(got.layers[i].name, want.layers[i].name) << i;
  }
}

void expect_mxnet_accuracy(const std::string& model, const std::string& network_name,
                           std::int64_t of_100, std::int64_t of_1000,
                           const testing::Matcher<std::int64_t>& of_10000) {
  const ImportedNetwork imported = import_mxnet(kCourse / (model + "-symbol.json"),
                                                kCourse / (model + "-0002.params"), network_name);
  expect_same_layers(imported.network,
                     load_network(kSource / "configs/networks" / (network_name + ".yaml")));
  const TempDir folder("opgrade-test-");
  const Logits logits = run_network(imported.network, imported.weights, data_set(folder, 48));
  EXPECT_EQ(correct_among(logits, 100), of_100);
  EXPECT_EQ(correct_among(logits, 1000), of_1000);
  EXPECT_THAT(correct_among(logits, 10000), of_10000);
}

TEST(CourseAccuracy, Mxnet2019sp) {
  OPGRADE_SKIP_UNLESS("course", have("ece408-2019sp-0002.params"),
                      "the course's ece408-2019sp-0002.params is not here");
  // One image lies so close that the rounding of sums decides it.
  expect_mxnet_accuracy("ece408-2019sp", "fmnist-48", 84, 852, testing::AnyOf(8397, 8398));
}

TEST(CourseAccuracy, Mxnet2019spBaseline) {
  OPGRADE_SKIP_UNLESS("course", have("baseline-2019sp-0002.params"),
                      "the course's baseline-2019sp-0002.params is not here");
  expect_mxnet_accuracy("baseline-2019sp", "fmnist-48-baseline", 81, 831, testing::Eq(8236));
}

class OwnModel : public testing::TestWithParam<std::string> {};

TEST_P(OwnModel, HasTheAccuraciesItWasMadeForAndIsRobust) {
  OPGRADE_SKIP_UNLESS("data", std::filesystem::exists(default_data_source().images),
                      "dataset-fashion-mnist is not installed");
  const std::string name = GetParam();
  const std::string network_name = name.substr(0, name.rfind('-'));
  const Network network = load_network(kSource / "configs/networks" / (network_name + ".yaml"));
  const Weights weights = load_weights_for(network, kSource / "reference/models" / (name + ".h5"));
  const TempDir folder("opgrade-test-");
  const Logits logits = run_network(network, weights, data_set(folder, network.input().height));

  const YAML::Node table = YAML::LoadFile(kSource / "reference/models/accuracy.yaml")[name];
  ASSERT_GE(table.size(), 3U);
  for (const auto& row : table) {
    const int images = row.first.as<int>();
    EXPECT_EQ(correct_among(logits, images), std::llround(row.second.as<double>() * images))
        << images;
  }
  // A conv output within the tolerance moves logits by about that part of their scale: each
  // prediction leads by more.
  constexpr std::ptrdiff_t kClasses = 10;
  for (auto row = logits.values.begin(); row != logits.values.end(); row += kClasses) {
    std::vector<float> sorted(row, row + kClasses);
    std::sort(sorted.rbegin(), sorted.rend());
    const float scale = std::max(std::abs(sorted.front()), std::abs(sorted.back()));
    ASSERT_GE(sorted[0] - sorted[1], 1e-3F * scale) << (row - logits.values.begin()) / kClasses;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OwnModel,
                         testing::Values("fmnist-86-high", "fmnist-86-low", "fmnist-86-hidden",
                                         "fmnist-28-high", "fmnist-28-low", "fmnist-64-high",
                                         "fmnist-72-high", "fmnist-48-high", "fmnist-70-high"),
                         [](const auto& suite) {
                           std::string name = suite.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The numbers that the course published, written here by hand, so that accuracy.yaml cannot drift.
TEST(OwnModels, TableHoldsTheCoursesNumbers) {
  const YAML::Node table = YAML::LoadFile(kSource / "reference/models/accuracy.yaml");
  const auto at = [&](const char* model, int images) { return table[model][images].as<double>(); };
  EXPECT_EQ(at("fmnist-86-high", 100), 0.86);
  EXPECT_EQ(at("fmnist-86-high", 1000), 0.886);
  EXPECT_EQ(at("fmnist-86-high", 10000), 0.8714);
  EXPECT_EQ(at("fmnist-86-low", 10000), 0.629);
  EXPECT_EQ(at("fmnist-28-high", 10000), 0.8562);
  EXPECT_EQ(at("fmnist-28-high", 2000), 0.8625);
  EXPECT_EQ(at("fmnist-28-low", 10000), 0.629);
  EXPECT_EQ(at("fmnist-28-low", 2000), 0.6275);
  EXPECT_EQ(at("fmnist-64-high", 10000), 0.8451);
  EXPECT_EQ(at("fmnist-64-high", 100), 0.88);
  EXPECT_EQ(at("fmnist-72-high", 10000), 0.8171);
  EXPECT_EQ(at("fmnist-48-high", 10000), 0.8397);
  EXPECT_EQ(at("fmnist-70-high", 10000), 0.7653);
}

}  // namespace
}  // namespace opgrade
