#include "grader/report/paper/paper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "grader/base/core/statistics.hpp"
#include "grader/report/words/profile_tables.hpp"
#include "grader/report/words/units.hpp"
#include "grader/report/words/verdict.hpp"

namespace opgrade::report {
namespace {

PaperCell text_cell(std::string_view text) { return {std::string(text), std::nullopt}; }
PaperCell ms_cell(double ms) { return {show_ms(ms), ms}; }
PaperCell ns_cell(std::int64_t ns) { return ms_cell(static_cast<double>(ns) * 1e-6); }
PaperCell s_cell(double seconds) { return {show_s(seconds), seconds}; }
PaperCell count_cell(std::int64_t count) {
  return {fmt::format("{}", count), static_cast<double>(count)};
}
PaperCell share_cell(double share) { return {fmt::format("{:.1f} %", 100 * share), 100 * share}; }
PaperCell time_cell(const std::optional<CaseTime>& time) {
  return time ? ms_cell(time->ms) : PaperCell{};
}

const PaperColumn kOpTime{"Op Time", "ms", true}, kLayerTime{"Layer Time", "ms", true},
    kCalls{"calls", "", true};

/// True for a case of the config that has a name and sizes.
bool is_named(const CaseReport& c) { return !c.model.empty(); }

std::string_view device_name(Device device) {
  switch (device) {
    case Device::cpu:
      return "CPU";
    case Device::cuda:
      return "GPU";
    case Device::emulated:
      return "emulated";
  }
  return "";
}

void add_times(PaperTable& table, const CaseReport& c, Device device) {
  const auto add = [&](std::string_view layer, const PaperCell& op, const PaperCell& whole,
                       std::optional<double> kernels, std::int64_t calls) {
    table.rows.push_back({{text_cell(c.id), text_cell(device_name(device)), text_cell(layer), op,
                           whole, kernels ? ms_cell(*kernels) : PaperCell{},
                           calls > 0 ? count_cell(calls) : PaperCell{}, PaperCell{}, PaperCell{}}});
    return &table.rows.back();
  };
  const auto op = op_time_of(c, device);
  PaperRow* last = nullptr;
  if (op && c.calls.size() > 1) {
    for (const CallReport& call : c.calls)
      add(call.layer, ms_cell(value_of(call.op_time, c.take)),
          ms_cell(value_of(call.layer_time, c.take)), call.kernel_time_ms,
          static_cast<std::int64_t>(call.op_time.samples_ms.size()));
    last = add("sum", time_cell(op), time_cell(layer_time_of(c, device)), kernel_time_of(c), 0);
    last->sum = true;
  } else {
    last = add(c.calls.size() == 1 ? c.calls.front().layer : "", time_cell(op),
               time_cell(layer_time_of(c, device)), kernel_time_of(c),
               op ? static_cast<std::int64_t>(op->samples) : 0);
  }
  last->cells[7] = {show_accuracy(c), c.accuracy};
  last->cells[8] = text_cell(state_of(c));
}

PaperTable times_of(const Grade& view) {
  PaperTable table{.name = "times",
                   .title = "Op Times, Layer Times and accuracy",
                   .columns = {{"case"},
                               {"device"},
                               {"layer"},
                               kOpTime,
                               kLayerTime,
                               {"kernels", "ms", true},
                               {"timed calls", "", true},
                               {"accuracy", "", true},
                               {"outcome"}}};
  std::set<Statistic> taken;
  for (const StageReport& stage : view.stages)
    for (const CaseReport& c : stage.cases)
      if (is_named(c)) {
        add_times(table, c, stage.device);
        if (op_time_of(c, stage.device)) taken.insert(c.take);
      }
  if (taken.empty()) return table;
  table.note =
      "Op Time is the call alone; Layer Time includes what surrounds it, such as "
      "allocations and copies. ";
  if (taken.size() == 1)
    table.note += fmt::format("Each time is the {} of the timed calls.", name_of(*taken.begin()));
  else
    table.note += times_are(view) + ".";
  return table;
}

/// Compares cases with the same network, or the same sizes, on both devices.
PaperTable cpu_against_gpu(const Grade& view) {
  PaperTable table{.name = "cpu_gpu",
                   .title = "CPU against GPU",
                   .note =
                       "The last two columns divide the CPU's Op Time by the GPU's Op Time, and "
                       "by the GPU's Layer Time, which includes allocations and copies.",
                   .columns = {{"CPU case"},
                               {"GPU case"},
                               {"CPU Op Time", "ms", true},
                               {"GPU Op Time", "ms", true},
                               {"GPU Layer Time", "ms", true},
                               {"by Op Time", "", true},
                               {"by Layer Time", "", true}}};
  const auto times = [](double cpu, double gpu) {
    if (!(gpu > 0)) return PaperCell{};
    return PaperCell{fmt::format("{:.3g} times", cpu / gpu), cpu / gpu};
  };
  const auto each = [&](Device device, const auto& use) {
    for (const StageReport& stage : view.stages)
      for (const CaseReport& c : stage.cases)
        if (stage.device == device && is_named(c) && op_time_of(c, device)) use(c);
  };
  each(Device::cpu, [&](const CaseReport& cpu) {
    each(Device::cuda, [&](const CaseReport& gpu) {
      if (cpu.model != gpu.model || cpu.batch != gpu.batch) return;
      const double cpu_ms = op_time_of(cpu, Device::cpu)->ms;
      const auto op = op_time_of(gpu, Device::cuda), layer = layer_time_of(gpu, Device::cuda);
      table.rows.push_back(
          {{text_cell(cpu.id), text_cell(gpu.id), ms_cell(cpu_ms), time_cell(op), time_cell(layer),
            times(cpu_ms, op->ms), layer ? times(cpu_ms, layer->ms) : PaperCell{}}});
    });
  });
  return table;
}

PaperTable process_of(const Grade& view) {
  PaperTable table{
      .name = "process",
      .title = "Real, user and sys of the submission's process",
      .note =
          "The submission's process with so many calls of each layer, the untimed ones included; "
          "real has the pauses in which opgrade checks. Reading the images and the layers "
          "between the convolutions are opgrade's work and in no column. Cases of one stage on "
          "a GPU can share a process; the first of them has its start.",
      .columns = {{"case"},
                  {"device"},
                  kCalls,
                  {"real", "s", true},
                  {"user", "s", true},
                  {"sys", "s", true}}};
  for (const StageReport& stage : view.stages) {
    if (stage.device == Device::emulated) continue;
    for (const CaseReport& c : stage.cases) {
      if (!is_named(c) || !(c.usage.elapsed_s > 0)) continue;
      std::size_t calls = 0;
      for (const CallReport& call : c.calls) calls = std::max(calls, call.measurement.calls.size());
      table.rows.push_back(
          {{text_cell(c.id), text_cell(device_name(stage.device)),
            calls > 0 ? count_cell(static_cast<std::int64_t>(calls)) : PaperCell{},
            s_cell(c.usage.elapsed_s), s_cell(c.usage.user_s), s_cell(c.usage.system_s)}});
    }
  }
  return table;
}

/// Kernels or API calls, the longest first. The row "together" follows the fewest of them that take
/// more than 90 % of the time.
PaperTable ranked(const ProfileReport& profile, const std::vector<ProfileTimeRow>& rows) {
  PaperTable table;
  if (!profile.timed) {
    table.columns = {{"name"}, kCalls};
    for (const auto& row : rows)
      table.rows.push_back({{text_cell(short_kernel_name(row.name)), count_cell(row.calls)}});
    return table;
  }
  table.columns = {{"name"},
                   {"share", "%", true},
                   {"total", "ms", true},
                   kCalls,
                   {"average", "ms", true},
                   {"shortest", "ms", true},
                   {"longest", "ms", true}};
  double share = 0;
  std::int64_t total = 0, calls = 0, leading = 0;
  const auto add_together = [&] {
    table.rows.push_back({{text_cell("together"), share_cell(share), ns_cell(total),
                           count_cell(calls), PaperCell{}, PaperCell{}, PaperCell{}},
                          true});
  };
  for (const auto& row : rows) {
    if (!row.leading && leading > 0 && table.rows.size() == static_cast<std::size_t>(leading))
      add_together();
    if (row.leading) {
      ++leading;
      share += row.share;
      total += row.total_ns;
      calls += row.calls;
    }
    table.rows.push_back(
        {{text_cell(short_kernel_name(row.name)), share_cell(row.share), ns_cell(row.total_ns),
          count_cell(row.calls), ms_cell(row.average_ns() * 1e-6), ns_cell(row.minimum_ns),
          ns_cell(row.maximum_ns)}});
  }
  if (leading > 0 && leading == std::ssize(rows)) add_together();
  if (leading > 0)
    table.note =
        fmt::format("{} of {} name{} together take{} {:.1f} % of the time. ", leading, rows.size(),
                    rows.size() == 1 ? "" : "s", leading == 1 ? "s" : "", 100 * share);
  return table;
}

void add_profile(Paper& paper, const CaseReport& c) {
  const ProfileReport& profile = *c.profile;
  PaperTable kernels = ranked(profile, profile.kernels);
  kernels.name = "kernels " + c.id;
  kernels.title = "Kernels of " + c.id;
  kernels.note += "Kernels are the submission's functions that run on the GPU.";
  PaperTable calls = ranked(profile, profile.calls);
  calls.name = "api_calls " + c.id;
  calls.title = "CUDA API calls of " + c.id;
  calls.note +=
      "API calls are the functions of CUDA that the program calls on the CPU: they allocate, copy, "
      "launch and wait. The time of one that waits for the GPU includes that wait.";
  paper.tables.push_back(std::move(kernels));
  paper.tables.push_back(std::move(calls));
  for (const auto& remark : profile_remarks(profile)) paper.remarks.push_back(c.id + ": " + remark);
}

PaperTable machine_of(const Grade& view) {
  const MachineReport& m = view.machine;
  PaperTable table{.name = "machine", .title = "Machine and date", .columns = {{"what"}, {"is"}}};
  const auto add = [&](std::string_view what, const std::string& is) {
    if (!is.empty()) table.rows.push_back({{text_cell(what), text_cell(is)}});
  };
  add("date", m.started);
  add("CPU", m.host_cpu.empty() ? "" : fmt::format("{} ({} CPUs)", m.host_cpu, m.cpus));
  add("GPU", m.gpu.empty() ? "none" : m.gpu);
  add("compiler", m.compiler);
  add("opgrade", m.opgrade_version);
  add("config", view.config_title.empty() ? view.config_name : view.config_title);
  add("submission (SHA-256)", view.submission_sha256);
  return table;
}

void drop_empty_columns(PaperTable& table) {
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    if (std::ranges::any_of(table.rows,
                            [&](const PaperRow& row) { return !row.cells[column].text.empty(); }))
      continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + at);
    for (PaperRow& row : table.rows) row.cells.erase(row.cells.begin() + at);
  }
}

}  // namespace

Paper paper_of(const Grade& view) {
  Paper paper{.title = "Measurements of " + view.submission};
  paper.tables = {times_of(view), cpu_against_gpu(view), process_of(view)};
  for (const Problem& problem : problems_of(view))
    paper.remarks.push_back(fmt::format("{}: {}{}{}", problem.where, problem.state,
                                        problem.reason.empty() ? "" : ". ", problem.reason));
  for (const StageReport& stage : view.stages)
    for (const CaseReport& c : stage.cases)
      if (c.profile) add_profile(paper, c);
  paper.tables.push_back(machine_of(view));
  std::erase_if(paper.tables, [](const PaperTable& table) { return table.rows.empty(); });
  std::ranges::for_each(paper.tables, drop_empty_columns);
  for (auto& note : notes_of(view)) paper.remarks.push_back(std::move(note));
  return paper;
}

}  // namespace opgrade::report
