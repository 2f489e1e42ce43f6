#include "grader/course/exchange/pack.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "grader/base/core/printable.hpp"
#include "grader/base/files/archives.hpp"
#include "grader/base/files/text_file.hpp"

namespace opgrade::course {

namespace fs = std::filesystem;
namespace {

constexpr const char* kUnnamed = "the assignment does not name it";

}  // namespace

std::string pack(const std::map<std::string, std::string>& files) {
  std::vector<ArchivedFile> all;
  for (const auto& [name, content] : files) all.push_back({name, content});
  return write_archive(all, ArchiveFormat::pax);
}

tl::expected<PackedFolder, std::string> pack_folder(
    const fs::path& folder, const std::function<bool(const std::string& file_name)>& is_named,
    const std::string& document) {
  PackedFolder packed;
  std::map<std::string, std::string> files;
  std::uintmax_t total = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().lexically_relative(folder).string();
    const fs::file_status status = entry->symlink_status(error);
    if (error) break;
    const auto leave_out = [&](const std::string& why) {
      packed.left_out.push_back(fmt::format("{} ({})", printable_line(name), why));
    };
    if (fs::is_directory(status)) {
      if (entry->path().filename() == ".git") entry.disable_recursion_pending();
    } else if (fs::is_symlink(status)) {
      leave_out("a symbolic link");
    } else if (!fs::is_regular_file(status)) {
      leave_out("no regular file");
    } else if (!is_named(entry->path().filename().string())) {
      leave_out(kUnnamed);
    } else if (const auto size = entry->file_size(error);
               !error && is_too_large(size, entry->path().filename().string(), document)) {
      leave_out(fmt::format("{} KiB", size >> 10));
    } else if (!error) {
      total += size;
      if (total > kMaxPacked || files.size() >= kMaxPackedFiles) {
        return tl::unexpected(fmt::format(
            "the folder holds more than {} MiB or {} files; remove what is not source code",
            kMaxPacked >> 20, kMaxPackedFiles));
      }
      packed.newest = std::max(packed.newest, entry->last_write_time(error));
      files.emplace(name, text_of_file(entry->path()));
    }
    if (error) break;
  }
  if (error) return tl::unexpected("the folder cannot be read: " + error.message());
  std::ranges::sort(packed.left_out);
  // Files that the assignment names come first, because a message may list only the first ones.
  std::ranges::stable_partition(packed.left_out,
                                [](auto& one) { return one.find(kUnnamed) == one.npos; });
  if (files.empty())
    return tl::unexpected(fmt::format("the folder holds no files to hand in{}{}",
                                      packed.left_out.empty() ? "" : "; left out: ",
                                      fmt::join(packed.left_out | std::views::take(5), ", ")));
  for (const auto& [name, bytes] : files) packed.taken.push_back(name);
  packed.bytes = pack(files);
  return packed;
}

}  // namespace opgrade::course
