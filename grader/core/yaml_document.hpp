/// Reads a text that should hold one YAML document.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <optional>
#include <sstream>
#include <string>

namespace opgrade {

struct YamlDocument {
  std::optional<YAML::Node> root;    ///< nothing in an empty text
  std::optional<YAML::Mark> second;  ///< where a second document begins
};

/// Throws YAML::Exception for what is no YAML. Not YAML::LoadAll, which in yaml-cpp 0.7 goes on for
/// ever, taking memory, where a document begins with a comma.
inline YamlDocument read_yaml(const std::string& text) {
  struct Starts : YAML::EventHandler {
    std::optional<YAML::Mark> last;
    void OnDocumentStart(const YAML::Mark& mark) override { last = mark; }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}
  };
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Starts starts;
  YamlDocument document;
  if (!parser.HandleNextDocument(starts)) return document;
  document.root = YAML::Load(text);
  if (parser.HandleNextDocument(starts)) document.second = starts.last;
  return document;
}

}  // namespace opgrade
