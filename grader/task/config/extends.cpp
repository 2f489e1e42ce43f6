#include "grader/task/config/extends.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/nearest.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/base/files/yaml_reader.hpp"
#include "grader/task/config/exercises.hpp"
#include "grader/task/config/own_configs.hpp"
#include "grader/task/config/task_files.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// Earlier names of a config's keys, accepted with a note.
struct OldKey {
  std::string_view mapping;  ///< the key whose mapping contains the old key
  std::string_view old_name;
  const char* name;  ///< the present name; null if the key has no meaning any more
  const char* why = "";
};

constexpr const char* kFixedCalls = "all submissions have the same number of timed calls";

constexpr std::array kOldKeys{
    OldKey{"files", "take", "patterns"},
    OldKey{"timing", "warm_up", "partial_warmup"},
    OldKey{"timing", "warm_ups", "full_warmups"},
    OldKey{"timing", "budget", nullptr, kFixedCalls},
    OldKey{"timing", "settle", nullptr, kFixedCalls},
};

/// Depth of a case's timing: stages, a stage, cases, a case, timing. The limit also ends the walk
/// if aliases form a circle.
constexpr int kDeepest = 5;

/// Renames the keys of one file to their present names, before it is merged with another file.
void rename_in(const YAML::Node& node, std::string_view mapping, int depth, ProblemList& problems) {
  if (depth > kDeepest) return;
  std::vector<std::string> without_meaning;
  for (const auto& entry : node) {
    if (node.IsSequence()) {
      rename_in(entry, mapping, depth + 1, problems);
    } else if (entry.first.IsScalar()) {
      YAML::Node key = entry.first;
      for (const OldKey& old : kOldKeys) {
        if (old.mapping != mapping || old.old_name != key.Scalar()) continue;
        if (old.name == nullptr) {
          problems.note(
              key, fmt::format("note: '{}' has no effect any more: {}", old.old_name, old.why));
          without_meaning.push_back(key.Scalar());
        } else {
          problems.note(key, fmt::format("note: '{}' is now called '{}'", old.old_name, old.name));
          key = old.name;
        }
      }
      rename_in(entry.second, key.Scalar(), depth + 1, problems);
    }
  }
  for (const std::string& key : without_meaning) YAML::Node(node).remove(key);
}

constexpr std::uintmax_t kMaxConfigBytes = 1 << 20;
constexpr std::size_t kMaxFiles = 16;
constexpr const char* kExtends = "extends";
constexpr const char* kExercises = "exercises";
constexpr const char* kOnly = "only";

/// Walks the map, because operator[] hides all but the first of equal keys.
std::optional<YAML::Node> value_of(const YAML::Node& map, const std::string& key) {
  if (!map.IsMap()) return std::nullopt;
  for (const auto& entry : map) {
    if (entry.first.IsScalar() && entry.first.Scalar() == key) return entry.second;
  }
  return std::nullopt;
}

class Merger {
 public:
  explicit Merger(ProblemList& problems) : problems_(problems) {}

  /// Makes new nodes, because a node that an alias names has several places in the document.
  YAML::Node merge(const YAML::Node& own, const YAML::Node& base) {
    YAML::Node merged(YAML::NodeType::Map);
    problems_.stands_for(merged, own);
    for (const auto& entry : base) {
      if (!entry.first.IsScalar()) {
        merged.force_insert(entry.first, entry.second);
        continue;
      }
      const std::string& key = entry.first.Scalar();
      if (key == kExtends || key == kExercises) continue;
      const auto over = value_of(own, key);
      if (!over) merged.force_insert(entry.first, entry.second);
      if (over && !over->IsNull())
        merged.force_insert(key_of(own, key), merge_value(key, *over, entry.second));
    }
    std::set<std::string> merged_keys;
    for (const auto& entry : own) {
      const bool word = entry.first.IsScalar();
      if (word && (entry.first.Scalar() == kExtends || entry.first.Scalar() == kExercises))
        continue;
      // Keeps the second of equal keys, so that there is a complaint about it.
      if (word && value_of(base, entry.first.Scalar()) &&
          merged_keys.insert(entry.first.Scalar()).second)
        continue;
      merged.force_insert(entry.first, entry.second);
    }
    return merged;
  }

