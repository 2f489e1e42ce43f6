/// Writes config.schema.json from the description of the keys.
#pragma once

#include "grader/task/config/fields.hpp"
#include "grader/task/config/registry.hpp"
#include "grader/task/config/task_fields.hpp"
#include "tests/support/key_schema.hpp"

namespace opgrade {

using ConfigSchema = test::KeySchema<true>;
using SchemaRule = ConfigSchema::Json;

inline SchemaRule rule_of(const Coordinates&) {
  SchemaRule sizes = SchemaRule::object();
  for (const Task* task : tasks())
    for (const auto& size : task->size_names())
      sizes[std::string(size.name)] = ConfigSchema::number("integer", {1, kMaxSize});
  return {{"type", "object"},
          {"additionalProperties", ConfigSchema::number("integer", {1, kMaxTaskSize})},
          {"properties", std::move(sizes)}};
}

inline SchemaRule rule_of(const SourceText&) { return {{"type", "string"}}; }

inline SchemaRule rule_of(const TimeBound&) {
  return ConfigSchema::text(
      std::string(ConfigSchema::kTime) +
      "|[0-9.]+ (x reference|x serial|GB/s|TB/s|GFLOP/s|TFLOP/s|of roofline)|never");
}

inline SchemaRule rule_of(const std::map<std::string, ModelConfig>&) {
  auto model = ConfigSchema::entry(ModelConfig{});
  model.erase("required");
  return {{"type", "object"}, {"additionalProperties", std::move(model)}};
}

inline std::vector<std::string> required_of(const StageConfig&) { return {"name"}; }

inline std::string config_schema_text() {
  auto rule = ConfigSchema::entry(Config{});
  rule.erase("required");
  for (const auto& interface : interfaces())
    rule["properties"]["interface"]["enum"].push_back(std::string(interface.id));
  // A task, or the path of its folder.
  auto& task = rule["properties"]["task"];
  const auto description = task["description"];
  task.erase("description");
  task = {{"anyOf", SchemaRule::array({SchemaRule{{"type", "string"}}, task})},
          {"description", description}};
  return test::key_schema("opgrade-config-1", "A grading config of opgrade, version 1",
                          "For completion in editors; `opgrade check-config FILE` reports every "
                          "problem. configs/README.md explains the keys.",
                          rule);
}

}  // namespace opgrade
