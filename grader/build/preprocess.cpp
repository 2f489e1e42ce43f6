#include "grader/build/preprocess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <string_view>

#include "grader/build/compile_command.hpp"
#include "grader/build/compiler_run.hpp"
#include "grader/build/sources_beside.hpp"
#include "grader/core/cpp_tokens.hpp"
#include "grader/core/system_random.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// Without directives that say where the lines behind them come from, such as `# 1 "/usr/a.h" 3`:
/// only the compiler's own may be in its output. Each is a '#', or %:, before something else than
/// the name of another directive; none of those begins with an l.
std::string without_line_markers(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto before = i > 0 ? text.find_last_not_of("\\\r\n", i - 1) : text.npos;
    const bool digraph = text[i] == ':' && before != text.npos && text[before] == '%';
    if (text[i] != '#' && !digraph) continue;
    if (text.compare(i, 2, "##") == 0) {
      ++i;
      continue;
    }
    const auto next = text.find_first_not_of(" \t", i + 1);
    const char first = next == text.npos ? '\0' : text[next];
    const bool name = std::isalpha(static_cast<unsigned char>(first)) != 0 || first == '_';
    if (!name || first == 'l') text[i] = ' ';
  }
  return text;
}

/// The texts a line each, as lines of a file of that name.
std::string asked(const std::string& mark, const std::vector<std::string>& texts) {
  std::string lines = fmt::format("\n# 1 \"{}\"\n", mark);
  for (std::string text : texts) {
    std::ranges::replace(text, '\n', ' ');
    lines += text + "\n";
  }
  return lines;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> all;
  for (const auto& token : cpp_tokens(text)) {
    const auto one = token.in(text);
    if (one.starts_with("#pragma")) {
      all.push_back(one.substr(0, 1));
      const auto rest = split(one.substr(1));
      all.insert(all.end(), rest.begin(), rest.end());
    } else {
      all.push_back(one);
    }
  }
  return all;
}

class Preprocessor {
 public:
  Preprocessor(const CompileJob& job, const std::vector<std::string>& texts, const Toolchain& tools,
               const Sandbox& sandbox, const fs::path& folder)
      : job_(job),
        texts_(texts),
        tools_(tools),
        sandbox_(sandbox),
        folder_(folder),
        mounts_(compile_policy(job, tools, folder).mounts),
        // No source can name them, and so none can tell this run from the build.
        mark_(fmt::format("{:016x}{:016x}", SystemRandom()(), SystemRandom()())) {}

  std::optional<std::vector<PreprocessedSource>> run() {
    TakenFiles files = job_.files;
    auto sources = job_.sources;
    const auto own = sources.size();
    const auto beside = sources_beside(job_);
    sources.insert(sources.end(), beside.begin(), beside.end());
    for (auto& file : files.files) {
      file.bytes = without_line_markers(std::move(file.bytes));
      if (std::ranges::find(sources, file.name) == sources.end()) continue;
      file.bytes = fmt::format("{}# 1 \"{}\"\n{}\n{}", asked(mark_ + "<", texts_), file.name,
                               file.bytes, asked(mark_ + ">", texts_));
    }
    CompileJob job{job_.interface, job_.device, job_.sources, job_.flags,
                   job_.libraries, files,       job_.limits};
    prepare_folder(job, sandbox_, folder_);
    std::vector<PreprocessedSource> all;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const bool included = job.interface.included && i == 0;
      const std::string source = included ? adapter_source(job) : "./" + sources[i];
      for (const bool host : {false, true}) {
        if (host && job.device != Device::cuda) continue;
        if (auto one = preprocessed(job, source, host))
          all.push_back(std::move(*one));
        else if (i < own)
          return std::nullopt;
      }
    }
    return all;
  }

 private:
  std::optional<PreprocessedSource> preprocessed(const CompileJob& job, const std::string& source,
                                                 bool host) const {
    auto command = one_source_command(job, tools_, "-E", source, "/out/" + mark_);
    if (host) command.emplace_back("-U__CUDA_ARCH__");
    const auto run = sandbox_.run(compile_policy(job, tools_, folder_), command);
    if (run.limit || !run.process.succeeded()) return std::nullopt;
    std::ifstream in(folder_ / "out" / mark_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return read(text);
  }

  PreprocessedSource read(const std::string& text) const {
    PreprocessedSource source;
    source.before.resize(texts_.size());
    source.behind.resize(texts_.size());
    std::string file;
    int first_line = 0;  // of the source: that of the output's first line
    bool is_own = false;
    for (const auto& token : cpp_tokens(text)) {
      const auto whole = token.in(text);
      if (whole.starts_with("# ")) {
        const auto open = whole.find('"'), close = whole.rfind('"');
        if (open == whole.npos) continue;
        file = fs::path(whole.substr(open + 1, close - open - 1)).lexically_normal();
        first_line = std::atoi(whole.data() + 2) - token.line - 1;
        is_own = !is_foreign(file);
        continue;
      }
      const int line = first_line + token.line;
      for (const auto one : split(whole)) {
        if (file == mark_ + "<")
          add(source.before, line, one);
        else if (file == mark_ + ">")
          add(source.behind, line, one);
        else if (is_own)
          source.tokens.push_back({std::string(one), file, line});
      }
    }
    return source;
  }

  static void add(std::vector<std::vector<std::string>>& texts, int line, std::string_view token) {
    if (line >= 1 && line <= static_cast<int>(texts.size()))
      texts[static_cast<std::size_t>(line) - 1].emplace_back(token);
  }

  /// A header that no submission has, with its path here or in the sandbox.
  bool is_foreign(const std::string& file) const {
    const auto below = [&](const fs::path& folder) {
      return file.starts_with(folder.string() + "/");
    };
    if (below(kAliases) || below(folder_ / "adapters/aliases")) return false;
    return file.starts_with('<') || std::ranges::any_of(mounts_, [&](const Mount& mount) {
             return mount.inside != kSources && (below(mount.inside) || below(mount.host));
           });
  }

  const CompileJob& job_;
  const std::vector<std::string>& texts_;
  const Toolchain& tools_;
  const Sandbox& sandbox_;
  const fs::path& folder_;
  const std::vector<Mount> mounts_;  // a compiler's view
  const std::string mark_;
};

}  // namespace

std::vector<std::string> spelled_tokens(const std::string& text) {
  const auto all = split(text);
  return {all.begin(), all.end()};
}

std::optional<std::vector<PreprocessedSource>> preprocess(const CompileJob& job,
                                                          const std::vector<std::string>& texts,
                                                          const Toolchain& tools,
                                                          const Sandbox& sandbox,
                                                          const fs::path& folder) {
  return Preprocessor(job, texts, tools, sandbox, folder).run();
}

}  // namespace opgrade
