#include <fmt/format.h>

#include <algorithm>

#include "grader/base/core/error.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/report/bundle/bundle.hpp"

namespace opgrade::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> write_gradescope(const fs::path& out,
                                       const std::vector<ArchivedFile>& files) {
  const fs::path zip = out.empty() ? "autograder.zip" : out;
  write_file(zip, write_archive(files, ArchiveFormat::zip));
  return {zip};
}

/// Autolab wants the Makefile next to the archive that it unpacks.
std::vector<fs::path> write_autolab(const fs::path& out, std::vector<ArchivedFile> files) {
  const fs::path folder = out.empty() ? "." : out;
  const fs::path makefile = folder / "autograde-Makefile", tar = folder / "autograde.tar";
  std::error_code error;
  fs::create_directories(folder, error);
  const auto is_makefile = [&](const ArchivedFile& f) { return f.path == makefile.filename(); };
  write_file(makefile, std::ranges::find_if(files, is_makefile)->bytes);
  std::erase_if(files, is_makefile);
  write_file(tar, write_archive(files, ArchiveFormat::tar));
  return {tar, makefile};
}

/// Writes the files into a course repository.
std::vector<fs::path> write_github(const fs::path& out, const std::vector<ArchivedFile>& files) {
  const fs::path folder = (out.empty() ? "." : out) / ".github";
  for (const ArchivedFile& file : files) {
    const bool workflow = file.path == "opgrade.yml";
    const fs::path place = folder / (workflow ? "workflows" : "opgrade") / file.path;
    std::error_code error;
    fs::create_directories(place.parent_path(), error);
    write_file(place, file.bytes);
  }
  return {folder / "workflows/opgrade.yml", folder / "opgrade"};
}

}  // namespace

void add_bundle(arguments::Parser& app, int&) {
  auto* verb = app.add_subcommand("bundle", "Pack a config and opgrade for a course platform");
  struct Own {
    std::string platform, config;
    fs::path out;
    BundleOptions bundle;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("platform", own->platform,
                   "gradescope (a zip), autolab (autograde.tar, autograde-Makefile) or github (a "
                   "workflow for a course repository)")
      ->required()
      ->check(arguments::one_of({"gradescope", "autolab", "github"}));
  verb->add_option("--config,-c", own->config, "Config file, or the name of an opgrade config")
      ->required();
  verb->add_option("--out,-o", own->out,
                   "gradescope: the file (autograder.zip); others: the folder (.)");
  verb->add_option("--package", own->bundle.package,
                   "opgrade for the platform's image: a .deb, or a .tar.* of an install folder. "
                   "Without one the image must have opgrade")
      ->check(arguments::existing_file());
  verb->add_option("--late-percent", own->bundle.late.percent_per_day,
                   "gradescope: percent of the points that each late day takes")
      ->check(arguments::range(0, 100));
  verb->add_option("--late-days", own->bundle.late.days,
                   "gradescope: no points after this number of late days")
      ->check(arguments::range(0, 1000));
  verb->add_option("--late-grace", own->bundle.late.grace_minutes,
                   "gradescope: minutes after the due date that are not late")
      ->check(arguments::range(0, 10'000));
  auto* server = verb->add_option(
      "--server", own->bundle.server,
      "gradescope: hand in to this opgrade service, which grades, instead of grading there");
  auto* token = verb->add_option("--token-file", own->bundle.token,
                                 "gradescope: file with a token of the service's staff");
  token->check(arguments::existing_file())->needs(server);
  server->needs(token);
  verb->add_option("--assignment", own->bundle.assignment,
                   "gradescope: the service's assignment, where its course has several")
      ->needs(server);
  verb->add_option("--handin", own->bundle.handin, "autolab: the submitted file's name")
      ->capture_default_str();
  verb->callback([=] {
    if (!own->bundle.server.empty() && own->platform != "gradescope")
      throw UsageError("--server is for gradescope alone",
                       "other platforms hand in by the command opgrade submit");
    const Config config = read_config(own->config);
    const auto files = bundle_files(own->platform, config, own->bundle);
    const auto written = own->platform == "autolab"  ? write_autolab(own->out, files)
                         : own->platform == "github" ? write_github(own->out, files)
                                                     : write_gradescope(own->out, files);
    for (const fs::path& path : written) fmt::print("{}\n", path.string());
    if (own->bundle.package.empty())
      fmt::print(stderr,
                 "note: opgrade itself is not in the bundle; give --package FILE, or use an image "
                 "that has it\n");
  });
}

}  // namespace opgrade::cli
