/// The JSON report, field by field: key, value and documentation, in the order of writing.
///
/// The writer and the reader (json.cpp) and the view (view.cpp) visit these functions; no other
/// code lists the fields. A test holds report.schema.json to them; UPDATE_GOLDEN=1 writes it anew.
///
/// grader/base/core/json_writer.hpp lists the functions of a visitor.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include "grader/base/core/fields.hpp"
#include "grader/base/core/grade.hpp"
#include "grader/report/fields/json.hpp"
#include "grader/report/fields/note_fields.hpp"
#include "grader/report/fields/reason_fields.hpp"
#include "grader/report/words/note_words.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/report/words/repeat.hpp"

namespace opgrade {

inline constexpr auto kOutcomeIds = [] {
  std::array<std::string_view, kOutcomes.size()> ids;
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = kOutcomes[i].id;
  return ids;
}();
constexpr EnumNames enum_names(Outcome) { return {"an outcome", kOutcomeIds}; }
constexpr EnumNames enum_names(CallUse) { return {"a use of a call", kCallUseNames}; }

void fields(auto& io, Is<Reason> auto& r) {
  io.record("why", "A reason as a value. Only what belongs to its kind is there.");
  io.alternatives("kind", r.what, "What happened.");
  io.rare("about", r.about, "The case or the stage that a grade's reason is about.");
  io.rare("shape", r.shape, "The shape under way.");
  io.rare("explanation", r.explanation, "The likely cause.");
  io.rare("leaked_bytes", r.leaked_bytes, "Memory that each call leaves behind.");
  io.rare("leaked_on_device", r.leaked_on_device, "On the device.");
}

/// The sentences, and the value from which they are made. Reports of earlier versions only have
/// sentences, and so do reasons that come from outside.
void reason_fields(auto& io, auto& reason, const char* text, bool with_hint) {
  std::string sentence = report::sentence_of(reason), hint = report::hint_of(reason);
  io("reason", sentence, text);
  if (with_hint) io("hint", hint, "Next action, or empty.");
  std::optional<Reason> why;
  if (!std::holds_alternative<why::Sentence>(reason.what)) why = reason;
  io.rare("why", why, "The reason as a value; absent where it is no more than its sentence.");
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(reason)>>)
    reason = why ? *std::move(why) : text_reason(std::move(sentence), std::move(hint));
}

void fields(auto& io, Is<PointItem> auto& p) {
  io.record("points", "Points for one thing.");
  io("name", p.name, "Purpose of the points.");
  io.rare("case", p.case_id, "Id of the one case that a rule of the stage judges.");
  io("points", p.points, "Points earned.");
  io("max_points", p.max_points, "Points that can be earned.");
  io("open", p.open, "True when this machine cannot decide them: neither lost nor earned.");
  io.rare("late_points", p.late_points, "Points of a submission that is late, if those differ.");
  reason_fields(io, p.reason, "Why these points; never empty in a report that opgrade wrote.",
                false);
}

void fields(auto& io, Is<TimeSummary> auto& t) {
  io.record("time",
            "Order statistics of repeated times of one layer, in milliseconds. All zero and "
            "without samples where nothing was timed.");
  io("median_ms", t.median_ms, "Median.");
  io("lower_quartile_ms", t.lower_quartile_ms, "Lower quartile (Hyndman and Fan's type 7).");
  io("upper_quartile_ms", t.upper_quartile_ms, "Upper quartile.");
  io("minimum_ms", t.minimum_ms, "Shortest sample.");
  io("maximum_ms", t.maximum_ms, "Longest sample.");
  io.derived("spread", t.spread(),
             "Interquartile range over the median; 0 for fewer than two samples.");
  io("samples_ms", t.samples_ms, "Every sample, in the order measured.");
}

void fields(auto& io, Is<WrongMap> auto& m) {
  io.record("wrong_map", "Where one part of an output is wrong.");
  io("part", m.part, "The image.");
  io("planes", m.planes, "Its feature maps.");
  io("shares", m.shares, "Shares of wrong elements, 0 to 1: map by map, row by row.");
}