  /// `root` without the stages that `only` does not name, and without a ranking of one of them.
  YAML::Node only_stages(const YAML::Node& root, const YAML::Node& only) {
    const auto listed = value_of(root, "stages");
    if (!only.IsSequence()) problems_.add(only, "'only' must be a list of stages");
    if (!only.IsSequence() || !listed || !listed->IsSequence()) return root;
    std::set<std::string> all, wanted;
    for (const auto& stage : *listed) all.insert(name_of_stage(stage));
    for (const auto& name : only) {
      if (name.IsScalar() && all.contains(name.Scalar()))
        wanted.insert(name.Scalar());
      else
        problems_.add(name, "'only' names no stage of this config; they are {}",
                      fmt::join(all, ", "));
    }
    YAML::Node kept(YAML::NodeType::Map);
    problems_.stands_for(kept, root);
    for (const auto& entry : root) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
      if (entry.second.is(*listed)) {
        YAML::Node stages(YAML::NodeType::Sequence);
        problems_.stands_for(stages, entry.second);
        for (const auto& stage : entry.second)
          if (wanted.contains(name_of_stage(stage))) stages.push_back(stage);
        kept.force_insert(entry.first, stages);
        continue;
      }
      const auto ranked = key == "ranking" ? value_of(entry.second, "stage") : std::nullopt;
      const bool is_of_another = ranked && ranked->IsScalar() && all.contains(ranked->Scalar()) &&
                                 !wanted.contains(ranked->Scalar());
      if (key != kOnly && !is_of_another) kept.force_insert(entry.first, entry.second);
    }
    return kept;
  }

 private:
  static YAML::Node key_of(const YAML::Node& map, const std::string& key) {
    for (const auto& entry : map) {
      if (entry.first.IsScalar() && entry.first.Scalar() == key) return entry.first;
    }
    return YAML::Node(key);
  }

  YAML::Node merge_value(const std::string& key, const YAML::Node& own, const YAML::Node& base) {
    if (own.IsMap() && base.IsMap()) return merge(own, base);
    if (key == "stages" && own.IsSequence() && base.IsSequence()) return merge_stages(own, base);
    return own;
  }

  static std::string name_of_stage(const YAML::Node& stage) {
    const auto name = value_of(stage, "name");
    return name && name->IsScalar() ? name->Scalar() : "";
  }

  /// Stages are in the order of `base`; stages of other names follow.
  YAML::Node merge_stages(const YAML::Node& own, const YAML::Node& base) {
    YAML::Node merged(YAML::NodeType::Sequence);
    problems_.stands_for(merged, own);
    std::set<std::string> taken;
    for (const auto& below : base) {
      const std::string name = name_of_stage(below);
      const auto over = std::find_if(own.begin(), own.end(), [&](const YAML::Node& stage) {
        return !name.empty() && name_of_stage(stage) == name;
      });
      const bool replaces = over != own.end() && taken.insert(name).second;
      merged.push_back(replaces ? merge(*over, below) : YAML::Node(below));
    }
    std::set<std::string> seen;
    for (const auto& stage : own) {
      const std::string name = name_of_stage(stage);
      if (!taken.contains(name) || !seen.insert(name).second) merged.push_back(stage);
    }
    return merged;
  }

  ProblemList& problems_;
};

class ExtendedReader {
 public:
  /// `chain`: the files that are being read, each of which names the next.
  explicit ExtendedReader(ProblemList& problems, std::vector<fs::path> chain = {})
      : problems_(problems), chain_(std::move(chain)) {}

