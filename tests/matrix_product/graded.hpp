/// Submissions of tests/corpus/matrix_product, graded by the real program, and their verdicts.
#pragma once

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/graded_group.hpp"

namespace opgrade::test {

inline const std::filesystem::path kProductSubmissions =
    OPGRADE_SOURCE_DIR "/tests/corpus/matrix_product";
inline constexpr const char* kProductConfig =
    OPGRADE_SOURCE_DIR "/tests/matrix_product/graded.yaml";

/// Submissions whose expect.yaml has that stage.
inline std::vector<std::string> product_submissions(const std::string& stage) {
  std::vector<std::string> names;
  for (const auto& name : submissions_in(kProductSubmissions))
    if (YAML::LoadFile(kProductSubmissions / name / "expect.yaml")[stage]) names.push_back(name);
  return names;
}

/// One stage of all of them, graded together. With a seed: the hints belong to its sizes.
struct ProductRun : GradedGroup {
  ProductRun(const std::string& stage, const std::string& device) {
    std::vector<std::string> options{"--only", stage, "--seed", "1"};
    if (!device.empty()) options.insert(options.end(), {"--device", device});
    for (const auto& name : product_submissions(stage)) add(kProductSubmissions / name);
    grade(kProductConfig, options);
  }
};

inline void expect_product_verdict(const ProductRun& run, const std::string& stage,
                                   const std::string& name) {
  const nlohmann::json report = run.report_of(name);
  ASSERT_FALSE(report.is_null());
  const YAML::Node wanted = YAML::LoadFile(kProductSubmissions / name / "expect.yaml");
  expect_keys(wanted, {"cpu", "gpu", "speed_points", "minimum_ms"});
  const auto& graded = report["stages"].at(0);
  EXPECT_EQ(graded["build"]["outcome"], "passed") << graded["build"];
  for (const auto& entry : wanted[stage]) {
    const std::string id = stage + "/" + entry.first.Scalar();
    SCOPED_TRACE(id);
    const auto found = std::find_if(graded["cases"].begin(), graded["cases"].end(),
                                    [&](const auto& c) { return c["id"] == id; });
    ASSERT_NE(found, graded["cases"].end());
    expect_keys(entry.second, {"outcome", "reason", "hint", "findings"});
    expect_match(entry.second, "outcome", (*found)["outcome"], true);
    expect_match(entry.second, "reason", (*found)["reason"], false);
    expect_match(entry.second, "hint", (*found)["hint"], false);
    // Only the emulated device has findings.
    if (graded["device"] == "emulated")
      expect_match(entry.second, "findings", (*found)["findings"].dump(), false);
    if (entry.second["outcome"].Scalar() != "passed") {
      EXPECT_EQ((*found)["points"].at(0)["points"], 0);
    }
  }
  if (wanted["speed_points"] && stage == "cpu") {
    EXPECT_EQ(graded["points"].at(0)["points"], wanted["speed_points"].as<double>());
  }
  if (wanted["minimum_ms"]) {
    for (const auto& c : graded["cases"])
      for (const auto& call : c["convs"])
        for (const auto& sample : call["op_time"]["samples_ms"])
          EXPECT_GE(sample, 0.99 * wanted["minimum_ms"].as<double>());
  }
}

}  // namespace opgrade::test
