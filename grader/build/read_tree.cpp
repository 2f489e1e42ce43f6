#include "grader/build/read_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "grader/build/compile_command.hpp"
#include "grader/build/compiler_run.hpp"
#include "grader/build/sources_beside.hpp"
#include "grader/core/system_random.hpp"
#include "grader/process/interrupt.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// A name that the submission chose may be long, and there is one line for each place of a name.
constexpr std::size_t kMostBytes = 16 << 20;

std::optional<std::string> text_of(const fs::path& file) {
  std::error_code missing;
  const auto size = fs::file_size(file, missing);
  if (missing || size > kMostBytes) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  return std::string{std::istreambuf_iterator<char>(in), {}};
}

/// Reads sources one by one, and again with what others need of them.
class TreeReader {
 public:
  TreeReader(const CompileJob& wanted, const Toolchain& tools, const Sandbox& sandbox,
             const fs::path& folder)
      : wanted_(wanted),
        // No other compiler has a tree for us.
        job_{wanted.interface, Device::emulated, wanted.sources, wanted.flags,
             wanted.libraries, wanted.files,     wanted.limits},
        tools_(tools),
        sandbox_(sandbox),
        folder_(folder) {}

  std::optional<TreeUses> run() {
    prepare_folder(job_, sandbox_, folder_);
    auto sources = job_.sources;
    const auto beside = sources_beside(wanted_);
    sources.insert(sources.end(), beside.begin(), beside.end());
    // One need leads to another: each round follows the calls into one more source.
    constexpr int kMostRounds = 8;
    for (int round = 0; round < kMostRounds; ++round) {
      TreeUses all;
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const bool included = job_.interface.included && i == 0;
        const auto lines = read(included ? adapter_source(wanted_) : "./" + sources[i]);
        if (lines)
          add_tree_uses(*lines, all);
        else if (i < job_.sources.size())
          return std::nullopt;
      }
      const auto before = needed_.size();
      std::ranges::set_intersection(all.needed, all.offered, std::inserter(needed_, needed_.end()));
      if (needed_.size() == before) return all;
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> read(const std::string& source) const {
    // No source can name it, and so none can tell this run from the build.
    SystemRandom random;
    const std::string output = fmt::format("{:016x}{:016x}", random(), random());
    auto command = one_source_command(job_, tools_, "--uses", source, "/out/" + output);
    if (wanted_.device != Device::emulated) command.emplace_back("-UOPGRADE_EMULATED");
    for (const std::string& name : needed_) command.push_back("--needed=" + name);
    const SandboxReport run = sandbox_.run(compile_policy(job_, tools_, folder_), command);
    interrupt::check();
    const bool passed = !run.limit && run.process.succeeded();
    return passed ? text_of(folder_ / "out" / output) : std::nullopt;
  }

  const CompileJob& wanted_;
  const CompileJob job_;
  const Toolchain& tools_;
  const Sandbox& sandbox_;
  const fs::path& folder_;
  std::set<std::string> needed_;
};

}  // namespace

std::optional<TreeUses> tree_uses(const CompileJob& wanted, const Toolchain& tools,
                                  const Sandbox& sandbox, const fs::path& folder) {
  if (!tools.emulator) return std::nullopt;
  return TreeReader(wanted, tools, sandbox, folder).run();
}

}  // namespace opgrade
