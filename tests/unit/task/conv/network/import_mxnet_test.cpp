#include "grader/task/conv/network/import_mxnet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/base/core/temp_dir.hpp"
#include "tests/unit/task/conv/data/files.hpp"
#include "tests/unit/task/conv/data/mxnet_bytes.hpp"

namespace opgrade {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// 5x5 images, two maps of 4x4, pooled to 2x2, three classes.
constexpr const char* kSymbol = R"json({"nodes": [
  {"op": "null", "name": "data", "inputs": []},
  {"op": "null", "name": "new0_weight", "attrs": {"num_filter": "2"}, "inputs": []},
  {"op": "New", "name": "new0", "attrs": {"kernel": "(2, 2)", "num_filter": "2"},
   "inputs": [[0, 0, 0], [1, 0, 0]]},
  {"op": "Activation", "name": "act0", "attr": {"act_type": "tanh"}, "inputs": [[2, 0, 0]]},
  {"op": "Pooling", "name": "pool0",
   "param": {"kernel": "(2, 2)", "pool_type": "max", "stride": "(2, 2)"}, "inputs": [[3, 0, 0]]},
  {"op": "Flatten", "name": "flat0", "inputs": [[4, 0, 0]]},
  {"op": "null", "name": "fc_w", "inputs": []},
  {"op": "null", "name": "fc_b", "inputs": []},
  {"op": "FullyConnected", "name": "fc", "attrs": {"num_hidden": "3"},
   "inputs": [[5, 0, 0], [6, 0, 0], [7, 0, 0]]},
  {"op": "null", "name": "softmax_label", "inputs": []},
  {"op": "SoftmaxOutput", "name": "softmax", "inputs": [[8, 0, 0], [9, 0, 0]]}]})json";

const std::vector<test::MxnetArray> kArrays{
    {"arg:fc_b", {3}, {1, 2, 3}},
    {"arg:fc_w", {3, 8}, std::vector<float>(24, 0.5F)},
    {"arg:new0_weight", {2, 1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}}};

class ImportMxnet : public testing::Test {
 protected:
  ImportMxnet() {
    test::write_file(symbol_, kSymbol);
    test::write_file(params_, test::mxnet_params(kArrays));
  }

  std::string import_complaint(int side = 0) const {
    return test::complaint([&] { import_mxnet(symbol_, params_, "tiny", side); });
  }

  // With `from` in the symbol replaced by `to`.
  std::string complaint_with(const std::string& from, const std::string& to) const {
    std::string text = kSymbol;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    test::write_file(symbol_, text.replace(at, from.size(), to));
    return import_complaint();
  }

  const TempDir folder_{"opgrade-test-"};
  const std::filesystem::path symbol_ = folder_.path() / "m-symbol.json";
  const std::filesystem::path params_ = folder_.path() / "m-0001.params";
};

