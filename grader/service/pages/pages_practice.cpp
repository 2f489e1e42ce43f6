#include "grader/service/pages/pages_practice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "grader/base/core/case_time.hpp"
#include "grader/report/html/html_plot.hpp"
#include "grader/service/pages/page.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/state/tool_files.hpp"

namespace opgrade::service::pages {
namespace {

using Times = std::map<std::string, double>;

/// The Op Times of the cases that passed, by the case's id.
Times op_times_of(const Service& service, const Identity& who, const HandIn& run) {
  Times times;
  const auto grade = shown_grade(service, run, grade_for(service, who, run));
  if (!grade) return times;
  for (const StageReport& stage : grade->stages)
    for (const CaseReport& c : stage.cases)
      if (c.outcome == Outcome::passed && !c.hidden)
        if (const auto ms = case_time(c, c.take)) times[c.id] = *ms;
  return times;
}

}  // namespace

void add_tool_choice(xml_node form, const course::Assignment& practice) {
  if (practice.practice.tools.empty()) return;
  std::vector<std::pair<std::string, std::string>> choices{{"", "no tool"}};
  bool takes_kernel = false;
  for (const std::string& name : practice.practice.tools)
    if (const DeviceTool* const tool = device_tool(name)) {
      choices.emplace_back(name, tool->title);
      takes_kernel = takes_kernel || tool->takes_kernel;
    }
  choice(form, "Practice run under", "tool", choices, "");
  if (takes_kernel) field(form, "Kernel, for Nsight Compute", "kernel", "text");
}

std::string chosen_tool(const std::string& tool, const std::string& kernel) {
  const DeviceTool* const known = device_tool(tool);
  return known == nullptr ? tool : ToolWish{known, known->takes_kernel ? kernel : ""}.text();
}

std::string tool_title(const HandIn& run) {
  const auto wish = read_tool_wish(run.tool);
  return wish ? wish->title() : run.tool;
}

void add_times_of_runs(xml_node section, const Service& service, const Identity& who,
                       const std::vector<HandIn>& runs) {
  constexpr std::size_t kShown = 20;
  std::vector<std::pair<std::int64_t, Times>> timed;
  for (const HandIn& run : runs) {
    if (run.state != State::done || !run.tool.empty()) continue;
    timed.emplace_back(run.submission.id, op_times_of(service, who, run));
    if (timed.size() > kShown) timed.erase(timed.begin());
  }
  const auto latest = std::find_if(timed.rbegin(), timed.rend(),
                                   [](const auto& run) { return !run.second.empty(); });
  if (latest == timed.rend()) return;
  const std::string longest =
      std::ranges::max_element(latest->second, {}, &Times::value_type::second)->first;
  report::Plot plot{.title = "Op Time of your practice runs, " + longest,
                    .x_title = "run, the latest last",
                    .y_title = "Op Time, ms",
                    .joined = true};
  std::size_t with_time = 0;
  for (const auto& [id, times] : timed) {
    const auto found = times.find(longest);
    with_time += found != times.end() ? 1 : 0;
    plot.points.push_back({.x = static_cast<double>(plot.points.size() + 1),
                           .y = found == times.end() ? std::nullopt : std::optional(found->second),
                           .name = fmt::format("run {}", id)});
  }
  if (with_time >= 2) report::add_plot(section, plot);
}

std::string lack_of_tables(const Grade& grade, const course::Assignment* assignment) {
  const auto has_profile = [](const StageReport& stage) {
    return std::ranges::any_of(stage.cases,
                               [](const CaseReport& c) { return c.profile.has_value(); });
  };
  const auto on_gpu = [](const StageReport& stage) { return stage.device != Device::cpu; };
  if (assignment == nullptr || std::ranges::none_of(grade.stages, on_gpu) ||
      std::ranges::any_of(grade.stages, has_profile))
    return "";
  const auto& tools = assignment->practice.tools;
  if (std::ranges::find(tools, "profile") == tools.end()) return "";
  return "This run has no tables of kernels and CUDA API calls. A practice run under the profiler "
         "has them: choose the tool in the form of the assignment, or run opgrade submit DIR "
         "--practice --profile.";
}

void add_tool_files(xml_node main, const Service& service, const course::CourseFolder& folder,
                    const HandIn& run) {
  const auto files = tool_files_of(folder, run.submission, service.now());
  if (files.empty()) return;
  auto section = add_section(main, "Files of the tool");
  for (const KeptFile& file : files) {
    auto line = add(section, "p");
    link(line, file.name,
         fmt::format("/api/submissions/{}/tool-files/{}", run.submission.id, file.name));
    append_text(line, fmt::format(", {} KiB, kept until {}; ", (file.bytes + 1023) >> 10,
                                  folder.course.zone->text(file.until)));
    add(line, "code",
        file.name.ends_with("ncu-rep") ? "ncu --import " + file.name : "nsys stats " + file.name,
        "command");
  }
  add(section, "p",
      "The file was written beside the submission's own process, which could have written it "
      "itself: it is for reading, and decides nothing.",
      "soft");
}

}  // namespace opgrade::service::pages
