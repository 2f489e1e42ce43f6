#include "grader/course/documents/renderer_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/base/files/text_file.hpp"

namespace opgrade::documents {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrograms = "/usr/bin";
constexpr const char* kShell = "/bin/sh";

/// Renderers run with low priority, because timed submissions are more urgent than pages.
constexpr int kNiceness = 5;

void add_if_there(SandboxPolicy& policy, const fs::path& path) {
  std::error_code missing;
  if (fs::exists(path, missing)) policy.mounts.push_back({path, path});
}

/// Adds the loader and the libraries that Debian's packages share, but not all of /usr/lib, which
/// also has whole programs with their files.
void add_libraries(SandboxPolicy& policy) {
  add_if_there(policy, "/lib64");
  for (const char* const folder : {"/lib", "/usr/lib"}) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(folder, missing)) {
      const std::string name = entry.path().filename();
      if (name.ends_with("-linux-gnu") || name.starts_with("ld-linux"))
        policy.mounts.push_back({entry.path(), entry.path()});
    }
  }
}

/// Adds fonts, because a PDF may name a font without containing it, and CMaps for text in Chinese,
/// Japanese or Korean.
void add_fonts(SandboxPolicy& policy) {
  for (const char* const path :
       {"/etc/fonts", "/usr/share/fontconfig", "/usr/share/fonts", "/usr/share/ghostscript",
        "/usr/share/poppler", "/var/cache/fontconfig"})
    add_if_there(policy, path);
}

/// Programs by the name that they have in the sandbox.
using Programs = std::vector<std::pair<const char*, fs::path>>;

Programs programs_for(DocumentKind kind, const Renderers& all) {
  Programs programs{
      {"pamscale", all.pamscale}, {"pamflip", all.pamflip}, {"pnmtopng", all.pnmtopng}};
  switch (kind) {
    case DocumentKind::pdf:
      return {{"pdftoppm", all.pdftoppm}};
    case DocumentKind::markdown:
      return {{"cmark-gfm", all.cmark}};
    case DocumentKind::png:
      programs.emplace_back("pngtopam", all.pngtopam);
      break;
    case DocumentKind::jpeg:
      programs.emplace_back("jpegtopnm", all.jpegtopnm);
      break;
  }
  return programs;
}

/// Bytes of the tree for each byte of text. cmark-gfm writes some 25 for a text of short lines, and
/// indents each level of nested text.
constexpr std::int64_t kTreeToText = 32;

void set_bounds(SandboxPolicy& policy, DocumentKind kind, const DocumentBounds& bounds) {
  policy.wall = bounds.wall;
  policy.cpu = bounds.wall;
  policy.memory_bytes = bounds.memory_bytes;
  policy.output_bytes = kind == DocumentKind::markdown
                            ? std::min(bounds.output_bytes, kTreeToText * bounds.markdown_bytes)
                            : bounds.output_bytes;
  // Only the head of the output is used; the head is half of what is kept.
  policy.kept_output_bytes = 2 * policy.output_bytes;
  // /tmp holds fontconfig's cache and pnmtopng's copy of a picture: 6 bytes for each of at most
  // 2400 x 2400 pixels.
  policy.file_bytes = std::int64_t{64} << 20;
  policy.processes = 16;
  policy.niceness = kNiceness;
}

}  // namespace

RendererRun::RendererRun(DocumentKind kind, const DocumentBounds& bounds,
                         const Renderers& renderers, const Sandbox& sandbox)
    : sandbox_(sandbox) {
  add_libraries(policy_);
  if (kind == DocumentKind::pdf) add_fonts(policy_);
  for (const auto& [name, program] : programs_for(kind, renderers)) {
    programs_.push_back(fs::path(kPrograms) / name);
    policy_.mounts.push_back({program, programs_.back()});
  }
  policy_.environment = {fmt::format("PATH={}", kPrograms), "HOME=/tmp", "TMPDIR=/tmp",
                         "XDG_CACHE_HOME=/tmp", "LC_ALL=C.UTF-8"};
  set_bounds(policy_, kind, bounds);
}

RendererEnd RendererRun::program(std::vector<std::string> words,
                                 const std::string& document) const {
  words.front() = fs::path(kPrograms) / words.front();
  return run(words, document);
}

RendererEnd RendererRun::pipe(const std::string& line, const std::string& document) const {
  return run({kShell, "-c", line, kDocument}, document);
}

RendererEnd RendererRun::run(const std::vector<std::string>& command,
                             const std::string& document) const {
  const TempDir folder("opgrade-document-");
  write_whole(folder.path() / "document", document);
  sandbox_.hand_over(folder.path());
  SandboxPolicy policy = policy_;
  policy.mounts.push_back({folder.path() / "document", kDocument});
  if (command.front() == kShell) policy.mounts.push_back({kShell, kShell});
  SandboxReport report = sandbox_.run(policy, command);
  if (!report.started)
    throw Error("the sandbox for a document did not start: " +
                    printable_line(report.process.standard_error),
                "run `opgrade doctor`");
  const bool well = report.process.succeeded() && !report.limit;
  if (!well && !report.limit) check_programs();
  return {well, std::move(report.process.standard_output), report.limit};
}

/// Checks that the programs run at all, so that a missing library is not blamed on the document.
void RendererRun::check_programs() const {
  for (const std::string& program : programs_) {
    const std::string option = program.ends_with("/pdftoppm")    ? "-v"
                               : program.ends_with("/cmark-gfm") ? "--version"
                                                                 : "-version";
    const SandboxReport report = sandbox_.run(policy_, {program, option});
    if (report.process.succeeded()) continue;
    throw Error(fmt::format("{} fails without a document as well: {}", program,
                            printable_line(report.process.standard_error)),
                "check the free memory, then install its Debian package again");
  }
}

}  // namespace opgrade::documents
