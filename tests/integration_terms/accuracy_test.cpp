// Every accuracy that the course published comes out of grading the reference solution, one test a
// row. The rows of an interface are the cases of one stage, so that the solution is built once for
// them. Rows above 2000 images are long tests, but for one model of the smallest
// network: the models' accuracies over all 10000 images are tested without grading in
// course_accuracy_test.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "grader/base/core/resources.hpp"
#include "grader/grading/pipeline/grader.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/conv/data/dataset.hpp"
#include "tests/support/long_tests.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/sandboxed.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

struct Row {
  const char* term;  ///< where the number was published
  const char* interface;
  const char* network;
  const char* model;
  int batch;
  double accuracy;
};

constexpr Row kRows[] = {
    {"2017fa", "mxnet", "fmnist-28", "high", 2000, 0.8625},
    {"2017fa", "mxnet", "fmnist-28", "high", 10000, 0.8562},
    {"2017fa", "mxnet", "fmnist-28", "low", 2000, 0.6275},
    {"2017fa", "mxnet", "fmnist-28", "low", 10000, 0.629},
    {"2018sp", "mxnet", "fmnist-64", "high", 10, 1},
    {"2018sp", "mxnet", "fmnist-64", "high", 100, 0.88},
    {"2018sp", "mxnet", "fmnist-64", "high", 10000, 0.8451},
    {"2018fa", "mxnet", "fmnist-72", "high", 100, 0.85},
    {"2018fa", "mxnet", "fmnist-72", "high", 1000, 0.827},
    {"2018fa", "mxnet", "fmnist-72", "high", 10000, 0.8171},
    {"2019sp", "mxnet", "fmnist-48", "high", 100, 0.84},
    {"2019sp", "mxnet", "fmnist-48", "high", 1000, 0.852},
    {"2019sp", "mxnet", "fmnist-48", "high", 10000, 0.8397},
    {"2019fa", "mxnet", "fmnist-70", "high", 100, 0.76},
    {"2019fa", "mxnet", "fmnist-70", "high", 1000, 0.767},
    {"2019fa", "mxnet", "fmnist-70", "high", 10000, 0.7653},
    {"2020fa", "minidnn-1", "fmnist-86", "high", 100, 0.86},
    {"2023fa", "minidnn-3s", "fmnist-86", "high", 100, 0.86},
    {"2021sp", "minidnn-3", "fmnist-86", "high", 1, 1},
    {"2021sp", "minidnn-3", "fmnist-86", "high", 10, 1},
    {"2021sp", "minidnn-3", "fmnist-86", "high", 100, 0.86},
    {"2021sp", "minidnn-3", "fmnist-86", "high", 1000, 0.886},
    {"2024fa", "minidnn-3", "fmnist-86", "high", 3000, 0.874},
    {"2023fa", "minidnn-3", "fmnist-86", "high", 5000, 0.871},
    {"2024fa", "minidnn-3", "fmnist-86", "high", 8767, 0.871564},
    {"2021sp", "minidnn-3", "fmnist-86", "high", 10000, 0.8714},
};

std::vector<Row> rows() {
  std::vector<Row> chosen;
  std::ranges::copy_if(kRows, std::back_inserter(chosen), [](const Row& row) {
    return test::long_tests() || row.batch <= 2000 || row.model == std::string_view("low");
  });
  return chosen;
}

/// A model's name in the config: letters, digits and underscores.
std::string model_of(const Row& row) {
  std::string name = fmt::format("{}_{}", row.network, row.model);
  std::ranges::replace(name, '-', '_');
  return name;
}

/// All rows of the same interface as `row`, graded when the first of them is asked for.
const Grade& graded(const Row& row) {
  static std::map<std::string, Grade> all;
  if (const auto found = all.find(row.interface); found != all.end()) return found->second;
  std::map<std::string, std::string> models;
  std::string cases;
  for (const Row& other : rows()) {
    if (other.interface != std::string_view(row.interface)) continue;
    models[model_of(other)] =
        fmt::format("{{network: {}, weights: {}-{}}}", other.network, other.network, other.model);
    cases += fmt::format("{}{{model: {}, batch: {}, accuracy: {}, points: 1}}",
                         cases.empty() ? "" : ", ", model_of(other), other.batch, other.accuracy);
  }
  std::string listed;
  for (const auto& [name, model] : models)
    listed += fmt::format("{}{}: {}", listed.empty() ? "" : ", ", name, model);
  const LoadedConfig loaded =
      parse_config(fmt::format("opgrade: 1\nname: row\ninterface: {}\nmodels: {{{}}}\n"
                               "timing: {{repetitions: 1, partial_warmup: false}}\n"
                               "limits: {{run: {{wall: 8 min, cpu: 8 min, memory: 8 GiB}}}}\n"
                               "stages: [{{name: cpu, device: cpu, cases: [{}]}}]\n",
                               row.interface, listed, cases),
                   "row.yaml");
  EXPECT_EQ(to_text(loaded.problems), "");
  GraderOptions options;
  options.data_folder = resources::share_folder() / "test-data";
  const fs::path solution = fs::path(OPGRADE_SOURCE_DIR "/reference/solution") / row.interface;
  return all.emplace(row.interface, Grader(loaded.config, options).grade(solution, "reference"))
      .first->second;
}

class Accuracy : public testing::TestWithParam<Row> {};

TEST_P(Accuracy, OfTheReferenceSolutionIsThePublishedOne) {
  const Row& row = GetParam();
  OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "there is no sandbox here");
  OPGRADE_SKIP_UNLESS("data", fs::exists(default_data_source().images),
                      "the package dataset-fashion-mnist is not installed");
  const Grade& grade = graded(row);
  ASSERT_EQ(grade.stages.size(), 1U);
  const auto& cases = grade.stages[0].cases;
  const auto c = std::ranges::find_if(cases, [&](const CaseReport& report) {
    return report.model == model_of(row) && report.batch == row.batch;
  });
  ASSERT_NE(c, cases.end()) << grade.stages[0].build.compiler_output;
  // The grader refuses an accuracy that is off by one image. A busy machine's times may be doubted.
  EXPECT_TRUE(c->outcome == Outcome::passed || c->outcome == Outcome::not_credible)
      << report::sentence_of(c->reason);
  ASSERT_TRUE(c->accuracy);
  EXPECT_DOUBLE_EQ(*c->accuracy,
                   static_cast<double>(std::llround(row.accuracy * row.batch)) / row.batch);
  ASSERT_EQ(c->points.size(), 1U);
  EXPECT_EQ(c->points[0].points, 1);
}

INSTANTIATE_TEST_SUITE_P(Course, Accuracy, testing::ValuesIn(rows()), [](const auto& tested) {
  const Row& r = tested.param;
  std::string name =
      fmt::format("t{}_{}_{}_{}_{}", r.term, r.interface, r.network, r.model, r.batch);
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace opgrade