void fields(auto& io, Is<PicturePair> auto& p) {
  io.record("pictures", "A wrong picture and the expected one, of at most 128 pixels a side.");
  io("got", p.got, "BMP file in base64: what the submission wrote.");
  io("want", p.want, "The same of the reference.");
  io("difference", p.difference,
     "The same: white where both are equal, the redder the more they differ.");
}

void fields(auto& io, Is<CheckReport> auto& c) {
  io.record("check",
            "Comparison of one output with the double-precision reference. Members not listed "
            "are the place of the first mismatch in the task's coordinates.");
  io("checked", c.checked, "Elements compared.");
  io("mismatches", c.mismatches, "Elements beyond the tolerance, NaN and infinity included.");
  io("worst_error", c.worst_error,
     "Largest |got - want|, divided as error_scale says; NaN if any element is NaN.");
  io.rare(
      "error_scale", c.error_scale,
      "What an error is divided by: the largest |want| of the element's image or of the output, "
      "the scale of its terms that the task's reference gives, nothing, |want|, 1 + |want|, or "
      "the norm of the output.");
  io("tolerance", c.tolerance, "Limit of worst_error.");
  io("first", c.first, "Index in the output of the first mismatch, or -1.");
  io.rest(c.place);
  io("got", c.got, "Value the submission wrote there.");
  io("want", c.want, "Value of the reference there.");
  io("hint", c.hint, "Cause that the pattern of mismatches suggests, or empty.");
  io.rare("hint_kind", c.hint_kind,
          "Where not a fact: a guess from this one output, or NaN where no element was written.");
  io.rare("picture", c.picture, "The output and what was expected, if it is a picture.");
  io.rare("map", c.map, "Where the part with the first mismatch is wrong, if the task tells it.");
}

void fields(auto& io, Is<DeviceState> auto& s) {
  io.record("device_state", "The GPU while a layer was timed.");
  io("sm_clock_mhz", s.sm_clock_mhz, "Lowest SM clock seen.");
  io("temperature_c", s.temperature_c, "Highest temperature seen, in degrees Celsius.");
  io("throttled_calls", s.throttled_calls,
     "Calls that were dropped because heat or lack of power slowed the GPU.");
  io("throttle_reasons", s.throttle_reasons, "Why it was slowed, each reason once.");
}

void fields(auto& io, Is<CallSample> auto& c) {
  io.record("call",
            "One call as it was measured. Times are of the grader's clock, from the moment the "
            "call could begin.");
  io("use", c.use, "Why its time counts or not.");
  io("done_ns", c.done, "The timed step, until its process said that it was done.");
  io("layer_ns", c.layer, "All steps that belong to the call.");
  io("steps", c.steps, "Number of steps in layer_ns.");
  io("until_stopped_ns", c.until_stopped,
     "From the end until every process was stopped; counts where late.");
  io("busy_ns", c.busy,
     "How long other work had the device after the fresh input was written; counts.");
  io("late", c.late, "True if the output still changed after the end.");
  io("harness_ns", c.harness, "The time that the submission's process claims; in no score.");
  io("device_ns", c.device, "The time that its device events claim, 0 without them; in no score.");
  io.rare("proven_ns", c.proven, "On a GPU with device tensors: until the grader had proof.");
  io.rare("empty_ns", c.empty, "Where measured: a call that does nothing, right before this one.");
}

void fields(auto& io, Is<TimeAdjustment> auto& a) {
  io.record("adjustment", "Below zero it is taken off, down to zero at most.");
  io("reason", a.reason, "Why.");
  io("op_ms", a.op_ms, "Added to op_time.");
  io("layer_ms", a.layer_ms, "Added to layer_time.");
  io.rare("call", a.call, "Where it is for one call: its place in calls, from 0.");
}

