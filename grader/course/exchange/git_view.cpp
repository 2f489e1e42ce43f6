#include "grader/course/exchange/git_view.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/exchange/git_folder.hpp"
#include "grader/platform/process/process.hpp"

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

/// The config of the grader's folder: the settings that git needs before it reads objects and
/// branches.
tl::expected<std::string, std::string> config_of(const GitSettings& settings) {
  const auto value_of = [&](const std::string& key, const std::string& otherwise) {
    const auto last = settings.upper_bound(key);  // the last of several values counts
    if (last == settings.begin() || std::prev(last)->first != key) return otherwise;
    return std::prev(last)->second;
  };
  const std::string objects = value_of("extensions.objectformat", "sha1");
  const std::string references = value_of("extensions.refstorage", "files");
  if (objects != "sha1" && objects != "sha256")
    return tl::unexpected(
        fmt::format("extensions.objectFormat '{}' is unknown; use sha1 or sha256", objects));
  if (references != "files" && references != "reftable")
    return tl::unexpected(
        fmt::format("extensions.refStorage '{}' is unknown; use files or reftable", references));
  std::string text = "[core]\n\tbare = true\n\trepositoryformatversion = 1\n[extensions]\n";
  if (objects != "sha1") text += "\tobjectformat = " + objects + "\n";
  if (references != "files") text += "\trefstorage = " + references + "\n";
  return text;
}

constexpr const char* kReferences[] = {"HEAD", "packed-refs", "shallow", "refs", "reftable"};

std::uintmax_t size_of_references(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  for (const char* name : kReferences) {
    if (fs::is_regular_file(folder / name)) bytes += fs::file_size(folder / name);
    if (!fs::is_directory(folder / name)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder / name))
      if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

void copy_references(const fs::path& from, const fs::path& to) {
  for (const char* name : kReferences)
    if (fs::exists(from / name)) fs::copy(from / name, to / name, fs::copy_options::recursive);
  fs::create_directories(to / "refs");  // without this folder it is no repository
}

/// Links the student's objects. Folders of loose objects are named by two hex digits; a pack is two
/// files.
void link_objects(const fs::path& from, const fs::path& to) {
  const auto is_digit = [](unsigned char c) { return std::isxdigit(c) != 0; };
  fs::create_directories(to / "pack");
  if (!fs::exists(from)) return;
  for (const auto& entry : fs::directory_iterator(from)) {
    const std::string name = entry.path().filename();
    if (name.size() == 2 && std::ranges::all_of(name, is_digit) && entry.is_directory())
      fs::create_directory_symlink(entry.path(), to / name);
  }
  if (!fs::exists(from / "pack")) return;
  for (const auto& entry : fs::directory_iterator(from / "pack")) {
    const fs::path ending = entry.path().extension();
    if (ending == ".pack" || ending == ".idx")
      fs::create_symlink(entry.path(), to / "pack" / entry.path().filename());
  }
}

/// Reads settings that are written as "key\nvalue" or "key", each followed by a zero byte.
GitSettings settings_in(const std::string& list) {
  GitSettings settings;
  std::istringstream entries(list);
  for (std::string entry; std::getline(entries, entry, '\0');) {
    const auto end = entry.find('\n');
    settings.emplace(entry.substr(0, end), end == entry.npos ? "" : entry.substr(end + 1));
  }
  return settings;
}

}  // namespace

tl::expected<std::string, std::string> GitView::git(
    const std::vector<std::string>& arguments) const {
  constexpr std::int64_t kMaxOutput = 32 << 20;
  static const fs::path program = git_program();
  Command command{.program = program,
                  .arguments = {"--git-dir=" + folder_.path().string()},
                  .environment = {"PATH=/usr/bin:/bin", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1",
                                  "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ALLOW_PROTOCOL=none",
                                  "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0"},
                  .working_folder = folder_.path()};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  const auto report = run_command(
      command,
      {.wall = std::chrono::minutes(1), .output_bytes = kMaxOutput, .kept_bytes = kMaxOutput});
  if (report.succeeded()) return report.standard_output;
  return tl::unexpected(fmt::format("git {} failed: {}", arguments.front(),
                                    printable_line(report.standard_error, 300)));
}

tl::expected<GitView, std::string> GitView::of(const fs::path& repository) {
  GitView view;
  const auto own = own_git_folder(
      repository, [&](const fs::path& file) -> tl::expected<GitSettings, std::string> {
        const auto list =
            view.git({"config", "--file", file.string(), "--no-includes", "--null", "--list"});
        if (!list) return tl::unexpected(list.error());
        return settings_in(*list);
      });
  if (!own) return tl::unexpected(own.error());
  const auto config = config_of(own->settings);
  if (!config) return tl::unexpected(config.error());
  try {
    constexpr std::uintmax_t kMostReferences = 256 << 20;
    if (size_of_references(own->path) > kMostReferences)
      return tl::unexpected(
          fmt::format("the names of its branches take more than {} MiB; clone it "
                      "again, with --single-branch",
                      kMostReferences >> 20));
    write_file(view.folder_.path() / "config", *config);
    copy_references(own->path, view.folder_.path());
    link_objects(own->path / "objects", view.folder_.path() / "objects");
  } catch (const fs::filesystem_error& e) {
    return tl::unexpected(fmt::format("the repository cannot be read: {}", e.code().message()));
  }
  return view;
}

}  // namespace opgrade::course
