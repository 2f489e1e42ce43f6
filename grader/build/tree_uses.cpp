#include "grader/build/tree_uses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
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

}  // namespace

void LineRanges::add(int first, int last) {
  auto at = last_of_.upper_bound(first);
  if (at != last_of_.begin() && std::prev(at)->second >= first) {
    --at;
    first = at->first;
  }
  while (at != last_of_.end() && at->first <= last) {
    last = std::max(last, at->second);
    at = last_of_.erase(at);
  }
  last_of_[first] = last;
}

bool LineRanges::has(int line) const {
  const auto behind = last_of_.upper_bound(line);
  return behind != last_of_.begin() && std::prev(behind)->second >= line;
}

bool TreeUses::is_dead(const std::string& file, int line) const {
  const auto found = dead.find(file);
  return found != dead.end() && found->second.has(line);
}

void add_tree_uses(std::string_view lines, TreeUses& uses) {
  std::istringstream in{std::string(lines)};
  for (std::string text; std::getline(in, text);) {
    std::istringstream fields(text);
    std::string kind, file, first, last, name;
    for (std::string* const field : {&kind, &file, &first, &last, &name})
      std::getline(fields, *field, '\t');
    file = fs::path(file).lexically_normal();
    // A header of the grader's or of the system's has a whole path to another folder.
    const bool is_submissions =
        !file.starts_with('/') || file.find(std::string(kSources) + '/') != file.npos;
    if (kind == "known") uses.known.insert(name);
    if (kind == "needed") uses.needed.insert(name);
    if (kind == "offered") uses.offered.insert(name);
    if (kind == "use" && is_submissions)
      uses.uses.push_back({file, std::atoi(first.c_str()), name});
    if (kind == "dead" && is_submissions)
      uses.dead[file].add(std::atoi(first.c_str()), std::atoi(last.c_str()));
  }
}

namespace {

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
