#include "grader/service/state/students_files.hpp"

#include <fmt/format.h>

#include "grader/authoring/term_files.hpp"
#include "grader/report/html/html_style.hpp"
#include "grader/service/pages/markdown.hpp"
#include "grader/task/config/folder_config.hpp"
#include "grader/task/config/own_configs.hpp"
#include "grader/task/config/student_config.hpp"
#include "grader/task/config/student_files.hpp"

namespace opgrade::service {
namespace {

std::string config_file_of(const course::Assignment& assignment) {
  return assignment.name + ".yaml";
}

/// Adds README.html, the text of README.md for a browser, which shows its tables.
std::map<std::string, std::string> with_page(std::map<std::string, std::string> files,
                                             const course::Assignment& assignment) {
  if (const auto text = files.find("README.md"); text != files.end())
    files["README.html"] = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>"
        "<style>{}</style></head><body>\n{}</body></html>\n",
        assignment.name, report::kHtmlStyle, markdown_html(text->second));
  return files;
}

}  // namespace

std::optional<std::string> config_argument(const Service& service,
                                           const course::Assignment& assignment) {
  if (own_config(assignment.config)) return assignment.config;
  if (student_config(*service.files.config_of(assignment))) return config_file_of(assignment);
  return std::nullopt;
}

std::map<std::string, std::string> files_to_start_from(const Service& service,
                                                       const course::Assignment& assignment) {
  const auto config = service.files.config_of(assignment);
  const auto argument = config_argument(service, assignment);
  auto files = starting_files(*config);
  const bool of_task = !files.empty();
  if (!of_task) files = term_files(*config, argument.value_or(assignment.name));
  // Without this file, `opgrade check` in the unpacked folder would use another config.
  if (argument && !files.empty()) files[kFolderConfigFile] = folder_config_text(*argument);
  if (of_task) return with_page(std::move(files), assignment);
  const auto add_config = [&](const course::Assignment& a) {
    if (own_config(a.config)) return;
    if (const auto text = student_config(*service.files.config_of(a)))
      files[config_file_of(a)] = *text;
  };
  add_config(assignment);
  // Reports of practice runs name their own config.
  const auto folder = service.files.folder();
  if (const auto* const practice =
          folder->course.find(std::string(course::kPractice) + assignment.name))
    add_config(*practice);
  return with_page(std::move(files), assignment);
}

void name_students_config(const Service& service, const course::Assignment& assignment,
                          Grade& grade) {
  const auto argument = config_argument(service, assignment);
  for (auto& stage : grade.stages)
    for (auto& c : stage.cases) {
      if (!c.repeat) continue;
      if (argument)
        c.repeat->config = *argument;
      else
        c.repeat.reset();
    }
}

}  // namespace opgrade::service