  std::optional<YAML::Node> read(const std::string& text, const fs::path& file) {
    const auto read = read_document(text, file.string(), "config", problems_);
    if (!read) return std::nullopt;
    const YAML::Node root = *read;
    problems_.add_source(file.string(), root);
    rename_in(root, "", 0, problems_);
    chain_.push_back(fs::weakly_canonical(file, ignored_));
    const auto only = value_of(root, kOnly);
    std::optional<YAML::Node> base;
    if (const auto extends = value_of(root, kExtends)) {
      base = read_base(kExtends, *extends, file);
      if (!base) return std::nullopt;
      if (!base->IsMap()) {
        problems_.add(*base, "the config must be a mapping of keys to values");
        return std::nullopt;
      }
    }
    Merger merger(problems_);
    if (const auto exercises = value_of(root, kExercises)) {
      const auto tasks = read_exercises(*exercises, root, file);
      if (!tasks) return std::nullopt;
      base = base ? merger.merge(*tasks, *base) : *tasks;
    }
    const YAML::Node whole = base ? merger.merge(root, *base) : root;
    return only && !only->IsNull() ? merger.only_stages(whole, *only) : whole;
  }

 private:
  /// The path that `extends` names; if no such file exists, the config of opgrade's own of that
  /// name.
  static fs::path base_of(const std::string& extends, const fs::path& file) {
    fs::path base = (file.parent_path() / extends).lexically_normal();
    std::error_code ignored;
    if (fs::is_directory(base, ignored)) base /= kTaskFile;
    if (!is_name(extends) || fs::is_regular_file(base, ignored)) return base;
    return own_config(extends).value_or(base);
  }

  static bool is_name(const std::string& extends) {
    return extends.find_first_of("/.") == extends.npos;
  }

  static std::string no_such_name(const std::string& name) {
    const auto names = own_config_names();
    return "there is no such file, nor has opgrade a config of that name" +
           did_you_mean(name, {names.begin(), names.end()});
  }

  /// Reads another file of the chain, which `key` of `file` names.
  std::optional<YAML::Node> read_base(const char* key, const YAML::Node& named,
                                      const fs::path& file) {
    if (!named.IsScalar() || named.Scalar().empty()) {
      problems_.add(named, "'{}' must be the path of a config", key);
      return std::nullopt;
    }
    problems_.check_text(named, fmt::format("'{}'", key));
    const fs::path base = base_of(named.Scalar(), file);
    const fs::path place = fs::weakly_canonical(base, ignored_);
    if (std::ranges::find(chain_, place) != chain_.end()) {
      problems_.add(named, "'{}' comes back to {}", key, base.string());
      return std::nullopt;
    }
    if (chain_.size() >= kMaxFiles) {
      problems_.add(named, "more than {} configs extend each other", kMaxFiles);
      return std::nullopt;
    }
    const auto text = read_config_text(base);
    if (!text) {
      problems_.add(named, "'{}' names {}: {}", key, base.string(),
                    is_name(named.Scalar()) ? no_such_name(named.Scalar()) : text.error());
      return std::nullopt;
    }
    return read(*text, base);
  }

  /// The stages of the tasks that `named` lists. Each task is read by a reader of its own, because
  /// two tasks may extend one file.
  std::optional<YAML::Node> read_exercises(const YAML::Node& named, const YAML::Node& root,
                                           const fs::path& file) {
    if (!named.IsSequence() || named.size() == 0) {
      problems_.add(named, "'{}' must be a list of tasks' folders", kExercises);
      return std::nullopt;
    }
    const auto before = problems_.count();
    ExerciseStages stages(problems_);
    for (const YAML::Node& one : named) {
      const auto task = ExtendedReader(problems_, chain_).read_base(kExercises, one, file);
      if (task) stages.add(*task, base_of(one.Scalar(), file), one);
    }
    const YAML::Node whole = stages.document(root);
    return problems_.count() == before ? std::optional(whole) : std::nullopt;
  }

  ProblemList& problems_;
  std::vector<fs::path> chain_;  ///< the files that are being read
  std::error_code ignored_;
};

}  // namespace

tl::expected<std::string, std::string> read_config_text(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    return tl::unexpected(fmt::format("a folder without {}; is the path right?", kTaskFile));
  return read_text_file(file, kMaxConfigBytes);
}

bool in_one_folder(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  return fs::weakly_canonical(one, ignored).parent_path() ==
         fs::weakly_canonical(other, ignored).parent_path();
}

std::optional<YAML::Node> read_extended(const std::string& text, const fs::path& file,
                                        ProblemList& problems) {
  return ExtendedReader(problems).read(text, file);
}

}  // namespace opgrade
