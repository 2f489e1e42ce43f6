#include "grader/report/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "grader/report/json_profile.hpp"

namespace opgrade::report {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json id_of(Outcome outcome) { return std::string(words(outcome).id); }

template <class T, class Convert>
Json list(const std::vector<T>& items, Convert convert) {
  Json out = Json::array();
  for (const auto& item : items) out.push_back(convert(item));
  return out;
}

Json point(const PointItem& p) {
  return {{"name", p.name},
          {"points", number(p.points)},
          {"max_points", number(p.max_points)},
          {"open", p.open},
          {"reason", p.reason}};
}

Json time(const TimeSummary& t) {
  return {{"median_ms", number(t.median_ms)},
          {"lower_quartile_ms", number(t.lower_quartile_ms)},
          {"upper_quartile_ms", number(t.upper_quartile_ms)},
          {"minimum_ms", number(t.minimum_ms)},
          {"maximum_ms", number(t.maximum_ms)},
          {"spread", number(t.spread())},
          {"samples_ms", list(t.samples_ms, [](double v) { return number(v); })}};
}

Json check(const CheckReport& c) {
  Json json = {{"checked", c.checked},
               {"mismatches", c.mismatches},
               {"worst_error", number(c.worst_error)},
               {"tolerance", number(c.tolerance)},
               {"first", c.first}};
  for (const auto& [name, value] : c.place) json[name] = value;
  json["got"] = number(c.got);
  json["want"] = number(c.want);
  json["hint"] = c.hint;
  return json;
}

Json call(const CallSample& c) {
  Json json = {{"use", std::string(name_of(c.use))},
               {"done_ns", c.done.count()},
               {"layer_ns", c.layer.count()},
               {"steps", c.steps},
               {"until_stopped_ns", c.until_stopped.count()},
               {"busy_ns", c.busy.count()},
               {"late", c.late},
               {"harness_ns", c.harness.count()},
               {"device_ns", c.device.count()}};
  if (c.proven) json["proven_ns"] = c.proven->count();
  if (c.empty) json["empty_ns"] = c.empty->count();
  return json;
}

Json measurement(const Measurement& m) {
  const auto adjustment = [](const TimeAdjustment& a) {
    Json json = {
        {"reason", a.reason}, {"op_ms", number(a.op_ms)}, {"layer_ms", number(a.layer_ms)}};
    if (a.call) json["call"] = *a.call;
    return json;
  };
  return {{"calls", list(m.calls, call)},
          {"adjustments", list(m.adjustments, adjustment)},
          {"whole_layer", m.whole_layer}};
}

Json conv(const ConvReport& c) {
  Json json = {{"layer", c.layer},
               {"shape", coordinates_json(c.shape)},
               {"check", check(c.check)},
               {"timed", c.timed},
               {"op_time", time(c.op_time)},
               {"layer_time", time(c.layer_time)},
               {"process_time", time(c.process_time)}};
  if (c.too_slow) json["too_slow"] = true;
  if (c.disagreeing_calls > 0) json["disagreeing_calls"] = c.disagreeing_calls;
  if (c.late_calls > 0) json["late_calls"] = c.late_calls;
  if (c.busy_calls > 0) json["busy_calls"] = c.busy_calls;
  if (c.kernel_time_ms) json["kernel_time_ms"] = number(*c.kernel_time_ms);
  if (!c.measurement.calls.empty()) json["measurement"] = measurement(c.measurement);
  if (const auto& state = c.device_state) {
    json["device_state"] = {{"sm_clock_mhz", state->sm_clock_mhz},
                            {"temperature_c", state->temperature_c},
                            {"throttled_calls", state->throttled_calls},
                            {"throttle_reasons", state->throttle_reasons}};
  }
  return json;
}

Json usage(const UsageReport& u) {
  return {{"elapsed_s", number(u.elapsed_s)},
          {"user_s", number(u.user_s)},
          {"system_s", number(u.system_s)},
          {"cpu_share", number(u.cpu_share())},
          {"peak_memory_bytes", u.peak_memory_bytes},
          {"stdout_bytes", u.stdout_bytes},
          {"stderr_bytes", u.stderr_bytes},
          {"exit_code", u.exit_code},
          {"signal", u.signal},
          {"limit_hit", u.limit_hit},
          {"out_of_memory_kill", u.out_of_memory_kill},
          {"voluntary_context_switches", u.voluntary_switches},
          {"involuntary_context_switches", u.involuntary_switches}};
}

Json finding(const Finding& f) {
  return {{"kind", f.kind},
          {"kernel", f.kernel},
          {"file", f.file},
          {"line", f.line},
          {"message", f.message}};
}

Json case_of(const CaseReport& c) {
  Json json = {{"id", c.id},
               {"model", c.model},
               {"batch", c.batch},
               {"hidden", c.hidden},
               {"outcome", id_of(c.outcome)},
               {"reason", c.reason},
               {"hint", c.hint},
               {"accuracy", number(c.accuracy)},
               {"required_accuracy", number(c.required_accuracy)},
               {"convs", list(c.convs, conv)},
               {"usage", usage(c.usage)},
               {"findings", list(c.findings, finding)},
               {"profile", c.profile ? profile_json(*c.profile) : Json(nullptr)},
               {"student_output", c.student_output},
               {"repeat_command", c.repeat_command},
               {"points", list(c.points, point)}};
  if (c.take != Statistic::median) json["take"] = std::string(name_of(c.take));
  if (c.advice) json["advice"] = true;
  if (c.gpu) json["gpu"] = {{"name", c.gpu->name}, {"uuid", c.gpu->uuid}};
  return json;
}

Json stage(const StageReport& s) {
  Json json{{"name", s.name},
            {"title", s.title},
            {"device", std::string(name_of(s.device))},
            {"build",
             {{"outcome", id_of(s.build.outcome)},
              {"reason", s.build.reason},
              {"hint", s.build.hint},
              {"compiler_output", s.build.compiler_output},
              {"elapsed_s", number(s.build.elapsed_s)}}},
            {"cases", list(s.cases, case_of)},
            {"points", list(s.points, point)}};
  if (!s.files.empty()) json["taken"] = {{"folder", s.folder}, {"files", s.files}};
  return json;
}

}  // namespace

