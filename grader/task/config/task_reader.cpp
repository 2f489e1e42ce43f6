#include "grader/task/config/task_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "grader/base/files/checksum.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/task/config/extends.hpp"
#include "grader/task/config/field_reader.hpp"
#include "grader/task/config/public_task.hpp"
#include "grader/task/config/task_fields.hpp"
#include "grader/task/config/task_files.hpp"
#include "grader/task/folder/edited_function.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using Role = BufferDescription::Role;

/// Largest number of elements in a random case if the task sets none: small enough for plain loops.
constexpr int kRandomElements = 2000;

class TaskReader {
 public:
  TaskReader(const YAML::Node& root, ProblemList& problems)
      : root_(root), node_(root["task"]), problems_(problems) {}

  std::shared_ptr<const FolderTask> read() {
    const auto before = problems_.count();
    read_names();
    read_code_of_builds();
    read(node_, "'task'", task_);
    if (problems_.count() > before) return nullptr;
    sort_buffers();
    if (!task_.program.empty()) {
      task_.host_pointers = true;
      task_.callers.clear();  // the callers belong to the folder's forms with a function
    }
    task_.validates = fs::exists(folder() / "validate.cpp");
    try {
      opgrade::check(task_);
    } catch (const TaskMistake& e) {
      problems_.add(place_of(e.where), e.what());
      return nullptr;
    }
    for (const auto& file : task_.sources())
      expect(file, what_holds(file), fs::is_regular_file(folder() / file));
    expect(
        "solution", "whose Op Time is part of a limit",
        fs::is_directory(folder() / "solution") || !measures_solution(YAML::Dump(root_["stages"])));
    read_given();
    if (problems_.count() > before) return nullptr;
    return std::make_shared<FolderTask>(task_,
                                        fmt::format("{}-{}", task_.name, state().substr(0, 12)));
  }

 private:
  friend class FieldReader<TaskReader>;

  /// Visits the fields of a config, and the keys of a task.
  class Fields : public FieldReader<TaskReader> {
   public:
    using FieldReader::FieldReader;
    using FieldReader::operator();
    using FieldReader::word;

    template <class Record>
    void named(const char* key, std::vector<Record>& records, const Doc&) {
      map_.require(key);
      const auto node = map_.node(key);
      if (!node.IsDefined()) return;
      if (!node.IsMap()) return problems_.add(node, "'{}' must be a mapping of names", key);
      for (const auto& entry : node) {
        if (!entry.first.IsScalar()) {
          problems_.add(entry.first, "a name of '{}' must be a text", key);
          continue;
        }
        Record record;
        record.name = entry.first.Scalar();
        if (std::ranges::find(records, record.name, &Record::name) != records.end())
          problems_.add(entry.first, "'{}' is given twice", record.name);
        if (!all_.start(entry.first, record)) continue;
        all_.read(entry.second, fmt::format("'{}'", record.name), record);
        records.push_back(std::move(record));
      }
    }

    void texts(const char* key, std::vector<std::string>& texts, const Doc&) {
      if (!map_.use_key(key)) return;
      if (map_.node(key).IsSequence()) return map_.read(key, texts);
      std::string text;
      map_.read(key, text);
      texts = {text};
    }

    void word(const char* key, bool& second, std::span<const std::string_view> names,
              const Doc& doc) {
      std::string name(names[second ? 1 : 0]);
      word(key, name, names, doc);
      second = name == names[1];
    }
  };

  template <class Record>
  void read(const YAML::Node& node, const std::string& what, Record& record) {
    MapReader map(node, what, problems_);
    Fields io(*this, problems_, map);
    if constexpr (std::is_same_v<Record, TaskDescription>) read_function(map);
    fields(io, record);
    if constexpr (std::is_same_v<Record, SizeDescription>) {
      if (!map.use_key("random"))
        record.random = std::min(record.to, std::max(record.from, kRandomElements));
      else if (record.random < record.from || record.random > record.to)
        problems_.add(map.node("random"), "'random' is {}, and goes from {} to {}", record.random,
                      record.from, record.to);
    }
  }

  double& start(std::optional<double>& value) { return value.emplace(); }

  static bool start(const YAML::Node&, SizeDescription&) { return true; }
  /// Sets what the function's parameter says about the buffer.
  bool start(const YAML::Node& name, BufferDescription& buffer) {
    const Prototype& function = task_.function;
    const auto* const parameter = function.find(buffer.name);
    if (parameter != nullptr) {
      buffer.type = parameter->type;
      buffer.components = parameter->components;
      buffer.record = parameter->record;
      buffer.scalar = !parameter->pointer;
      if ((parameter->pointer || parameter->reference) && !parameter->constant)
        buffer.role = Role::out;
    } else if (buffer.name == kReturned && function.returns != nullptr) {
      buffer = returned();
    } else {
      if (!function.name.empty())
        problems_.add(name, "'{}' is no parameter of the function", buffer.name);
      return false;
    }
    return true;
  }

  BufferDescription returned() const {
    return {.name = kReturned,
            .type = task_.function.returns,
            .components = task_.function.returns_components,
            .record = task_.function.returns_record,
            .role = Role::out,
            .scalar = true};
  }

  /// Read first, because the other keys need the parameters.
  void read_function(MapReader& map) {
    std::string prototype;
    map.read("function", prototype);
    if (prototype.empty()) return;
    try {
      task_.function = parse_prototype(prototype, StructTypes(task_.types));
    } catch (const std::invalid_argument& e) {
      problems_.add(map.node("function"), "'function': {}", e.what());
    }
  }

