#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "grader/core/printable.hpp"
#include "grader/intake/archive.hpp"

namespace opgrade {
namespace {

using Files = std::map<std::string, ArchiveFile>;  // by path

/// Files that operating systems add to archives.
bool is_litter(const std::string& path) {
  return path.starts_with("__MACOSX/") || path.starts_with('.');
}

/// "alice/" when all files are below alice, else nothing.
std::string common_folder(const Files& files) {
  std::set<std::string> tops;
  for (const auto& [path, file] : files) {
    if (!is_litter(path)) tops.insert(path.substr(0, path.find('/') + 1));
  }
  return tops.size() == 1 ? *tops.begin() : std::string();
}

class PackedFolder : public SubmissionFolder {
 public:
  PackedFolder(const Files& files, std::string prefix)
      : files_(files), prefix_(std::move(prefix)) {}

  bool has(const std::string& name) const override { return files_.contains(prefix_ + name); }

  std::vector<std::string> names() const override {
    std::set<std::string> names;
    for_each([&](const std::string& path) { names.insert(path.substr(0, path.find('/'))); });
    return {names.begin(), names.end()};
  }

  std::vector<std::string> folders() const override {
    std::set<std::string> folders;
    for_each([&](const std::string& path) {
      if (const auto slash = path.find('/'); slash != path.npos)
        folders.insert(path.substr(0, slash));
    });
    return {folders.begin(), folders.end()};
  }

  std::unique_ptr<SubmissionFolder> open(const std::string& name) const override {
    return std::make_unique<PackedFolder>(files_, prefix_ + name + "/");
  }

  tl::expected<std::string, Refusal> read(const std::string& name,
                                          std::int64_t cap) const override {
    const auto found = files_.find(prefix_ + name);
    if (found == files_.end()) {
      return tl::unexpected(
          Refusal{printable_line(name) + " is a folder, not a file", "Hand in the file itself."});
    }
    const ArchiveFile& file = found->second;
    if (file.size > cap) return tl::unexpected(too_large(name, file.size, cap));
    return file.bytes;
  }

 private:
  /// Calls `visit` with the path of every file below this folder, relative to it.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (auto at = files_.lower_bound(prefix_);
         at != files_.end() && at->first.starts_with(prefix_); ++at)
      visit(at->first.substr(prefix_.size()));
  }

  const Files& files_;
  std::string prefix_;
};

class PackedTree : public SubmissionTree {
 public:
  explicit PackedTree(std::vector<ArchiveFile> files) {
    for (auto& file : files) {
      std::string path = file.path;
      files_.insert_or_assign(std::move(path), std::move(file));
    }
    top_ = common_folder(files_);
  }

  std::unique_ptr<SubmissionFolder> open(const std::string& below) const override {
    const std::string folder = std::filesystem::path(below).lexically_normal().string();
    if (folder == ".") return open_prefix(top_);
    const std::string prefix = folder + (folder.ends_with('/') ? "" : "/");
    // "custom" may be the one folder that was packed, or a folder in it.
    auto found = open_prefix(prefix);
    return found != nullptr ? std::move(found) : open_prefix(top_ + prefix);
  }

 private:
  std::unique_ptr<SubmissionFolder> open_prefix(const std::string& prefix) const {
    const auto first = files_.lower_bound(prefix);
    if (first == files_.end() || !first->first.starts_with(prefix)) return nullptr;
    return std::make_unique<PackedFolder>(files_, prefix);
  }

  Files files_;
  std::string top_;
};

}  // namespace

std::unique_ptr<SubmissionTree> archive_tree(std::vector<ArchiveFile> files) {
  return std::make_unique<PackedTree>(std::move(files));
}

}  // namespace opgrade
