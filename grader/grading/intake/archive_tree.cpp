#include <map>
#include <set>

#include "grader/base/core/printable.hpp"
#include "grader/grading/intake/archive.hpp"

namespace opgrade {
namespace {

using Files = std::map<std::string, ArchiveFile>;  // by path

class PackedFolder : public SubmissionFolder {
 public:
  PackedFolder(std::shared_ptr<const Files> files, std::string prefix)
      : files_(std::move(files)), prefix_(std::move(prefix)) {}

  bool has(const std::string& name) const override { return files_->contains(prefix_ + name); }

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
    if (name == ".") return std::make_unique<PackedFolder>(files_, prefix_);
    const std::string below = prefix_ + name + "/";
    const auto first = files_->lower_bound(below);
    if (first == files_->end() || !first->first.starts_with(below)) return nullptr;
    return std::make_unique<PackedFolder>(files_, below);
  }

  tl::expected<std::string, Refusal> read(const std::string& name,
                                          std::int64_t cap) const override {
    const auto found = files_->find(prefix_ + name);
    if (found == files_->end()) {
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
    for (auto at = files_->lower_bound(prefix_);
         at != files_->end() && at->first.starts_with(prefix_); ++at)
      visit(at->first.substr(prefix_.size()));
  }

  std::shared_ptr<const Files> files_;
  std::string prefix_;
};

}  // namespace

SubmissionTree archive_tree(std::vector<ArchiveFile> files) {
  auto by_path = std::make_shared<Files>();
  for (auto& file : files) {
    std::string path = file.path;
    by_path->insert_or_assign(std::move(path), std::move(file));
  }
  return SubmissionTree(std::make_unique<PackedFolder>(std::move(by_path), ""));
}

}  // namespace opgrade
