// Holds configs/README.md and the tables of docs/new-task.md to the keys of configs.
// UPDATE_GOLDEN=1 writes the tables.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "grader/task/config/fields.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/config/task_fields.hpp"
#include "tests/support/golden.hpp"

namespace opgrade {
namespace {

/// `text` with `table` between the marks of that name.
std::string with_table(const std::string& text, const std::string& name, const std::string& table) {
  const std::string mark = "<!-- " + name + " -->\n", end = "<!-- /" + name + " -->\n";
  const auto from = text.find(mark), to = text.find(end, from);
  EXPECT_NE(to, text.npos) << "the marks of " << name;
  if (to == text.npos) return text;
  return text.substr(0, from + mark.size()) + table + text.substr(to);
}

/// The keys of a task, with the defaults of an empty record.
class TaskRows {
 public:
  std::string text = "| key | default | meaning |\n|--|--|--|\n";

  template <class T>
  void operator()(const char* key, const T& value, const Doc& doc, Range = {}) {
    std::string usual = doc.usual;
    if constexpr (std::is_enum_v<T>) {
      if (usual.empty())
        usual = fmt::format("`{}`", enum_names(value).names[static_cast<std::size_t>(value)]);
    } else if constexpr (std::is_same_v<T, bool>) {
      if (usual.empty()) usual = fmt::format("`{}`", value);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      if (usual.empty()) usual = fmt::format("{}", value);
    }
    row(key, usual, doc);
  }
  void required(const char* key, const auto&, const Doc& doc, Range = {}) {
    row(key, "required", doc);
  }
  void named(const char* key, const auto&, const Doc& doc) { row(key, "required", doc); }
  void texts(const char* key, const auto&, const Doc& doc) { row(key, doc.usual, doc); }
  void word(const char* key, bool second, std::span<const std::string_view> names, const Doc& doc) {
    row(key, fmt::format("`{}`", names[second ? 1 : 0]), doc);
  }

 private:
  void row(const char* key, const std::string& usual, const Doc& doc) {
    text += fmt::format("| `{}` | {} | {} |\n", key, usual, doc.text);
  }
};

template <class Record>
std::string task_table() {
  TaskRows rows;
  const Record record;
  fields(rows, record);
  return rows.text;
}

TEST(TaskReference, HasTheKeysOfTheFields) {
  const std::filesystem::path file = OPGRADE_SOURCE_DIR "/docs/new-task.md";
  std::string text = test::read_text(file);
  text = with_table(text, "task", task_table<TaskDescription>());
  text = with_table(text, "size", task_table<SizeDescription>());
  text = with_table(text, "buffer", task_table<BufferDescription>());
  test::expect_golden(file, text);
}

/// Every key that `schema` knows and `page` does not name, the keys of an exercise aside:
/// docs/new-task.md has those.
std::vector<std::string> keys_without_mention(const nlohmann::json& schema,
                                              const std::string& page) {
  std::vector<std::string> missing;
  if (schema.contains("properties"))
    for (const auto& [key, rule] : schema["properties"].items()) {
      if (!std::regex_search(page, std::regex("\\b" + key + "\\b"))) missing.push_back(key);
      if (key == "task") continue;
      for (auto& inner : keys_without_mention(rule, page)) missing.push_back(key + '.' + inner);
    }
  for (const char* inner : {"items", "additionalProperties"})
    if (schema.contains(inner))
      for (auto& key : keys_without_mention(schema[inner], page)) missing.push_back(key);
  return missing;
}

TEST(ConfigReference, NamesEveryKeyOfTheSchema) {
  const std::filesystem::path folder = OPGRADE_SOURCE_DIR "/configs";
  const auto schema = nlohmann::json::parse(test::read_text(folder / "config.schema.json"));
  EXPECT_THAT(keys_without_mention(schema, test::read_text(folder / "README.md")),
              testing::IsEmpty());
}

TEST(ConfigReference, TheExampleIsAConfigWithItsDefaults) {
  const std::string page = test::read_text(OPGRADE_SOURCE_DIR "/configs/README.md");
  const auto from = page.find("```yaml\n") + 8;
  const LoadedConfig loaded = parse_config(page.substr(from, page.find("```", from) - from),
                                           OPGRADE_SOURCE_DIR "/configs/example.yaml");
  EXPECT_EQ(to_text(loaded.problems), "");
  const YAML::Node example = YAML::Load(dump_config(loaded.config)),
                   none = YAML::Load(dump_config({}));
  // The others have no default, or one that follows from the rest of the config.
  for (const char* key :
       {"interface", "pass_mark", "tolerance", "accept_emulated", "findings", "roofline",
        "run_after_timeout", "run_after_failure", "require_sandbox", "limits"})
    EXPECT_EQ(YAML::Dump(example[key]), YAML::Dump(none[key])) << key;
}

TEST(ConfigReference, HasTheCounts) {
  const std::filesystem::path file = OPGRADE_SOURCE_DIR "/configs/README.md";
  std::string counts = "| count | meaning |\n|--|--|\n";
  for (const CountName& count : count_names())
    counts += fmt::format("| `{}` | {} |\n", count.name, count.meaning);
  test::expect_golden(file, with_table(test::read_text(file), "counts", counts));
}

}  // namespace
}  // namespace opgrade
