// Holds configs/config.schema.json, which editors complete configs by, to the keys of configs.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/task/config/load.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/unit/task/config/config_schema.hpp"

namespace opgrade {
namespace {

using nlohmann::json;
const std::filesystem::path kConfigs = OPGRADE_SOURCE_DIR "/configs";

json config_schema() {
  std::ifstream file(kConfigs / "config.schema.json");
  return json::parse(file);
}

/// As an editor reads YAML, without the empty values that remove a base's key.
json as_json(const YAML::Node& node) {
  if (node.IsMap()) {
    json map = json::object();
    for (const auto& entry : node)
      if (!entry.second.IsNull()) map[entry.first.Scalar()] = as_json(entry.second);
    return map;
  }
  if (node.IsSequence()) {
    json list = json::array();
    for (const auto& entry : node) list.push_back(as_json(entry));
    return list;
  }
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  if (node.IsScalar() && node.Tag() != "!") {
    if (text == "true" || text == "false") return text == "true";
    const json number = json::parse(text, nullptr, false);
    if (number.is_number()) return number;
  }
  return text;
}

TEST(ConfigSchema, IsThatOfTheFields) {
  test::expect_golden(kConfigs / "config.schema.json", config_schema_text());
}

TEST(ConfigSchema, TheShippedConfigsFitAndNameIt) {
  test::SchemaValidator validator(config_schema());
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kConfigs)) {
    const auto& path = entry.path();
    if (path.extension() != ".yaml" || path.parent_path().filename() == "networks") continue;
    ++count;
    EXPECT_EQ(validator.check(as_json(YAML::LoadFile(path))), std::vector<std::string>{}) << path;
    EXPECT_EQ(validator.check(as_json(YAML::Load(dump_config(load_config(path).config)))),
              std::vector<std::string>{})
        << path << ", with its defaults";
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const auto schema =
        std::filesystem::relative(kConfigs / "config.schema.json", path.parent_path());
    EXPECT_EQ(line, "# yaml-language-server: $schema=" + schema.string()) << path;
  }
  EXPECT_GE(count, 19);
}

}  // namespace
}  // namespace opgrade