void fields(auto& io, Is<Measurement> auto& m) {
  io.record("measurement", "The raw times that a layer's times come from.");
  io("calls", m.calls, "Every call in order, timed or not.");
  io("adjustments", m.adjustments, "Times that each call has more or less than its raw ones.");
  io("whole_layer", m.whole_layer, "Why op_time is layer_time; empty where it is not.");
}

void fields(auto& io, Is<CallReport> auto& c) {
  io.record("conv", "One computation of a case, such as a layer of a network.");
  io("layer", c.layer, "Name of the layer, or \"random shape\".");
  io("shape", c.shape,
     "Sizes as the task names them; a convolution: x is B,C,H,W, k is M,C,K,K, y is "
     "B,M,H_out,W_out, the stride is S.");
  io("check", c.check, "How its output compares with the reference.");
  io("timed", c.timed, "True if the three times below were measured; never for emulated runs.");
  io("op_time", c.op_time, "The conv call alone, by the grader's clock.");
  io("layer_time", c.layer_time, "With what surrounds the call (prolog to epilog).");
  io("process_time", c.process_time,
     "Claims of the submission's process: its device events, of calls that may be untimed; "
     "without them its clock around each timed call. In no score.");
  io.rare("too_slow", c.too_slow,
          "Its first warm-up took longer than the config allows, so it was not timed.");
  io.rare("disagreeing_calls", c.disagreeing_calls,
          "Timed calls whose process told a time that the grader's clock contradicts.");
  io.rare("late_calls", c.late_calls,
          "Calls whose output still changed when the process had said that they were done.");
  io.rare("busy_calls", c.busy_calls,
          "Timed calls before which something else ran on the device; its time counts.");
  io.rare("kernel_time_ms", c.kernel_time_ms,
          "On a GPU, where the interface has host pointers, so that op_time includes the copies: "
          "how long some kernel of one more call ran.");
  io.rare("measurement", c.measurement, "Absent where no call was made.");
  io.rare("device_state", c.device_state, "Absent without a GPU.");
}

void fields(auto& io, Is<UsageReport> auto& u) {
  io.record("usage", "Resources that the sandboxed process used, and its end.");
  io("elapsed_s", u.elapsed_s, "Wall time in seconds.");
  io("user_s", u.user_s, "CPU time in user mode, seconds.");
  io("system_s", u.system_s, "CPU time in the kernel, seconds.");
  io.derived("cpu_share", u.cpu_share(),
             "(user + system) over elapsed; 1 is one core busy all the time.");
  io("peak_memory_bytes", u.peak_memory_bytes, "Peak memory in bytes.");
  io("stdout_bytes", u.stdout_bytes, "Bytes written to standard output, kept or not.");
  io("stderr_bytes", u.stderr_bytes, "Bytes written to standard error, kept or not.");
  io("exit_code", u.exit_code,
     "Exit code, or -1 when ended by a signal. Codes above 128 count as the signal 128 less, as "
     "shells have it.");
  io("signal", u.signal, "Number of the signal that ended it, or 0.");
  std::string limit = u.limit ? text_of(*u.limit) : "";
  io("limit_hit", limit, "The limit that stopped it, such as \"wall time 60 s\", or empty.");
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(u)>>) u.limit = limit_of(limit);
  io.added("out_of_memory_kill", u.out_of_memory_kill,
           "True if the kernel killed a process of it for memory; only the sandbox tier 'full' "
           "can tell.");
  io.added("voluntary_context_switches", u.voluntary_switches,
           "How often its processes waited for something.");
  io.added("involuntary_context_switches", u.involuntary_switches,
           "How often its processes' turn was over before they waited.");
}

void fields(auto& io, Is<GpuId> auto& g) {
  io.record("gpu", "A GPU.");
  io("name", g.name, "Its model.");
  io("uuid", g.uuid, "As CUDA_VISIBLE_DEVICES takes it.");
}