TEST_F(ImportMxnet, ReadsLayersAndWeightsAndFindsTheImageSize) {
  const ImportedNetwork imported = import_mxnet(symbol_, params_, "tiny");
  EXPECT_THAT(imported.network.shapes,
              ElementsAre(Shape{1, 5, 5}, Shape{2, 4, 4}, Shape{2, 4, 4}, Shape{2, 2, 2},
                          Shape{8, 1, 1}, Shape{3, 1, 1}, Shape{3, 1, 1}));
  EXPECT_EQ(imported.network.layers[2].kind, LayerKind::maxpool);
  EXPECT_FALSE(imported.network.layers[2].ceil);
  EXPECT_EQ(imported.weights.network, "tiny");
  ASSERT_EQ(imported.weights.layers.size(), 2U);
  EXPECT_EQ(imported.weights.layers[0].layer, "conv1");
  EXPECT_THAT(imported.weights.layers[0].weights.values, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_EQ(imported.weights.layers[1].layer, "fc1");
  EXPECT_THAT(imported.weights.layers[1].bias->values, ElementsAre(1, 2, 3));
}

TEST_F(ImportMxnet, TheImageSizeMayBeGiven) {
  // 6x6 gives 5x5 maps, whose last row and column the pooling leaves out.
  EXPECT_EQ(import_mxnet(symbol_, params_, "tiny", 6).network.input(), (Shape{1, 6, 6}));
  EXPECT_THAT(import_complaint(7), HasSubstr("weights of layer fc1 are 3x8"));
}

TEST_F(ImportMxnet, GraphsThatAreNotOfTheCourseAreRefused) {
  const std::pair<const char*, const char*> changes[] = {
      {R"("op": "New")", R"("op": "Deconvolution")"},
      {R"j("(2, 2)", "num)j", R"j("(2, 3)", "num)j"},
      {R"j("(2, 2)", "num)j", R"j("2", "num)j"},
      {R"j("(2, 2)", "num)j", R"j("(,", "num)j"},
      {R"j("(2, 2)", "num)j", R"j("(2,", "num)j"},
      {R"j("(2, 2)", "num)j", R"j("(2,)", "num)j"},
      {R"j("(2, 2)", "num)j", R"j("", "num)j"},
      {R"j("kernel": "(2, 2)", "num)j", R"j("pad": "(1, 1)", "kernel": "(2, 2)", "num)j"},
      {R"j("kernel": "(2, 2)", "num)j", R"j("num_group": "2", "kernel": "(2, 2)", "num)j"},
      {R"("num_filter": "2"},
   )",
       R"("num_filter": "many"},
   )"},
      {R"("num_filter": "2"},
   )",
       R"("num_filter": 2},
   )"},
      {"tanh", "sigmoid"},
      {R"("pool_type": "max")", R"("pool_type": "avg")"},
      {R"("inputs": [[3, 0, 0]])", R"("inputs": [[2, 0, 0]])"},
      {R"("inputs": [[3, 0, 0]])", R"("inputs": [])"},
      {R"("inputs": [[3, 0, 0]])", R"("inputs": 3)"},
      {"[1, 0, 0]", "[99, 0, 0]"},
      {", [7, 0, 0]", ""},
      {"[0, 0, 0], [1, 0, 0]", "[0, 0, 0], [1, 0, 0], [6, 0, 0]"},
      {R"("nodes")", R"("edges")"},
      {R"("nodes": [)", R"("nodes": [7, )"},
      {"{", ""},
  };
  for (const auto& [from, to] : changes) {
    EXPECT_THAT(complaint_with(from, to), StartsWith(symbol_.string())) << from << " -> " << to;
  }
  test::write_file(symbol_, "");
  EXPECT_THAT(import_complaint(), StartsWith(symbol_.string()));
  test::write_file(symbol_, std::string(100000, '['));
  EXPECT_THAT(import_complaint(), StartsWith(symbol_.string()));
  test::write_file(symbol_, R"({"nodes": []})");
  EXPECT_THAT(import_complaint(), HasSubstr("has no layers"));
}

TEST_F(ImportMxnet, FilesThatDoNotBelongTogether) {
  auto arrays = kArrays;
  arrays[0].name = "arg:other";
  test::write_file(params_, test::mxnet_params(arrays));
  EXPECT_THAT(import_complaint(),
              AllOf(StartsWith(params_.string()), HasSubstr("no array arg:fc_b")));
  arrays = kArrays;
  arrays[1] = {"arg:fc_w", {3, 7}, std::vector<float>(21)};
  test::write_file(params_, test::mxnet_params(arrays));
  EXPECT_THAT(import_complaint(), HasSubstr("do not belong together"));
  arrays = kArrays;
  arrays[2].shape = {8};
  test::write_file(params_, test::mxnet_params(arrays));
  EXPECT_THAT(import_complaint(), HasSubstr("weights of shape 8"));
  arrays = kArrays;
  arrays[0].shape = {1, 3};
  test::write_file(params_, test::mxnet_params(arrays));
  EXPECT_THAT(import_complaint(), HasSubstr("biases of layer fc1 are 1x3"));
}

TEST_F(ImportMxnet, MissingFilesAreNamed) {
  std::filesystem::remove(params_);
  EXPECT_THAT(import_complaint(), StartsWith(params_.string()));
  std::filesystem::remove(symbol_);
  EXPECT_THAT(import_complaint(), StartsWith(symbol_.string()));
}

}  // namespace
}  // namespace opgrade
