// Reads the last commit in time from a clone of a student's repository.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "grader/base/core/printable.hpp"
#include "grader/course/exchange/git_view.hpp"
#include "grader/course/exchange/hand_in.hpp"
#include "grader/course/exchange/pack.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

struct Commit {
  std::string id;
  Moment time;  ///< by the committer's clock
};

/// Fails if HEAD names no commit. Git's own message would be about its arguments.
tl::expected<void, std::string> check_head(const GitView& repository) {
  if (repository.git({"rev-parse", "--quiet", "--verify", "HEAD^{commit}"})) return {};
  const auto any = repository.git({"rev-list", "--max-count=1", "--all"});
  if (!any) return tl::unexpected(any.error());
  return tl::unexpected(
      any->empty() ? "the repository has no commit; nothing was pushed"
                   : "HEAD is a branch without a commit; check out the branch that counts");
}

/// The newest commit up to `limit`.
tl::expected<std::optional<Commit>, std::string> newest(const GitView& repository, Moment limit) {
  const auto list = repository.git({"rev-list", "--timestamp", "HEAD"});
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
tl::expected<Content, std::string> files_of(const GitView& repository, const Commit& commit,
                                            const std::string& document) {
  const auto tree = repository.git({"ls-tree", "-r", "-z", "-l", "--full-tree", commit.id});
  if (!tree)
    return tl::unexpected(fmt::format(
        "the clone lacks the list of files of commit {}; clone it again, without --filter ({})",
        commit.id.substr(0, 12), tree.error()));
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
    } else if (is_too_large(size, name.substr(name.rfind('/') + 1), document)) {
      content.notes.push_back(
          fmt::format("left out {} ({} KiB)", printable_line(name), size >> 10));
    } else {
      total += size;
      if (total > kMaxPacked || files.size() >= kMaxPackedFiles)
        return tl::unexpected(fmt::format("commit {} holds more than {} MiB or {} files",
                                          commit.id.substr(0, 12), kMaxPacked >> 20,
                                          kMaxPackedFiles));
      auto bytes = repository.git({"cat-file", "blob", id});
      if (!bytes)
        return tl::unexpected(
            fmt::format("the clone lacks {} of commit {}; clone it again, without --filter ({})",
                        printable_line(name), commit.id.substr(0, 12), bytes.error()));
      files.emplace(name, std::move(*bytes));
    }
  }
  if (files.empty())
    return tl::unexpected(fmt::format("commit {} holds no files", commit.id.substr(0, 12)));
  content.bytes = pack(files);
  return content;
}

}  // namespace

tl::expected<Content, std::string> last_commit(const fs::path& folder, const Reading& reading) {
  const auto& [zone, due, document] = reading;
  const auto view = GitView::of(folder);
  if (!view) return tl::unexpected(view.error());
  const GitView& repository = *view;
  if (const auto head = check_head(repository); !head) return tl::unexpected(head.error());
  auto commit = newest(repository, due.deadline + due.grace);
  if (commit && !*commit) commit = newest(repository, last_moment(zone, due));
  if (!commit) return tl::unexpected(commit.error());
  if (!*commit) {
    return tl::unexpected(
        fmt::format("the repository has no commit before {}", zone.text(last_moment(zone, due))));
  }
  return files_of(repository, **commit, document);
}

}  // namespace opgrade::course
