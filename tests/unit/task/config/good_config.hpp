/// A small config without a mistake, changed in one place by each test of mistakes.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grader/task/config/load.hpp"

namespace opgrade::test {

inline constexpr const char* kGoodConfig = R"(opgrade: 1
name: good
models:
  m: {network: n, weights: w}
stages:
  - name: cpu
    device: cpu
    cases:
      - {model: m, batch: 10, points: 5}
)";

inline std::vector<std::string> complaints(const std::string& text) {
  std::vector<std::string> lines;
  for (const auto& p : parse_config(text, "c.yaml").problems)
    lines.push_back(std::to_string(p.line) + ":" + std::to_string(p.column) + ": " + p.text);
  return lines;
}

/// kGoodConfig with the first `old` replaced.
inline std::string with(const std::string& old, const std::string& now) {
  std::string text = kGoodConfig;
  const auto at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return at == std::string::npos ? text : text.replace(at, old.size(), now);
}

}  // namespace opgrade::test
