#include "grader/authoring/sample_edits.hpp"

#include <fmt/format.h>

#include "grader/base/core/error.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/base/files/yaml_reader.hpp"
#include "grader/task/config/extends.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// The unchanged text of a code value, with its line ends.
std::string code_in(MapReader& edit, const std::string& key) {
  const YAML::Node node = edit.node(key);
  return node.IsDefined() && node.IsScalar() ? node.Scalar() : "";
}

void edit(std::string& text, const std::string& name, const YAML::Node& node,
          ProblemList& problems) {
  MapReader reader(node, "an edit", problems);
  const std::string old = code_in(reader, "replace"), by = code_in(reader, "by");
  const auto at = text.find(old);
  if (old.empty())
    problems.add(node, "`replace` is missing: the text of solution/ that is replaced");
  else if (at == text.npos)
    problems.add(node, "solution/{} has no '{}'", name, old);
  else if (text.find(old, at + 1) != text.npos)
    problems.add(node, "solution/{} has '{}' more than once: name more of the line", name, old);
  else
    text.replace(at, old.size(), by);
}

std::map<std::string, std::string> read(const std::string& text, const fs::path& edits,
                                        const fs::path& solution, ProblemList& problems) {
  std::map<std::string, std::string> files;
  const auto document = read_document(text, edits.string(), "sample", problems);
  if (!document) return files;
  const YAML::Node& root = *document;
  if (!root.IsMap() || root.size() == 0) {
    problems.add(root, "no file is changed: name one of solution/ and its edits");
    return files;
  }
  for (const auto& entry : root) {
    const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "";
    const auto before = read_text_file(solution / fs::path(name).filename());
    if (!before || fs::path(name).filename() != name) {
      problems.add(entry.first, "solution/ has no file '{}'", name);
      continue;
    }
    std::string& file = files[name] = *before;
    if (!entry.second.IsSequence())
      problems.add(entry.second, "a list of edits is missing: - {replace: ..., by: ...}");
    for (const YAML::Node& one : entry.second) edit(file, name, one, problems);
  }
  return files;
}

}  // namespace

std::map<std::string, std::string> edited_files(const fs::path& edits, const fs::path& solution) {
  const auto text = read_config_text(edits);
  if (!text) throw UsageError(text.error());
  ProblemList problems(edits.string());
  auto files = read(*text, edits, solution, problems);
  if (problems.count() > 0)
    throw UsageError(to_text(problems.take()),
                     "a sample's edits must fit the solution as it is now");
  return files;
}

}  // namespace opgrade
