#include "grader/report/formats/exporters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/base/core/error.hpp"
#include "grader/report/fields/json.hpp"
#include "grader/report/formats/autolab.hpp"
#include "grader/report/formats/code_quality.hpp"
#include "grader/report/formats/csv.hpp"
#include "grader/report/formats/github.hpp"
#include "grader/report/formats/junit.hpp"
#include "grader/report/formats/prairielearn.hpp"
#include "grader/report/formats/sarif.hpp"
#include "grader/report/html/html.hpp"
#include "grader/report/paper/paper_formats.hpp"

namespace opgrade::report {
namespace {

template <std::string (*write)(const Grade&, Audience)>
std::string for_audience(const Grade& grade, const ExportOptions& options) {
  return write(grade, options.audience);
}

template <std::string (*write)(const Paper&)>
std::string as_paper(const Grade& grade, const ExportOptions& options) {
  return write(paper_of(view_for(grade, options.audience)));
}

std::string in_style(const Grade& grade, const ExportOptions& options) {
  return text_report(grade, options.audience, options.style);
}

std::string one_row_table(const Grade& grade, const ExportOptions& options) {
  const Grade view = view_for(grade, options.audience);
  CsvColumns columns;
  columns.add(view);
  return csv_header(columns) + csv_row(view, columns);
}

/// The grade with file paths relative to the repository's top.
Grade in_repository(Grade grade, const std::string& source_folder) {
  for (auto& stage : grade.stages) {
    if (source_folder.empty()) break;
    const bool below = !stage.folder.empty() && stage.folder != ".";
    stage.folder = below ? source_folder + "/" + stage.folder : source_folder;
  }
  return grade;
}

template <std::string (*write)(const Grade&, Audience)>
std::string for_repository(const Grade& grade, const ExportOptions& options) {
  return write(in_repository(grade, options.source_folder), options.audience);
}

std::string guarded_log(const Grade& grade, const ExportOptions& options) {
  return github_log(in_repository(grade, options.source_folder), options.audience,
                    options.log_guard);
}

std::string with_source(const Grade& grade, const ExportOptions& options) {
  return html_report(grade, options.audience, options.source, options.compared_with);
}

std::string with_context(const Grade& grade, const ExportOptions& options) {
  return gradescope_results(grade, options.audience, options.gradescope);
}

constexpr bool kStored = true, kOnDemand = false;
constexpr auto kStudent = Audience::student, kStaff = Audience::staff;

constexpr std::array kExporters{
    Exporter{"text", "report.txt", kStored, kStudent, "the verdict and its reasons", in_style},
    Exporter{"json", "report.json", kStored, kStaff, "all fields, as report.schema.json says",
             for_audience<json_report>},
    Exporter{"html", "report.html", kStored, kStudent, "one page for a browser", with_source},
    Exporter{"junit", "junit.xml", kStored, kStudent, "test results for CI systems",
             for_audience<junit_report>},
    Exporter{"github", "annotations.txt", kOnDemand, kStudent,
             "annotations for a GitHub Actions log", for_repository<github_annotations>},
    Exporter{"summary", "summary.md", kOnDemand, kStudent, "Markdown for a GitHub step summary",
             for_audience<github_summary>},
    Exporter{"github-log", "log.txt", kOnDemand, kStudent,
             "the text inside stop-commands, then the annotations", guarded_log},
    Exporter{"sarif", "report.sarif", kOnDemand, kStudent,
             "SARIF 2.1.0: errors and findings at their lines", for_repository<sarif_report>},
    Exporter{"code-quality", "gl-code-quality-report.json", kOnDemand, kStudent,
             "GitLab's Code Quality: mistakes at their lines", for_repository<code_quality_report>},
    Exporter{"csv", "grade.csv", kOnDemand, kStaff, "a table of one row", one_row_table},
    Exporter{"gradescope", "results.json", kOnDemand, kStudent, "Gradescope's results.json",
             with_context},
    Exporter{"prairielearn", "results.json", kOnDemand, kStudent, "PrairieLearn's results.json",
             for_audience<prairielearn_results>},
    Exporter{"autolab", "feedback.txt", kOnDemand, kStudent,
             "Autolab's feedback, the scores in its last line", for_audience<autolab_feedback>},
    Exporter{"markdown", "tables.md", kOnDemand, kStudent,
             "tables for the student's own report, in Markdown", as_paper<paper_markdown>},
    Exporter{"latex", "tables.tex", kOnDemand, kStudent, "these tables in LaTeX",
             as_paper<paper_latex>},
    Exporter{"tables", "tables.csv", kOnDemand, kStudent, "these tables in CSV, with plain numbers",
             as_paper<paper_csv>},
};

}  // namespace

std::span<const Exporter> exporters() { return kExporters; }

const Exporter& exporter(std::string_view name) {
  const auto found = std::ranges::find(kExporters, name, &Exporter::name);
  if (found == kExporters.end()) {
    throw Error(fmt::format("'{}' is no report format", name),
                "Choose one of: " + list_of_exporters());
  }
  return *found;
}

std::string list_of_exporters() {
  std::string list;
  for (const Exporter& e : kExporters)
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", e.name, e.sentence);
  return list;
}

}  // namespace opgrade::report
