#include "grader/service/worker_place.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "grader/core/error.hpp"
#include "grader/files/checksum.hpp"

namespace opgrade::service {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVariable = "TMPDIR=";

/// Two courses may have servers on one machine.
std::string prefix_of(const fs::path& course) {
  constexpr std::size_t kDigits = 8;
  std::error_code ignored;
  return fmt::format(
      "opgrade-worker-{}-",
      sha256_of_text(fs::weakly_canonical(course, ignored).string()).substr(0, kDigits));
}

/// A submission's build may have left folders without the right to write.
void open_folders(const fs::path& place) {
  std::error_code ignored;
  const fs::recursive_directory_iterator end;
  for (fs::recursive_directory_iterator entry(place, fs::directory_options::skip_permission_denied,
                                              ignored);
       !ignored && entry != end; entry.increment(ignored))
    if (entry->is_directory(ignored) && !entry->is_symlink(ignored))
      fs::permissions(entry->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
}

/// A process that is just being killed may still write there.
void remove_whole(const fs::path& place) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    std::error_code failed;
    open_folders(place);
    fs::remove_all(place, failed);
    if (!failed) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

WorkerPlace::WorkerPlace(const fs::path& course) {
  std::error_code missing;
  std::string name = (fs::temp_directory_path(missing) / (prefix_of(course) + "XXXXXX")).string();
  if (missing || ::mkdtemp(name.data()) == nullptr)
    throw Error(fmt::format("cannot make a folder like {} for a worker", name),
                "set TMPDIR to a writable folder with free space");
  path_ = name;
  // The sandbox's user goes through it to folders of its own.
  fs::permissions(path_, fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add,
                  missing);
}

WorkerPlace::~WorkerPlace() { remove_whole(path_); }

void WorkerPlace::give_to(Command& command) const {
  std::erase_if(command.environment,
                [](const std::string& variable) { return variable.starts_with(kVariable); });
  command.environment.push_back(fmt::format("{}{}", kVariable, path_.string()));
}

void remove_left_places(const fs::path& course) {
  std::error_code missing;
  const std::string prefix = prefix_of(course);
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(fs::temp_directory_path(missing), missing))
    if (entry.path().filename().string().starts_with(prefix)) left.push_back(entry.path());
  for (const fs::path& place : left) remove_whole(place);
}

}  // namespace opgrade::service