std::string json_report(const Grade& grade, Audience audience) {
  const Grade v = view_for(grade, audience);
  const auto& m = v.machine;
  Json submission{{"name", v.submission}, {"sha256", v.submission_sha256}};
  if (!v.submission_path.empty()) submission["path"] = v.submission_path;
  Json report{
      {"schema", kJsonSchema},
      {"audience", audience == Audience::staff ? "staff" : "student"},
      {"submission", std::move(submission)},
      {"config", {{"name", v.config_name}, {"title", v.config_title}, {"sha256", v.config_sha256}}},
      {"machine",
       {{"opgrade_version", m.opgrade_version},
        {"host_cpu", m.host_cpu},
        {"cpus", m.cpus},
        {"gpu", m.gpu},
        {"sandbox", m.sandbox},
        {"compiler", m.compiler},
        {"started", m.started}}},
      {"outcome", id_of(v.outcome)},
      {"reason", v.reason},
      {"points", number(v.points)},
      {"max_points", number(v.max_points)},
      {"open_points", number(v.open_points)},
      {"pass_mark", number(v.pass_mark)},
      {"passed", v.passed},
      {"elapsed_s", number(v.elapsed_s)},
      {"notes", v.notes},
      {"stages", list(v.stages, stage)}};
  // As text: a number of 64 bits loses some of them in JavaScript.
  if (v.seed) report["seed"] = std::to_string(*v.seed);
  // The view is valid UTF-8; should a text ever not be, a report with a replacement character is
  // better than none.
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opgrade::report
