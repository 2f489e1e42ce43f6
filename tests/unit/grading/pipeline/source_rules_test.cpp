#include "grader/grading/pipeline/source_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Answers with one source of these tokens and records what was asked.
class RecordedReading {
 public:
  explicit RecordedReading(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {}

  SourceRules apply(const StageConfig& stage, Device device) {
    return apply_source_rules(
        stage, device, {"a.cu"},
        {[this](const auto& texts) { return read("plain", texts); },
         [this] { return read("counted", {}); }, [this](const auto&) { return tree; }});
  }

  std::vector<std::string> asked;
  bool is_refused = false;
  std::optional<TreeUses> tree;

 private:
  SourceReading read(const char* how, const std::vector<std::string>& texts) {
    asked.emplace_back(how);
    if (is_refused) return tl::unexpected(BuildReport{.outcome = Outcome::build_failed});
    PreprocessedSource source;
    source.files = {"a.cu"};
    for (const auto& token : tokens_) source.tokens.push_back({token, 0, 1});
    for (const auto& text : texts) source.before.push_back(spelled_tokens(text));
    source.behind = source.before;
    return PreprocessedSources{source};
  }

  std::vector<std::string> tokens_;
};

const std::vector<std::string> kHides{"__attribute__", "(", "(", "no_sanitize", ")", ")"};

StageConfig source_stage(bool constructs, bool openmp, bool counts) {
  StageConfig stage;
  if (constructs) stage.constructs.push_back({.required = "atomicAdd"});
  if (openmp) stage.flags = {"-fopenmp"};
  if (counts) stage.counts.emplace_back();
  return stage;
}

TEST(SourceRules, WithoutATreeItIsToldThatWordsDecided) {
  RecordedReading reading({"atomicAdd"});
  SourceRules rules = reading.apply(source_stage(true, false, false), Device::cpu);
  EXPECT_TRUE(rules.by_words);
  EXPECT_FALSE(rules.broken.at(0));
  reading.tree.emplace().known.insert("atomicAdd");
  rules = reading.apply(source_stage(true, false, false), Device::cpu);
  EXPECT_FALSE(rules.by_words);
  EXPECT_TRUE(rules.broken.at(0)) << "no code that can run calls it";
  reading.tree->is_whole = false;
  rules = reading.apply(source_stage(true, false, false), Device::cpu);
  EXPECT_TRUE(rules.by_words);
  EXPECT_TRUE(rules.broken.at(0)->is<why::ByStaff>()) << "the tree has errors";
  reading.tree.reset();
  EXPECT_FALSE(reading.apply(source_stage(false, true, false), Device::cpu).by_words);
}

TEST(SourceRules, OneReadingServesConstructsAndHiddenCode) {
  for (const bool constructs : {true, false})
    for (const bool openmp : {true, false})
      for (const Device device : {Device::cpu, Device::emulated}) {
        RecordedReading reading(kHides);
        const SourceRules rules = reading.apply(source_stage(constructs, openmp, false), device);
        const bool watched = device == Device::emulated || openmp;
        EXPECT_EQ(reading.asked.size(), constructs || watched ? 1U : 0U);
        EXPECT_EQ(rules.hidden.has_value(), watched);
        EXPECT_EQ(rules.broken.size(), constructs ? 1U : 0U);
      }
}

TEST(SourceRules, AGpuReadsForItselfAndForTheCounts) {
  RecordedReading reading(kHides);
  const SourceRules rules = reading.apply(source_stage(true, false, true), Device::cuda);
  EXPECT_THAT(reading.asked, ElementsAre("plain", "counted"));
  EXPECT_TRUE(rules.hidden);
  RecordedReading uncounted(kHides);
  EXPECT_FALSE(uncounted.apply(source_stage(true, false, false), Device::cuda).hidden);
  EXPECT_THAT(uncounted.asked, ElementsAre("plain"));
}

TEST(SourceRules, WhatTheDeviceReadsMustPassThePreprocessor) {
  for (const Device device : {Device::cpu, Device::emulated}) {
    RecordedReading reading({});
    reading.is_refused = true;
    const SourceRules rules = reading.apply(source_stage(true, true, false), device);
    EXPECT_TRUE(rules.unread);
    EXPECT_FALSE(rules.hidden);
    EXPECT_THAT(rules.broken, IsEmpty());
  }
  RecordedReading counted({});
  counted.is_refused = true;
  EXPECT_FALSE(counted.apply(source_stage(false, false, true), Device::cuda).unread)
      << "a GPU decides, and the counts earn no points";
}

TEST(SourceRules, HonestSourcesKeepThem) {
  for (const Device device : {Device::cpu, Device::emulated, Device::cuda}) {
    RecordedReading reading({"atomicAdd", "(", ")"});
    const SourceRules rules = reading.apply(source_stage(true, true, true), device);
    EXPECT_FALSE(rules.hidden || rules.unread);
    ASSERT_EQ(rules.broken.size(), 1U);
    EXPECT_FALSE(rules.broken[0]);
  }
}

}  // namespace
}  // namespace opgrade
