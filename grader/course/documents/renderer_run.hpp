/// One run of a renderer on a stranger's bytes, in the sandbox.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/limit.hpp"
#include "grader/course/documents/document_bounds.hpp"
#include "grader/course/documents/renderers.hpp"
#include "grader/platform/sandbox/sandbox.hpp"

namespace opgrade::documents {

/// The document's path in the sandbox. The name that the student gave it is not used there.
inline constexpr const char* kDocument = "/document";

struct RendererEnd {
  bool well = false;   ///< the program ended by itself, with exit code 0
  std::string output;  ///< what the program wrote, at most DocumentBounds::output_bytes
  std::optional<Limit> limit;
};

/// The sandbox of a kind's programs: they see themselves, the system's libraries and fonts, and the
/// document. They can write nothing but their output. The constructor's arguments must outlive the
/// object.
class RendererRun {
 public:
  RendererRun(DocumentKind kind, const DocumentBounds& bounds, const Renderers& renderers,
              const Sandbox& sandbox);

  /// Runs `words`, whose first is a program's name. Throws Error if the sandbox fails, or if the
  /// program also fails without a document.
  RendererEnd program(std::vector<std::string> words, const std::string& document) const;

  /// Runs a shell line of the kind's programs like program(). The line refers to the document as
  /// "$0", and must contain no text of a stranger.
  RendererEnd pipe(const std::string& line, const std::string& document) const;

 private:
  RendererEnd run(const std::vector<std::string>& command, const std::string& document) const;
  void check_programs() const;

  SandboxPolicy policy_;
  std::vector<std::string> programs_;  // their paths in the sandbox
  const Sandbox& sandbox_;
};

}  // namespace opgrade::documents
