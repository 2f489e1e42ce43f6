// Reads Gradescope's "Export Submissions": a folder for each submission, and
// submission_metadata.yml, whose keys are Ruby symbols.
#include <fmt/format.h>

#include "grader/base/core/error.hpp"
#include "grader/base/core/yaml_document.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/exchange/hand_in.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

/// The value of ":key" or "key"; undefined if there is none.
YAML::Node value_of(const YAML::Node& map, const std::string& key) {
  if (!map.IsMap()) return YAML::Node(YAML::NodeType::Undefined);
  for (const auto& entry : map) {
    if (entry.first.IsScalar() &&
        (entry.first.Scalar() == ":" + key || entry.first.Scalar() == key))
      return entry.second;
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

std::string text_of(const YAML::Node& map, const std::string& key) {
  const YAML::Node value = value_of(map, key);
  return value.IsDefined() && value.IsScalar() && !value.IsNull() ? value.Scalar() : "";
}

/// The time of a hand-in. Older exports write a Ruby object that has the time in `utc`.
std::optional<Moment> time_of(const YAML::Node& submission) {
  const std::string plain = text_of(submission, "created_at");
  if (!plain.empty()) return parse_moment(plain);
  const YAML::Node object = value_of(submission, "created_at");
  return object.IsDefined() ? parse_moment(text_of(object, "utc")) : std::nullopt;
}

HandIn hand_in_from(const fs::path& folder, const std::string& name, const YAML::Node& submission) {
  HandIn hand_in = hand_in_of(folder / name);
  hand_in.people.clear();
  const YAML::Node submitters = value_of(submission, "submitters");
  if (submitters.IsDefined() && submitters.IsSequence()) {
    for (const auto& submitter : submitters) {
      Person person{{}, text_of(submitter, "name")};
      for (const char* key : {"sid", "email"})
        if (auto text = text_of(submitter, key); !text.empty()) person.keys.push_back(text);
      hand_in.people.push_back(std::move(person));
    }
  }
  const auto time = time_of(submission);
  hand_in.read = [=, plain = std::move(hand_in.read)](
                     const Reading& reading) -> tl::expected<Content, std::string> {
    std::error_code ignored;
    if (!fs::exists(folder / name, ignored))
      return tl::unexpected(fmt::format("the export has no folder {}; download it again", name));
    auto content = plain(reading);
    if (!content) return content;
    content->handed_in = time;
    content->time_from = time ? "submission_metadata.yml"
                              : "submission_metadata.yml does not tell its time; add it alone "
                                "with --time";
    return content;
  };
  return hand_in;
}

}  // namespace

FoundHandIns gradescope_export(const fs::path& folder) {
  const fs::path file = folder / "submission_metadata.yml";
  const auto text = read_text_file(file);
  if (!text) throw UsageError(fmt::format("{} {}", file.string(), text.error()));
  FoundHandIns found;
  try {
    // Not read_yaml(), because its limit on the number of values is for configs, and a class's file
    // has a history for each submission.
    const YAML::Node root = YAML::Load(*text);
    if (!root.IsMap())
      throw UsageError(file.string() + " is no mapping of submissions",
                       "is it Gradescope's file? Download the export again");
    for (const auto& entry : root)
      found.hand_ins.push_back(hand_in_from(folder, entry.first.Scalar(), entry.second));
  } catch (const YAML::Exception& e) {
    throw UsageError(
        fmt::format("{}:{}:{}: {}", file.string(), e.mark.line + 1, e.mark.column + 1, e.msg),
        "download the export again");
  }
  return found;
}

}  // namespace opgrade::course
