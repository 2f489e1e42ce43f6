/// What a corpus of submissions needs: reports of graded ones, held against their expect.yaml.
#pragma once

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/sandboxed.hpp"

namespace opgrade::test {

/// The folders in `corpus` that have an expect.yaml, sorted.
inline std::vector<std::string> submissions_in(const std::filesystem::path& corpus) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    if (std::filesystem::exists(entry.path() / "expect.yaml"))
      names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline nlohmann::json read_report(const std::filesystem::path& results, const std::string& name) {
  std::ifstream file(results / name / "report.json");
  return nlohmann::json::parse(file, nullptr, false);
}

/// That `got` matches the regular expression under `key`, when there is one.
inline void expect_match(const YAML::Node& wanted, const char* key, const std::string& got,
                         bool whole) {
  if (!wanted[key]) return;
  const std::regex pattern(wanted[key].as<std::string>());
  const bool matches = whole ? std::regex_match(got, pattern) : std::regex_search(got, pattern);
  EXPECT_TRUE(matches) << key << ": " << got << "\nis not: " << wanted[key].as<std::string>();
}

inline void expect_keys(const YAML::Node& map, const std::set<std::string>& known) {
  for (const auto& entry : map)
    EXPECT_TRUE(known.contains(entry.first.Scalar())) << "unknown key " << entry.first.Scalar();
}

}  // namespace opgrade::test
