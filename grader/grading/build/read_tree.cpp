#include "grader/grading/build/read_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "grader/base/core/system_random.hpp"
#include "grader/grading/build/compile_command.hpp"
#include "grader/grading/build/compiler_run.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// A bound, because a submission may choose long names, and each place of a name has a line.
constexpr std::size_t kMostBytes = 16 << 20;

std::optional<std::string> text_of(const fs::path& file) {
  std::error_code missing;
  const auto size = fs::file_size(file, missing);
  if (missing || size > kMostBytes) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  return std::string{std::istreambuf_iterator<char>(in), {}};
}

/// nvcc's headers make attributes of these words; the emulated device's give a meaning to the
/// words.
std::string with_words(std::string text) {
  for (const std::string word : {"global", "device", "host", "shared", "constant", "managed"}) {
    const std::string attribute = fmt::format("__attribute__(({}))", word);
    const std::string written = fmt::format("__{}__", word);
    for (auto at = text.find(attribute); at != text.npos; at = text.find(attribute, at))
      text.replace(at, attribute.size(), written);
  }
  return text;
}

/// Reads sources one by one, and then again with what others need of them.
class TreeReader {
 public:
  TreeReader(const CompileJob& wanted, const PreprocessedSources& sources, const Toolchain& tools,
             const Sandbox& sandbox, const fs::path& folder)
      : sources_(sources),
        texts_(texts()),
        // Only the emulated device's compiler has a tree for us.
        job_{wanted.interface, Device::emulated, wanted.sources, wanted.flags,
             wanted.libraries, texts_,           wanted.limits},
        tools_(tools),
        sandbox_(sandbox),
        folder_(folder) {}

  TreeUses run() {
    prepare_folder(job_, sandbox_, folder_);
    // One need leads to another: each round follows the calls into one more source.
    constexpr int kMostRounds = 8;
    TreeUses all;
    for (int round = 0; round < kMostRounds; ++round) {
      all = TreeUses();
      for (std::size_t i = 0; i < sources_.size(); ++i) {
        if (is_second_pass(i)) continue;
        const auto lines = sources_[i].text.empty() ? std::nullopt : read(i);
        if (lines)
          add_tree_uses(*lines, all);
        else
          all.is_whole = false;
      }
      const auto before = needed_.size();
      std::ranges::set_intersection(all.needed, all.offered, std::inserter(needed_, needed_.end()));
      if (needed_.size() == before) return all;
    }
    all.is_whole = false;
    return all;
  }

 private:
  bool is_second_pass(std::size_t i) const {
    return i > 0 && sources_[i].name == sources_[i - 1].name;
  }

  /// No source can name these files, so no source can tell this run from the build.
  TakenFiles texts() const {
    SystemRandom random;
    TakenFiles taken{".", {}};
    for (const PreprocessedSource& source : sources_)
      taken.files.push_back(
          {fmt::format("{:016x}{:016x}{}", random(), random(),
                       fs::path(source.name).extension() == ".cu" ? ".cu" : ".cc"),
           with_words(source.text)});
    return taken;
  }

  std::optional<std::string> read(std::size_t i) const {
    // nvcc reads a source for the device first.
    const bool has_two = i + 1 < sources_.size() && is_second_pass(i + 1);
    const std::string& name = texts_.files[has_two ? i + 1 : i].name;
    auto command = uses_command(job_, tools_, name, "/out/" + name);
    if (has_two) command.push_back("--device-text=" + texts_.files[i].name);
    for (const std::string& needed : needed_) command.push_back("--needed=" + needed);
    const SandboxReport run = sandbox_.run(compile_policy(job_, tools_, folder_), command);
    interrupt::check();
    const bool passed = !run.limit && run.process.succeeded();
    return passed ? text_of(folder_ / "out" / name) : std::nullopt;
  }

  const PreprocessedSources& sources_;
  const TakenFiles texts_;
  const CompileJob job_;
  const Toolchain& tools_;
  const Sandbox& sandbox_;
  const fs::path& folder_;
  std::set<std::string> needed_;
};

}  // namespace

std::optional<TreeUses> tree_uses(const CompileJob& job, const PreprocessedSources& sources,
                                  const Toolchain& tools, const Sandbox& sandbox,
                                  const fs::path& folder) {
  if (!tools.has_front_end()) return std::nullopt;
  return TreeReader(job, sources, tools, sandbox, folder).run();
}

}  // namespace opgrade
