// A clone of a student's repository: the last commit in time. Only commands that run no program of
// the repository's own config are used (no hooks, filters, pagers, signatures, remotes).
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "grader/core/error.hpp"
#include "grader/core/printable.hpp"
#include "grader/course/hand_in.hpp"
#include "grader/course/pack.hpp"
#include "grader/process/process.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

fs::path git_program() {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path program = fs::path(folder) / "git";
    if (program.is_absolute() && ::access(program.c_str(), X_OK) == 0) return program;
  }
  throw Error("git is not installed", "apt-get install git, or add folders without .git");
}

fs::path git_folder(const fs::path& repository) {
  std::error_code ignored;
  const fs::path inner = repository / ".git";
  return fs::is_directory(fs::symlink_status(inner, ignored)) ? inner : repository;
}

tl::expected<std::string, std::string> git(const fs::path& repository,
                                           const std::vector<std::string>& arguments) {
  constexpr std::int64_t kMaxOutput = 32 << 20;
  static const fs::path program = git_program();
  Command command{.program = program,
                  .arguments = {"--git-dir=" + fs::absolute(git_folder(repository)).string(), "-c",
                                "safe.directory=*", "-c", "core.fsmonitor=false"},
                  .environment = {"PATH=/usr/bin:/bin", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1",
                                  "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ALLOW_PROTOCOL=none",
                                  "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0"}};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  const auto report = run_command(
      command,
      {.wall = std::chrono::minutes(1), .output_bytes = kMaxOutput, .kept_bytes = kMaxOutput});
  if (report.succeeded()) return report.standard_output;
  return tl::unexpected(fmt::format("git {} failed: {}", arguments.front(),
                                    printable_line(report.standard_error, 300)));
}

struct Commit {
  std::string id;
  Moment time;  ///< of the committer's clock
};

/// Fails where HEAD names no commit; git's own message would be about its arguments.
tl::expected<void, std::string> check_head(const fs::path& repository) {
  if (git(repository, {"rev-parse", "--quiet", "--verify", "HEAD^{commit}"})) return {};
  const auto any = git(repository, {"rev-list", "--max-count=1", "--all"});
  if (!any) return tl::unexpected(any.error());
  return tl::unexpected(
      any->empty() ? "the repository has no commit; nothing was pushed"
                   : "HEAD is a branch without a commit; check out the branch that counts");
}

/// The newest commit up to `limit`.
tl::expected<std::optional<Commit>, std::string> newest(const fs::path& repository, Moment limit) {
  const auto list = git(repository, {"rev-list", "--timestamp", "HEAD"});
  if (!list) return tl::unexpected(list.error());
  std::optional<Commit> found;
  std::istringstream lines(*list);
  std::int64_t time = 0;
  for (std::string id; lines >> time >> id;) {
    const Moment moment{std::chrono::seconds(time)};
    if (moment <= limit && (!found || moment > found->time)) found = Commit{id, moment};
  }
  return found;
}

/// The regular files of a commit.
tl::expected<Content, std::string> files_of(const fs::path& repository, const Commit& commit) {
  const auto tree = git(repository, {"ls-tree", "-r", "-z", "-l", "--full-tree", commit.id});
  if (!tree) return tl::unexpected(tree.error());
  Content content{{}, ".tar", commit.time, "commit " + commit.id.substr(0, 12), {}};
  std::map<std::string, std::string> files;
  std::uintmax_t total = 0;
  for (std::size_t begin = 0; begin < tree->size();) {
    const std::size_t end = tree->find('\0', begin);
    const std::string line = tree->substr(begin, end - begin);
    begin = end + 1;
    const auto tab = line.find('\t');
    if (end == tree->npos || tab == line.npos) break;
    const std::string name = line.substr(tab + 1);
    std::istringstream words(line.substr(0, tab));
    std::string mode, type, id, size_text;
    words >> mode >> type >> id >> size_text;
    const auto size = std::strtoull(size_text.c_str(), nullptr, 10);
    if (type != "blob" || mode == "120000") {
      content.notes.push_back(fmt::format("left out {} ({})", printable_line(name),
                                          type == "blob" ? "a symbolic link" : "a submodule"));
    } else if (size > kMaxPackedFile) {
      content.notes.push_back(
          fmt::format("left out {} ({} KiB)", printable_line(name), size >> 10));
    } else {
      total += size;
      if (total > kMaxPacked || files.size() >= kMaxPackedFiles)
        return tl::unexpected(fmt::format("commit {} holds more than {} MiB or {} files",
                                          commit.id.substr(0, 12), kMaxPacked >> 20,
                                          kMaxPackedFiles));
      auto bytes = git(repository, {"cat-file", "blob", id});
      if (!bytes) return tl::unexpected(bytes.error());
      files.emplace(name, std::move(*bytes));
    }
  }
  if (files.empty())
    return tl::unexpected(fmt::format("commit {} holds no files", commit.id.substr(0, 12)));
  content.bytes = pack(files);
  return content;
}

}  // namespace

bool is_git_repository(const fs::path& folder) {
  std::error_code ignored;
  if (fs::is_directory(fs::symlink_status(folder / ".git", ignored))) return true;
  return fs::is_regular_file(folder / "HEAD", ignored) &&
         fs::is_directory(folder / "objects", ignored) &&
         fs::is_directory(folder / "refs", ignored);
}

tl::expected<Content, std::string> last_commit(const fs::path& repository, const TimeZone& zone,
                                               const Due& due) {
  if (const auto head = check_head(repository); !head) return tl::unexpected(head.error());
  auto commit = newest(repository, due.deadline + due.grace);
  if (commit && !*commit) commit = newest(repository, last_moment(zone, due));
  if (!commit) return tl::unexpected(commit.error());
  if (!*commit) {
    return tl::unexpected(
        fmt::format("the repository has no commit before {}", zone.text(last_moment(zone, due))));
  }
  return files_of(repository, **commit);
}

}  // namespace opgrade::course