void fields(auto& io, Is<Repeat> auto& r) {
  io.record("repeat",
            "What `opgrade check` needs to run the case again. In a student's report of a class, "
            "the folder is the student's own, and the config has no path.");
  io("path", r.path, "The submission.");
  io("config", r.config, "The config.");
  io.rare("device", r.device, "The device of GPU stages, where one was asked for.");
  io.rare("seed", r.seed, "Seed, where the case ran with random numbers.");
}

void fields(auto& io, Is<BrokenRule> auto& r) {
  io.record("broken_rule", "A rule that takes the points of its case.");
  reason_fields(io, r.reason, "Why it is broken, or open.", true);
  io("open", r.open, "True when it is not decided whether the rule is broken.");
}

void fields(auto& io, Is<CaseReport> auto& c) {
  io.record("case",
            "One run: a model at a batch size, the task at given sizes, or a set of random "
            "shapes. In a student's report a hidden case holds its outcome and points only; its "
            "other fields are empty or zero.");
  io("id", c.id,
     "Stable within a config, such as \"cpu/high/1000\"; \"hidden 1\" in a student's report.");
  io("model", c.model, "Name of the model or of the case; empty for random shapes.");
  io("batch", c.batch, "Images in the batch; 0 where the case has sizes of its own.");
  io("hidden", c.hidden, "True when the details are for staff.");
  io.rare("visibility", c.visibility,
          "name: students see name, outcome and points alone. after deadline: hidden until then.");
  io("outcome", c.outcome, "Outcome of the case.");
  reason_fields(io, c.reason, "The same in one sentence.", true);
  io("accuracy", c.accuracy, "Accuracy that the grader computed from the outputs.");
  io("required_accuracy", c.required_accuracy, "Accuracy that the config asks for.");
  io("convs", c.calls, "The computations in order.");
  io("usage", c.usage, "Time, memory and how the process ended.");
  io("findings", c.findings, "Findings of the emulated device.");
  io.added("profile", c.profile,
           "The profile, where one was asked for and the case passed; else null.");
  io("student_output", c.student_output, "Output of the submission: made printable and cut.");
  io.derived("repeat_command", report::repeat_command(c),
             "Command that runs this case again, or empty.");
  io.rare("repeat", c.repeat, "The same in fields; absent in reports of earlier versions.");
  io("points", c.points, "Points of this case.");
  io.rare("take", c.take,
          "The statistic of its samples that points and tables count; absent for the median.");
  io.rare("advice", c.advice,
          "The course did not ask for the case: no points, and the verdict ignores it.");
  io.rare("gpu", c.gpu, "The GPU that the case ran on.");
  io.rare("untimed", c.untimed, "Why this machine takes no time of the case, where others do.");
  io.rare("broken_rule", c.broken_rule,
          "The rule of the config that takes the points of the case.");
}

void fields(auto& io, Is<BuildReport> auto& b) {
  io.record("build", "The build of the submission for one stage.");
  io("outcome", b.outcome, "Outcome of the case.");
  reason_fields(io, b.reason, "The same in one sentence.", true);
  io("compiler_output", b.compiler_output,
     "Messages of the compiler with the student's own paths: made printable and cut.");
  io("elapsed_s", b.elapsed_s, "Wall time of the build in seconds.");
}

void fields(auto& io, Is<StageReport> auto& s) {
  io.record("stage", "A part of the assignment that is built once and runs several cases.");
  io("name", s.name, "Name in the config.");
  io("title", s.title, "Title for people.");
  io("device", s.device,
     "cpu: the CPU function. cuda: the CUDA code on an NVIDIA GPU. emulated: the CUDA code on the "
     "CPU, for correctness only.");
  io("build", s.build, "Its build.");
  io("cases", s.cases, "The runs in order.");
  io("points", s.points, "Points of the stage as a whole, such as Op Time rules.");
  io.object("taken", !s.files.empty(), "Files taken from the submission; absent without any.",
            [&](auto& in) {
              in("folder", s.folder, "Folder in the submission, \".\" for its own.");
              in("files", s.files, "Files by their names in that folder.");
            });
}

