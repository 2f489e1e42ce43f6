#include "grader/config/task_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "grader/config/extends.hpp"
#include "grader/config/field_reader.hpp"
#include "grader/config/fields.hpp"
#include "grader/config/task_files.hpp"
#include "grader/files/checksum.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using Role = BufferDescription::Role;
using Initial = BufferDescription::Initial;

/// Of the random cases where the task says nothing: small enough for plain loops.
constexpr int kRandomElements = 2000;

class TaskReader {
 public:
  TaskReader(const YAML::Node& root, ProblemList& problems)
      : root_(root), node_(root["task"]), problems_(problems) {}

  std::optional<std::string> read() {
    const auto before = problems_.count();
    read_description();
    if (problems_.count() > before) return std::nullopt;
    try {
      check(task_);
    } catch (const std::invalid_argument& e) {
      problems_.add(node_, fmt::format("'task': {}", e.what()));
      return std::nullopt;
    }
    for (const auto& [file, what] :
         {std::pair(task_.folder / "reference.cpp", "computes the right outputs"),
          std::pair(task_.folder / "solution",
                    "holds the reference solution, for limits such as "
                    "`2 x reference`")}) {
      if (fs::exists(file)) continue;
      problems_.add(node_, fmt::format("there is no {}, which {}", file.string(), what));
    }
    if (problems_.count() > before) return std::nullopt;
    const std::string id = fmt::format("{}-{}", task_.name, state().substr(0, 12));
    add_folder_task(task_, id);
    return id;
  }

 private:
  void read_description() {
    task_.name = root_["name"] && root_["name"].IsScalar() ? root_["name"].Scalar() : "";
    task_.title =
        root_["title"] && root_["title"].IsScalar() ? root_["title"].Scalar() : task_.name;
    if (!is_file_name(task_.name))
      problems_.add(root_["name"] ? root_["name"] : node_,
                    "'name' of a task names files: letters, digits, '-' and '_'");
    task_.folder = fs::absolute(problems_.file_of(node_)).parent_path();
    MapReader map(node_, "'task'", problems_);
    std::string prototype;
    map.require("function");
    map.read("function", prototype);
    if (!prototype.empty()) read_function(map.node("function"), prototype);
    std::string pointers = "device";
    map.read("pointers", pointers);
    if (pointers != "device" && pointers != "host")
      problems_.add(map.node("pointers"),
                    fmt::format("'pointers' must be device or host, not '{}'", pointers));
    task_.host_pointers = pointers == "host";
    map.require("sizes");
    if (map.has("sizes")) read_sizes(map.node("sizes"));
    map.require("buffers");
    if (map.has("buffers")) read_buffers(map.node("buffers"));
    map.read("constraints", task_.constraints);
    map.read("flops", task_.flops);
  }

  static bool is_file_name(const std::string& name) {
    return !name.empty() && name.size() <= 64 && name.front() != '-' &&
           std::ranges::all_of(name, [](char c) {
             return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '-' || c == '_';
           });
  }

  void read_function(const YAML::Node& node, const std::string& prototype) {
    try {
      task_.function = parse_prototype(prototype);
    } catch (const std::invalid_argument& e) {
      problems_.add(node, fmt::format("'function': {}", e.what()));
    }
  }

  void read_sizes(const YAML::Node& node) {
    if (!node.IsMap()) return problems_.add(node, "'sizes' must be a mapping of names to ranges");
    for (const auto& entry : node) {
      SizeDescription size{.name = entry.first.Scalar()};
      MapReader map(entry.second, fmt::format("size '{}'", size.name), problems_);
      map.read("from", size.from, 1, kMaxTaskSize);
      map.require("to");
      map.read("to", size.to, 1, kMaxTaskSize);
      size.random = std::min(size.to, std::max(size.from, kRandomElements));
      map.read("random", size.random, size.from, std::max(size.from, size.to));
      task_.sizes.push_back(size);
    }
  }

