// The sixteen terms' configs, held against the published rubrics and the models' accuracies.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "grader/task/config/load.hpp"

namespace opgrade {
namespace {

const std::filesystem::path kTerms = OPGRADE_SOURCE_DIR "/configs/terms";

struct Term {
  const char* name;
  const char* interface;
  const char* network;
  double all;     ///< points but the ranking's
  double open;    ///< of those, given by staff
  double ranked;  ///< most points of the ranking
};

// From the course's rubrics: extra points count into `all` where the course named a number.
constexpr Term kTable[] = {
    {"2017fa", "mxnet", "fmnist-28", 75, 50, 25},
    {"2018sp", "mxnet", "fmnist-64", 100, 54, 10},
    {"2018fa", "mxnet", "fmnist-72", 100, 54, 10},
    {"2019sp", "mxnet", "fmnist-48", 100, 54, 10},
    {"2019fa", "mxnet", "fmnist-70", 100, 54, 10},
    {"2020fa", "minidnn-1", "fmnist-86", 100, 54, 10},
    {"2021sp", "minidnn-3", "fmnist-86", 106, 56, 0},
    {"2021fa", "minidnn-3", "fmnist-86", 100, 65, 5},
    {"2022fa", "minidnn-3", "fmnist-86", 105, 60, 1},
    {"2023sp", "minidnn-3", "fmnist-86", 105, 60, 1},
    {"2023fa", "minidnn-3s", "fmnist-86", 105, 60, 1},
    {"2024sp", "minidnn-3", "fmnist-86", 110, 67, 1},
    {"2024fa", "minidnn-3", "fmnist-86", 104, 72, 1.25},
    {"2025sp", "minidnn-3", "fmnist-86", 100, 48, 1},
    {"2025fa", "minidnn-3", "fmnist-86", 100, 45, 1},
    {"2026sp", "minidnn-3", "fmnist-86", 100, 45, 1},
};

class Terms : public testing::TestWithParam<Term> {
 protected:
  LoadedConfig loaded = load_config(kTerms / (std::string(GetParam().name) + ".yaml"));
};

TEST_P(Terms, PointsAreThoseOfTheRubric) {
  ASSERT_EQ(to_text(loaded.problems), "");
  const Config& config = loaded.config;
  EXPECT_EQ(config.name, GetParam().name);
  EXPECT_EQ(config.interface, GetParam().interface);
  EXPECT_EQ(config.models.at("high").network, GetParam().network);
  EXPECT_DOUBLE_EQ(config.max_points(), GetParam().all);
  double open = 0;
  for (const auto& stage : config.stages) {
    for (const auto& item : stage.open_items) open += item.points;
  }
  EXPECT_DOUBLE_EQ(open, GetParam().open);
  ASSERT_TRUE(config.ranking);
  const RankingConfig& r = *config.ranking;
  const double best = r.rule == RankingConfig::Rule::deviations ? r.points : r.steps.at(0).points;
  EXPECT_DOUBLE_EQ(best + r.bonus_points, GetParam().ranked);
}

TEST_P(Terms, RequiredAccuraciesAreTheModels) {
  const YAML::Node known = YAML::LoadFile(OPGRADE_SOURCE_DIR "/reference/models/accuracy.yaml");
  int required = 0;
  for (const auto& stage : loaded.config.stages) {
    for (const auto& c : stage.cases) {
      if (!c.accuracy) continue;
      ++required;
      const std::string& weights = loaded.config.models.at(c.model).weights;
      const auto want = known[weights][std::to_string(c.batch)].as<double>();
      EXPECT_EQ(std::llround(*c.accuracy * c.batch), std::llround(want * c.batch))
          << stage.name << '/' << c.model << '/' << c.batch;
    }
  }
  EXPECT_GE(required, 4);
}

TEST_P(Terms, TheEffectiveConfigLoadsToTheSame) {
  const std::string dumped = dump_config(loaded.config);
  const LoadedConfig again = parse_config(dumped, "dump");
  EXPECT_EQ(to_text(again.problems), "") << dumped;
  EXPECT_EQ(dump_config(again.config), dumped);
}

// A submission that satisfied the term gets the term's points.
TEST_P(Terms, ShapesThatTheCourseDidNotAskForAreAdvice) {
  for (const auto& stage : loaded.config.stages) {
    EXPECT_TRUE(stage.random_shapes.count == 0 || stage.random_shapes.advice) << stage.name;
    // Its own layers with other values and batches count wherever shapes are tried at all.
    EXPECT_EQ(stage.random_batches.count > 0, stage.random_shapes.count > 0) << stage.name;
    EXPECT_FALSE(stage.random_batches.advice || stage.random_batches.hidden) << stage.name;
    for (const auto& c : stage.cases) {
      // Only 2024fa's published feedback names these batches.
      if (c.batch == 3000 || c.batch == 8767) {
        EXPECT_EQ(c.advice, loaded.config.name != "2024fa") << stage.name << '/' << c.batch;
      } else {
        EXPECT_FALSE(c.advice) << stage.name << '/' << c.batch;
      }
    }
  }
}

// The course judged by accuracy: half and TF32 passed wherever theirs was exact.
TEST_P(Terms, ReducedPrecisionIsAcceptedOnAGpu) {
  for (const auto& stage : loaded.config.stages) {
    EXPECT_EQ(stage.tolerance, stage.device == Device::cuda ? std::optional(2e-3) : std::nullopt)
        << stage.name;
    for (const auto& c : stage.cases) {
      EXPECT_TRUE(c.accuracy || c.model == "unseen") << stage.name << '/' << c.batch;
    }
  }
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST_P(Terms, SayWhatTheCourseChecked) {
  const std::string name = GetParam().name;
  const std::string config = text_of(kTerms / (name + ".yaml"));
  for (const char* line : {"\n# The course checked: ", "\n# opgrade besides: ", "\n# Advice: "}) {
    EXPECT_NE(config.find(line), config.npos) << line;
  }
  const std::string readme = text_of(OPGRADE_SOURCE_DIR "/configs/README.md");
  EXPECT_THAT(readme, testing::ContainsRegex("\n\\| [0-9a-z, ]*" + name + "[0-9a-z, ]* \\| `"))
      << "no row in configs/README.md";
}

INSTANTIATE_TEST_SUITE_P(Course, Terms, testing::ValuesIn(kTable),
                         [](const auto& tested) { return "t" + std::string(tested.param.name); });

struct Published {
  const char* term;
  const char* model;
  int batch;
  double accuracy;
};

// The handouts' numbers, term by term.
constexpr Published kPublished[] = {
    {"2017fa", "high", 10000, 0.8562},  {"2017fa", "high", 2000, 0.8625},
    {"2017fa", "low", 10000, 0.629},    {"2017fa", "low", 2000, 0.6275},
    {"2018sp", "high", 10, 1},          {"2018sp", "high", 100, 0.88},
    {"2018sp", "high", 10000, 0.8451},  {"2018fa", "high", 100, 0.85},
    {"2018fa", "high", 1000, 0.827},    {"2018fa", "high", 10000, 0.8171},
    {"2019sp", "high", 100, 0.84},      {"2019sp", "high", 1000, 0.852},
    {"2019sp", "high", 10000, 0.8397},  {"2019fa", "high", 100, 0.76},
    {"2019fa", "high", 1000, 0.767},    {"2019fa", "high", 10000, 0.7653},
    {"2020fa", "high", 100, 0.86},      {"2020fa", "high", 1000, 0.886},
    {"2020fa", "high", 10000, 0.8714},  {"2023fa", "high", 5000, 0.871},
    {"2024fa", "high", 8767, 0.871564}, {"2026sp", "high", 3000, 0.874},
    {"2026sp", "high", 10000, 0.8714},
};

class PublishedAccuracy : public testing::TestWithParam<Published> {};

TEST_P(PublishedAccuracy, IsRequiredByTheTermsConfig) {
  const Published& want = GetParam();
  const Config config = load_config(kTerms / (std::string(want.term) + ".yaml")).config;
  int found = 0;
  for (const auto& stage : config.stages) {
    for (const auto& c : stage.cases) {
      if (c.model != want.model || c.batch != want.batch) continue;
      ++found;
      EXPECT_EQ(c.accuracy, want.accuracy) << stage.name;
    }
  }
  EXPECT_GE(found, 1);
}

INSTANTIATE_TEST_SUITE_P(Course, PublishedAccuracy, testing::ValuesIn(kPublished),
                         [](const auto& tested) {
                           return fmt::format("t{}_{}_{}", tested.param.term, tested.param.model,
                                              tested.param.batch);
                         });

TEST(TermConfigs, AreSixteen) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kTerms)) {
    count += entry.path().extension() == ".yaml";
  }
  EXPECT_EQ(count, 16);
}

