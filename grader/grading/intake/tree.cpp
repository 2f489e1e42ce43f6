#include "grader/grading/intake/tree.hpp"

#include <algorithm>

namespace opgrade {
namespace {

/// Entries that operating systems add to folders and archives.
bool is_litter(const std::string& name) { return name == "__MACOSX" || name.starts_with('.'); }

/// Folders without files do not count, because archives do not have empty folders. `depth` and
/// `left`, a number of folders, bound the search: what is beyond them counts as a file.
bool holds_a_file(const SubmissionFolder& folder, int depth, int& left) {
  const auto folders = folder.folders();
  return folder.names().size() > folders.size() || depth == 0 || --left <= 0 ||
         std::ranges::any_of(folders, [&](const std::string& name) {
           const auto below = folder.open(name);
           return below && holds_a_file(*below, depth - 1, left);
         });
}

std::string only_folder(const SubmissionFolder& top) {
  constexpr int kDepth = 16;
  int left = 10'000;
  const auto folders = top.folders();
  std::vector<std::string> entries;
  for (const auto& name : top.names()) {
    if (is_litter(name)) continue;
    if (!std::ranges::binary_search(folders, name)) return {};
    const auto folder = top.open(name);
    if (folder && holds_a_file(*folder, kDepth, left)) entries.push_back(name);
    if (entries.size() > 1) return {};
  }
  return entries.empty() ? std::string() : entries.front();
}

}  // namespace

SubmissionTree::SubmissionTree(std::unique_ptr<SubmissionFolder> top)
    : top_(std::move(top)), inner_(only_folder(*top_)) {}

std::unique_ptr<SubmissionFolder> SubmissionTree::open(const std::filesystem::path& below) const {
  return open_below(*top_, below);
}

std::unique_ptr<SubmissionFolder> open_below(const SubmissionFolder& top,
                                             const std::filesystem::path& path) {
  std::unique_ptr<SubmissionFolder> folder = top.open(".");
  for (const auto& step : path) {
    if (step == "." || step.empty()) continue;
    if (folder) folder = folder->open(step);
  }
  return folder;
}

}  // namespace opgrade
