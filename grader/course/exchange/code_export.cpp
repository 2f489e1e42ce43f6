#include "grader/course/exchange/code_export.hpp"

#include <map>

#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/results/result_names.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/grading/intake/stage_files.hpp"
#include "grader/task/config/config_task.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

/// The files that the stages take, by their names below the folder; or why there are none.
tl::expected<std::map<std::string, std::string>, std::string> sources_in(const fs::path& file,
                                                                         const Config& config) {
  std::map<std::string, std::string> files;
  std::string why = "the config has no stage";
  const auto stages = take_stage_files(file, config).stages;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (!stages[i]) {
      why = stages[i].error().reason;
      continue;
    }
    for (const auto& one : stages[i]->files)
      files[in_folder(config.stages[i].folder, one.name)] = one.bytes;
  }
  if (files.empty()) return tl::unexpected(why);
  return files;
}

}  // namespace

CodeExport export_code(const CourseFolder& folder, const Store& store, const Assignment& assignment,
                       const Config& config, const fs::path& out) {
  require_new_folder(out);
  const Gradebook book(folder, store, {{assignment.name, facts_of(config)}});
  CodeExport exported;
  for (const Owner& owner : folder.roster.owners(assignment)) {
    const Submission* last = nullptr;
    const Entry entry = book.entry(*owner.members.front(), assignment);
    for (const auto& g : entry.submissions)
      if (g.standing.graded) last = &g.standing.submission;
    if (entry.counts) last = &entry.submissions[*entry.counts].standing.submission;
    if (last == nullptr) {
      exported.left_out.emplace_back(owner.key, "no submission that counts");
      continue;
    }
    const auto files = sources_in(folder.path / last->file, config);
    if (!files) {
      exported.left_out.emplace_back(owner.key, files.error());
      continue;
    }
    for (const auto& [name, bytes] : *files)
      write_new_file(out / result_name(owner.key) / name, bytes);
    ++exported.written;
  }
  return exported;
}

}  // namespace opgrade::course