void fields(auto& io, Is<MachineReport> auto& m) {
  io.record("machine", "A machine and the program that graded on it.");
  io("opgrade_version", m.opgrade_version, "Version of opgrade.");
  io("host_cpu", m.host_cpu, "Model of the CPU.");
  io("cpus", m.cpus, "CPUs that could be used.");
  io("gpu", m.gpu, "Model of the GPU, or empty.");
  io("sandbox", m.sandbox, "Tier of the sandbox in words.");
  io("compiler", m.compiler,
     "Compiler that built the submission; with a GPU the versions of CUDA and the driver, too.");
  io("started", m.started, "Start in UTC, ISO 8601.");
}

}  // namespace opgrade

namespace opgrade::report {

inline constexpr std::array<std::string_view, 2> kAudienceNames{"student", "staff"};
constexpr EnumNames enum_names(Audience) { return {"an audience", kAudienceNames}; }

/// The content of report.json.
struct JsonReport {
  Audience audience = Audience::staff;
  Grade grade;
};

/// The sentences of the notes, and the values from which they are made. Reports of earlier versions
/// only have sentences.
void note_fields(auto& io, auto& notes) {
  std::vector<std::string> sentences;
  for (const Note& note : notes) sentences.push_back(sentence_of(note));
  io("notes", sentences, "Remarks for the reader: device fallback, missing cgroup, ...");
  const auto is_plain = [](const Note& note) {
    return note.is<notes::EarlierNote>() && case_id_of(note).empty();
  };
  std::vector<Note> values;
  if (!std::ranges::all_of(notes, is_plain)) values = notes;
  io.rare("note_values", values,
          "The notes as values, in the same order; absent if they are no more than sentences.");
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(notes)>>) {
    if (values.size() != sentences.size()) {
      values.clear();
      for (std::string& sentence : sentences)
        values.push_back(notes::EarlierNote{std::move(sentence)});
    }
    notes = std::move(values);
  }
}

void fields(auto& io, Is<JsonReport> auto& report) {
  auto& g = report.grade;
  io.record("opgrade report, version 1",
            "Result of grading one submission with opgrade. Every text is printable UTF-8.");
  io.constant("schema", kJsonSchema,
              "Version of this format. A later version that only adds fields keeps the number.");
  io.derived("audience", report.audience,
             "staff: everything. student: of hidden cases only outcome and points.");
  io.object("submission", true, "What was graded.", [&](auto& in) {
    in("name", g.submission, "Name of the submission.");
    in("sha256", g.submission_sha256, "SHA-256 over the files taken, in name order.");
    in.rare("path", g.submission_path, "Absolute path of its files; for staff alone.");
  });
  io.object("config", true, "The config it was graded by.", [&](auto& in) {
    in("name", g.config_name, "Name of the config.");
    in("title", g.config_title, "Title for people.");
    in("sha256", g.config_sha256, "SHA-256 over the effective config.");
  });
  io("machine", g.machine, "The machine and program that graded.");
  io("outcome", g.outcome,
     "The worst that happened; `opgrade explain OUTCOME` says what each means.");
  reason_fields(io, g.reason, "The same in one sentence.", false);
  io("points", g.points, "Points earned.");
  io("max_points", g.max_points, "Points that can be earned.");
  io("open_points", g.open_points, "Points that need a device this machine lacks.");
  io.rare("late_points", g.late_points, "Points of a submission that is late, if those differ.");
  io("pass_mark", g.pass_mark, "Points needed to pass.");
  io("passed", g.passed, "True if the points reach the pass mark.");
  io("elapsed_s", g.elapsed_s, "Wall time of the grading in seconds.");
  note_fields(io, g.notes);
  io("stages", g.stages, "The stages in the config's order.");
  io.rare("seed", g.seed, "Seed of the random cases; absent without any.");
  io.rare("by_author", g.by_author,
          "Graded by the submission's author, not by staff: a student's report has its seed.");
}

}  // namespace opgrade::report