TEST(TermConfigs, TheCompetitionOf2026spIsTimedAsItsProgramDid) {
  const Config config = load_config(kTerms / "2026sp.yaml").config;
  const auto& cases = config.stages.back().cases;
  const auto ranked = std::find_if(cases.begin(), cases.end(), [&](const CaseConfig& c) {
    return c.model == config.ranking->model && c.batch == config.ranking->batch;
  });
  ASSERT_NE(ranked, cases.end());
  ASSERT_TRUE(ranked->timing);
  EXPECT_EQ(ranked->timing->warm_ups, 5);
  EXPECT_EQ(ranked->timing->abort_above, std::chrono::milliseconds(40));
  EXPECT_EQ(ranked->timing->repetitions, 10);
  EXPECT_EQ(config.ranking->take, Statistic::median);
}

TEST(TermConfigs, FixedShapesNeedAKernelThatFits) {
  const std::string text =
      "opgrade: 1\nname: x\nstages:\n  - name: a\n    device: cpu\n    fixed_shapes:\n"
      "      shapes: [{B: 1, M: 1, C: 1, H: 4, W: 4, K: 5}]\n";
  EXPECT_NE(to_text(parse_config(text, "f").problems).find("H and W must not be less than K"),
            std::string::npos);
}

TEST(TermConfigs, ARankingNamesACaseThatIsListed) {
  const std::string text =
      "opgrade: 1\nname: x\nmodels: {m: {network: n, weights: w}}\nstages:\n  - name: a\n"
      "    device: cpu\n    cases: [{model: m, batch: 1}]\n"
      "ranking: {stage: a, model: m, batch: 2, rule: fastest, steps: [{up_to: 3, points: 1}, "
      "{up_to: 3, points: 1}]}\n";
  const std::string problems = to_text(parse_config(text, "f").problems);
  EXPECT_NE(problems.find("the case a/m/2, which is not listed"), std::string::npos) << problems;
  EXPECT_NE(problems.find("'rule' must be deviations, ranks or best, not 'fastest'"),
            std::string::npos);
  EXPECT_NE(problems.find("in the order of their ranks"), std::string::npos);
}

}  // namespace
}  // namespace opgrade
