// Holds configs/config.schema.json, which editors complete configs by, to the reader of configs.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "grader/config/load.hpp"
#include "tests/support/json_schema.hpp"

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

std::set<std::string> properties(const json& rule) {
  std::set<std::string> names;
  for (const auto& [name, unused] : rule.at("properties").items()) names.insert(name);
  return names;
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

TEST(ConfigSchema, HasTheKeysOfTheReader) {
  // An unknown key in each place; the complaint lists the known ones.
  const std::string no = "no_such_key_anywhere: 1";
  const LoadedConfig loaded = parse_config(
      no + "\nopgrade: 1\nname: n\nmodels: {m: {network: n, weights: w, " + no + "}}\nfiles: {" +
          no + "}\nlimits: {build: {" + no + "}, run: {" + no + "}, " + no + "}\ntiming: {" + no +
          "}\nstages:\n  - name: s\n    device: cpu\n    " + no +
          "\n    cases: [{model: m, batch: 1, " + no + "}]\n    random_shapes: {count: 1, " + no +
          "}\n    random_batches: {model: m, count: 1, " + no + "}\n    fixed_shapes: {shapes: [{" +
          no + "}], " + no + "}\n    op_times: [{" + no + "}]\n    open_items: [{" + no +
          "}]\nranking: {steps: [{" + no + "}], bonus: {" + no + "}, " + no + "}\n",
      "all.yaml");
  std::map<std::string, std::set<std::string>> known;
  for (const auto& problem : loaded.problems) {
    static const std::regex kUnknown("unknown key 'no_such_key_anywhere' in (.*); known are (.*)");
    std::smatch match;
    if (!std::regex_match(problem.text, match, kUnknown)) continue;
    std::istringstream names(match[2]);
    for (std::string name; std::getline(names >> std::ws, name, ',');) known[match[1]].insert(name);
  }
  const json schema = config_schema(), &root = schema["properties"], &parts = schema["definitions"];
  const json& stage = parts["stage"]["properties"];
  const json& ranking = parts["ranking"]["properties"];
  const std::map<std::string, json> places{{"the config", schema},
                                           {"model 'm'", parts["model"]},
                                           {"'files'", root["files"]},
                                           {"'limits'", root["limits"]},
                                           {"'limits: build'", parts["limit"]},
                                           {"'limits: run'", parts["limit"]},
                                           {"'timing'", parts["timing"]},
                                           {"a stage", parts["stage"]},
                                           {"a case", stage["cases"]["items"]},
                                           {"'random_shapes'", stage["random_shapes"]},
                                           {"'random_batches'", stage["random_batches"]},
                                           {"'fixed_shapes'", stage["fixed_shapes"]},
                                           {"a fixed shape", parts["shape"]},
                                           {"an Op Time rule", stage["op_times"]["items"]},
                                           {"an open item", stage["open_items"]["items"]},
                                           {"'ranking'", parts["ranking"]},
                                           {"a step", ranking["steps"]["items"]},
                                           {"'bonus'", ranking["bonus"]}};
  EXPECT_EQ(known.size(), places.size()) << to_text(loaded.problems);
  for (const auto& [place, rule] : places) EXPECT_EQ(known[place], properties(rule)) << place;
}

}  // namespace
}  // namespace opgrade
