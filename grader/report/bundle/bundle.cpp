#include "grader/report/bundle/bundle.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/base/core/shell_word.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/task/config/stage_case.hpp"
#include "grader/task/config/task_files.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// Name of the folder of the config's task in a bundle.
constexpr const char* kTask = "task";

/// Adds a network or weights file of the course's own, and sets `path` to its path in the bundle.
void take_model(std::string& path, const fs::path& folder, std::vector<ArchivedFile>& files) {
  if (path.find('/') == path.npos) return;
  const std::string bytes = text_of_file(folder / path);
  path = fmt::format("./models/{}-{}", files.size(), fs::path(path).filename().string());
  files.push_back({path.substr(2), bytes});
}

/// Sizes of the data sets that opgrade's own networks read: "fmnist-86" reads 86.
std::set<std::string> data_sizes(const Config& config) {
  constexpr std::string_view kNetwork = "fmnist-";
  std::set<std::string> sizes;
  for (const auto& [name, model] : config.models) {
    const std::string size = model.network.substr(std::min(kNetwork.size(), model.network.size()));
    const bool number = !size.empty() && size.find_first_not_of("0123456789") == std::string::npos;
    if (model.network.starts_with(kNetwork) && number) sizes.insert(size);
  }
  return sizes;
}

void check_package(const fs::path& package) {
  const std::string name = package.filename().string();
  if (name.empty() || name.ends_with(".deb") || name.find(".tar") != name.npos) return;
  throw UsageError(fmt::format("{} is neither a .deb nor a .tar.* file", package.string()),
                   "Give --package a Debian package of opgrade, its portable bundle, or a tar "
                   "archive of the folder that it was installed to.");
}

std::string settings(const Config& config, const BundleOptions& options) {
  std::string ranked;
  if (const auto& r = config.ranking) ranked = case_id(StageConfig{.name = r->stage}, *r);
  std::string text = "# Written by opgrade bundle.\n";
  const auto set = [&](const char* name, const std::string& value) {
    text += fmt::format("{}={}\n", name, value.empty() ? "''" : shell_word(value));
  };
  set("package", options.package.filename().string());
  const auto sizes = options.server.empty() ? data_sizes(config) : std::set<std::string>{};
  set("data_sizes", fmt::format("{}", fmt::join(sizes, " ")));
  set("leaderboard", ranked);
  set("late_percent", std::to_string(options.late.percent_per_day));
  set("late_days", options.late.days > 1000 ? "" : std::to_string(options.late.days));
  set("late_grace", std::to_string(options.late.grace_minutes));
  set("handin", options.handin);
  set("server", options.server);
  set("assignment", options.assignment);
  return text;
}

}  // namespace

std::vector<ArchivedFile> bundle_files(const std::string& platform, const Config& config,
                                       const BundleOptions& options) {
  check_package(options.package);
  std::vector<ArchivedFile> files;
  const fs::path scripts = resources::share_folder() / "bundle" / platform;
  std::set<fs::path> names;
  for (const auto& entry : fs::directory_iterator(scripts)) names.insert(entry.path());
  for (const auto& script : names)
    files.push_back({script.filename().string(), text_of_file(script), true});
  Config effective = config;
  for (auto& [name, model] : effective.models) {
    take_model(model.network, config.folder, files);
    take_model(model.weights, config.folder, files);
  }
  for (const auto& [name, source] : travelling_files(config, kTask))
    files.push_back({name.string(), text_of_file(source)});
  files.push_back({"config.yaml", dump_config_beside(effective, fs::path(".") / kTask)});
  files.push_back({"settings.sh", settings(config, options)});
  if (!options.token.empty())
    files.push_back({.path = "token", .bytes = text_of_file(options.token), .secret = true});
  if (!options.package.empty())
    files.push_back({options.package.filename().string(), text_of_file(options.package)});
  return files;
}

}  // namespace opgrade