  /// In the function's order, whatever the file's.
  void read_buffers(const YAML::Node& node) {
    if (!node.IsMap()) return problems_.add(node, "'buffers' must be a mapping of parameters");
    std::vector<BufferDescription> buffers;
    for (const auto& entry : node) {
      const std::string name = entry.first.Scalar();
      const auto& parameters = task_.function.parameters;
      const auto parameter = std::ranges::find(parameters, name, &Parameter::name);
      if (parameter == parameters.end()) {
        if (!parameters.empty())
          problems_.add(entry.first, fmt::format("'{}' is no parameter of the function", name));
        continue;
      }
      buffers.push_back(read_buffer(entry.second, *parameter));
    }
    for (const auto& parameter : task_.function.parameters)
      if (const auto found = std::ranges::find(buffers, parameter.name, &BufferDescription::name);
          found != buffers.end())
        task_.buffers.push_back(*found);
  }

  BufferDescription read_buffer(const YAML::Node& node, const Parameter& parameter) {
    BufferDescription buffer{
        .name = parameter.name,
        .type = parameter.type,
        .role = parameter.pointer && !parameter.constant ? Role::out : Role::in,
        .scalar = !parameter.pointer};
    MapReader map(node, fmt::format("buffer '{}'", buffer.name), problems_);
    if (parameter.pointer) map.read("extents", buffer.extents);
    read_word(map, "role", buffer.role, {"in", "out", "inout", "scratch"});
    read_word(map, "initial", buffer.initial, {"poison", "zero"});
    map.read("values", buffer.values);
    if (map.has("tolerance")) map.read("tolerance", buffer.tolerance.emplace(), 0);
    return buffer;
  }

  template <class Enum>
  void read_word(MapReader& map, const char* key, Enum& value,
                 std::initializer_list<std::string_view> names) {
    std::string word(names.begin()[static_cast<std::size_t>(value)]);
    map.read(key, word);
    const auto found = std::ranges::find(names, word);
    if (found == names.end()) {
      const std::vector<std::string_view> known(names);
      problems_.add(map.node(key),
                    fmt::format("'{}' must be {}, not '{}'", key, in_words(known), word));
    } else {
      value = static_cast<Enum>(found - names.begin());
    }
  }

  /// Of all that decides a grade beside the config's other keys.
  std::string state() const {
    std::string text = YAML::Dump(node_) + task_.name;
    for (const auto& file : deciding_files(task_.folder))
      text += fmt::format("\n{} {}", file.string(), sha256_of_file(task_.folder / file));
    Sha256 sum;
    sum.add(std::as_bytes(std::span(text)));
    return sum.hex();
  }

  const YAML::Node& root_;
  const YAML::Node node_;
  ProblemList& problems_;
  TaskDescription task_;
};

}  // namespace

std::optional<std::string> read_task(const YAML::Node& root, ProblemList& problems) {
  const YAML::Node task = root["task"];
  const fs::path file = problems.file_of(task);
  const bool elsewhere = task.IsScalar();  // the path of a task's folder
  // Else a config that extends a task's folder could rename the student's files.
  const bool own = !elsewhere && (!root["name"] || problems.file_of(root["name"]) == file.string());
  if (own) return TaskReader(root, problems).read();
  const fs::path named =
      elsewhere ? (file.parent_path() / task.Scalar() / kTaskFile).lexically_normal() : file;
  std::string complaint;
  const auto text = read_config_text(named, complaint);
  if (!text) {
    problems.add(task, fmt::format("'task' names {}: {}", named.string(), complaint));
    return std::nullopt;
  }
  const auto document = read_extended(*text, named, problems);
  if (!document) return std::nullopt;
  if (!document->IsMap() || !(*document)["task"].IsDefined() || !(*document)["task"].IsMap()) {
    problems.add(task, fmt::format("'task' names {}, which has no mapping 'task'", named.string()));
    return std::nullopt;
  }
  return TaskReader(*document, problems).read();
}

}  // namespace opgrade