  void read_names() {
    const auto text = [&](const char* key) {
      const YAML::Node node = root_[key];
      return node && node.IsScalar() ? node.Scalar() : std::string();
    };
    task_.name = text("name");
    task_.title = text("title").empty() ? task_.name : text("title");
    if (!is_file_name(task_.name))
      problems_.add(root_["name"] ? root_["name"] : node_,
                    "'name' of a task names files: letters, digits, '-' and '_'");
    task_.file = fs::absolute(problems_.file_of(root_["name"] ? root_["name"] : node_));
  }

  static bool is_file_name(const std::string& name) {
    return !name.empty() && name.size() <= 64 && name.front() != '-' &&
           std::ranges::all_of(name, [](char c) {
             return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '-' || c == '_';
           });
  }

  fs::path folder() const { return task_.file.parent_path(); }

  /// The node of a size, a buffer or a key.
  YAML::Node place_of(const std::string& name) const {
    for (const char* part : {"buffers", "sizes"})
      if (const YAML::Node entry = node_[part][name]) return entry;
    const YAML::Node key = node_[name];
    return key ? key : node_["function"];
  }

  /// Sorts the buffers in the order of the function's parameters.
  void sort_buffers() {
    const bool returns = task_.function.returns != nullptr;
    if (returns && task_.find(kReturned) == nullptr) task_.buffers.push_back(returned());
    std::ranges::stable_sort(task_.buffers, {}, [&](const BufferDescription& buffer) {
      const auto* const parameter = task_.function.find(buffer.name);
      return parameter != nullptr ? parameter - task_.function.parameters.data()
                                  : static_cast<std::ptrdiff_t>(task_.function.parameters.size());
    });
  }

  /// Reads staff's files that each submission is built with.
  void read_code_of_builds() {
    const auto text_of = [&](std::string_view name) {
      const fs::path file = folder() / name;
      return fs::is_regular_file(file) ? text_of_file(file) : std::string();
    };
    task_.types = text_of(kTypesFile);
    for (const std::string_view name : kCallerFiles)
      if (auto text = text_of(name); !text.empty()) task_.callers.emplace(name, std::move(text));
    task_.writer = text_of(kWriterFile);
    task_.reader = text_of(kReaderFile);
  }

  /// Reads the files in which a student changes one function.
  void read_given() {
    if (task_.edit.empty()) return;
    const YAML::Node edit = node_["edit"];
    for (const char* end : {".cc", ".cu"}) {
      const fs::path file = folder() / "template" / (task_.name + end);
      if (!fs::is_regular_file(file)) continue;
      const std::string text = text_of_file(file);
      try {
        with_function_of(text, text, task_.edit);
        task_.given[file.filename()] = text;
      } catch (const std::invalid_argument& e) {
        problems_.add(edit, "'edit': {}: {}", file.string(), e.what());
      }
    }
    if (task_.given.empty())
      problems_.add(edit, "'edit': there is no {}/template/{}.cu to be changed", folder().string(),
                    task_.name);
  }

  static const char* what_holds(const std::string& file) {
    return file == "generate.cpp" ? "which fills the buffers whose values are `generated`"
           : file == "check.cpp"  ? "which decides about outputs with `error: program`"
                                  : "which computes the right outputs";
  }

  void expect(const std::string& name, const char* what, bool is_there) {
    if (!is_there)
      problems_.add(node_,
                    "there is no {}, {}: a new folder of `opgrade task init` has one to start from",
                    (folder() / name).string(), what);
  }

  /// The text of everything that decides a grade apart from the config's other keys.
  std::string state() const {
    std::string text = YAML::Dump(node_) + task_.name;
    for (const auto& [file, given] : task_.given) text += file + given;
    for (const auto& file : deciding_files(folder()))
      text += fmt::format("\n{} {}", file.string(), sha256_of_file(folder() / file));
    return sha256_of_text(text);
  }

  const YAML::Node& root_;
  const YAML::Node node_;
  ProblemList& problems_;
  TaskDescription task_;
};

}  // namespace

fs::path file_of_task(const YAML::Node& root, const fs::path& of_root,
                      const ProblemList& problems) {
  const YAML::Node task = root["task"];
  const fs::path file = problems.file_of(task);
  if (task.IsScalar()) {  // the path of a task's folder
    fs::path named = (file.parent_path() / task.Scalar()).lexically_normal();
    if (named.extension() != ".yaml") named /= kTaskFile;
    return named;
  }
  // Returns `of_root` only if its `name` comes from the task's folder, because a config that
  // extends a task could otherwise rename the student's files.
  const bool own = !root["name"] || in_one_folder(problems.file_of(root["name"]), file);
  return own ? of_root : file;
}

std::shared_ptr<const FolderTask> read_task(const YAML::Node& root, ProblemList& problems) {
  const YAML::Node task = root["task"];
  const fs::path named = file_of_task(root, "", problems);
  if (named.empty()) return TaskReader(root, problems).read();
  const auto text = read_config_text(named);
  if (!text) {
    problems.add(task, "'task' names {}: {}", named.string(), text.error());
    return nullptr;
  }
  const auto document = read_extended(*text, named, problems);
  if (!document) return nullptr;
  if (!document->IsMap() || !(*document)["task"].IsDefined() || !(*document)["task"].IsMap()) {
    problems.add(task, "'task' names {}, which has no mapping 'task'", named.string());
    return nullptr;
  }
  return TaskReader(*document, problems).read();
}

}  // namespace opgrade
