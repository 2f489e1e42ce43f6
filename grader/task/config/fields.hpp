/// A config's keys: each once, with its value, limits and documentation.
///
/// load.cpp reads and dump.cpp writes by these functions. Tests hold configs/config.schema.json and
/// the tables of configs/README.md to them; UPDATE_GOLDEN=1 writes both anew.
///
/// The functions of a visitor:
///     operator()(key, value, doc, range)       A key with a default; numbers have a range.
///     required(key, value, doc, range)         A key without one.
///     rare(written, key, value, doc, range)    Written only if `written`.
///     word(key, value, names, doc)             A text of a list.
///     merged(key, type, doc)                   A key that the merge of files used up.
///     time_ms(key, value, doc)                 An Op Time in milliseconds.
///     object(written, key, doc, visit)         A mapping without a struct.
///     choice(record, key2, first, visit1, visit2)
///                                              The keys of visit1 (if `first`) or of visit2, which
///                                              has `key2`.
#pragma once

#include <array>
#include <cmath>

#include "grader/base/core/counts.hpp"
#include "grader/base/core/fields.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/folder/description.hpp"

namespace opgrade {

inline constexpr Range kBatches{1, 10'000'000};
inline constexpr Range kShare{0, 1};
inline constexpr Range kThreads{1, 1024};
inline constexpr Range kGpusTogether{1, 8};
inline constexpr int kMaxSize = 1 << 16;      ///< of each of a task's sizes
inline constexpr int kMaxTaskSize = 1 << 30;  ///< of each size of a task in a folder

inline constexpr std::array<std::string_view, 3> kOutsideWorkNames{"count", "reject", "allow"};
inline constexpr std::array<std::string_view, 2> kFindingsRuleNames{"decide", "warn"};
inline constexpr std::array<std::string_view, 3> kChangedNames{"use", "replace", "refuse"};
inline constexpr std::array<std::string_view, 3> kRankingRuleNames{"deviations", "ranks", "best"};
inline constexpr std::array<std::string_view, 2> kBetweenNames{"time", "speed"};
inline constexpr std::array<std::string_view, 2> kRunNames{"always", "at deadline"};
inline constexpr std::array<std::string_view, 3> kGroupScoreNames{"each", "all", "fraction"};
inline constexpr std::array<std::string_view, 4> kSandboxNames{"full", "no cgroup",
                                                               "no user namespaces", "none"};

constexpr EnumNames enum_names(OutsideWork) { return {"", kOutsideWorkNames}; }
constexpr EnumNames enum_names(FindingsRule) { return {"", kFindingsRuleNames}; }
constexpr EnumNames enum_names(HandedOutFile::Changed) { return {"", kChangedNames}; }
constexpr EnumNames enum_names(RankingConfig::Rule) { return {"", kRankingRuleNames}; }
constexpr EnumNames enum_names(OpTimeRule::Between) { return {"", kBetweenNames}; }
constexpr EnumNames enum_names(RunWhen) { return {"", kRunNames}; }
constexpr EnumNames enum_names(CaseGroupConfig::Score) { return {"", kGroupScoreNames}; }

/// The name of this record's mapping in problems; empty: the mapping is named by its key.
constexpr const char* item_name(const auto&) { return ""; }
constexpr const char* item_name(const Config&) { return "the config"; }
constexpr const char* item_name(const StageConfig&) { return "a stage"; }
constexpr const char* item_name(const CaseConfig&) { return "a case"; }
constexpr const char* item_name(const OpTimeRule&) { return "an Op Time rule"; }
constexpr const char* item_name(const OpTimeRule::Late&) { return "'late'"; }
constexpr const char* item_name(const CaseGroupConfig&) { return "a group"; }
constexpr const char* item_name(const ConstructConfig&) { return "a construct"; }
constexpr const char* item_name(const CountRule&) { return "a rule on counts"; }
constexpr const char* item_name(const HandedOutFile&) { return "a handed out file"; }
constexpr const char* item_name(const OpenItemConfig&) { return "an open item"; }
constexpr const char* item_name(const RankingConfig::Step&) { return "a step"; }

void fields(auto& io, Is<ModelConfig> auto& m) {
  const char* text = "a plain name is one of opgrade's; with `/` a path relative to the config";
  io.required("network", m.network, text);
  io.required("weights", m.weights, text);
}

void fields(auto& io, Is<HandedOutFile> auto& f) {
  io.required("name", f.name, "name of the file, next to the sources");
  io.required("text", f.text, "its lines");
  io("changed", f.changed,
     "if the submission has another text by that name: `use` builds it, `replace` builds the "
     "course's, `refuse` refuses the stage");
}

void fields(auto& io, Is<FilesConfig> auto& f) {
  io("folders", f.folders,
     "folders of a submission searched for the sources, also below its one inner folder; the first "
     "that has them wins. If none has them, they may lie in any one folder");
  io("patterns", f.take,
     {"further files, also in folders below; never links",
      "C++ and CUDA sources and headers, `.inl`, `.inc`, `.tpp`, `.ipp`, `.tcc`"});
  io("max_file_size", f.max_file_bytes, "largest file");
  io("max_files", f.max_files,
     "most files in the folder of the sources; in folders below it further files are left out",
     Range{1, 10'000});
  io.rare(!f.handed_out.empty(), "handed_out", f.handed_out,
          {"files that the course hands out, used if a submission includes and lacks them; see "
           "*Handed out files*",
           "none"});
}

void fields(auto& io, Is<LimitConfig> auto& l) {
  io("wall", l.wall, "wall time of a sandboxed process");
  io("cpu", l.cpu, "its processor time");
  io("memory", l.memory_bytes, "its memory");
  io("output", l.output_bytes, "its printed output");
  io("file_size", l.file_bytes, "largest file that it writes");
  io("processes", l.processes, "its processes and threads", Range{1, 100'000});
}

void fields(auto& io, Is<TimingConfig> auto& t) {
  io("repetitions", t.repetitions,
     {"timed calls of each convolution",
      "15 for a case whose time gives points or a rank, else 1; 0 for advice"},
     Range{1, 1000});
  io("partial_warmup", t.warm_up, "one untimed call on a few images first: up to 8, on a GPU 100");
  io("full_warmups", t.warm_ups, "untimed calls on all images after that", Range{0, 1000});
  io.rare(
      t.abort_above.count() > 0, "abort_above", t.abort_above,
      {"skip timing, and its points and rank, if the first full warm-up exceeds this", "never"});
  io("outside_work", t.outside_work,
     "GPU kernels launched outside the timed call: `count` adds their time to Op Time, `reject` "
     "refuses the submission, `allow` reports them");
}

/// The keys that all checks have.
void check_fields(auto& io, auto& check) {
  io("points", check.points, "points for a right result", Range{});
  io("hidden", check.hidden, "the student sees outcome and points only");
  io("advice", check.advice,
     "a check that the course did not ask for: no points, and it changes no verdict");
  io.rare(check.run != RunWhen::always, "run", check.run,
          {"`at deadline`: not at hand-in, but by `opgrade course final`", "`always`"});
  io.rare(
      check.visibility == Visibility::name || check.visibility == Visibility::after_deadline,
      "visibility", check.visibility,
      {"`open`; `name`: the student sees name, outcome and points; `hidden`: as `hidden: true`; "
       "`after deadline`: hidden until nothing is accepted any more",
       "`open`"});
  io.rare(!check.group.empty(), "group", check.group, {"name of a group of the stage", "none"});
}

void fields(auto& io, Is<CaseConfig> auto& c) {
  io.choice(
      c, "sizes", c.sizes.empty(),
      [&](auto& in) {
        in.required("model", c.model, "a name of `models`");
        in.required("batch", c.batch, "number of images", kBatches);
        in("accuracy", c.accuracy, "must match the count of right images exactly", kShare);
      },
      [&](auto& in) {
        in.required("name", c.model, "of a case with sizes");
        in.required("sizes", c.sizes, "the task's sizes, instead of model and batch");
      });
  check_fields(io, c);
  io.rare(
      c.threads > 0, "threads", c.threads,
      {"`OMP_NUM_THREADS`, and as many cores that no other timed run uses; see *Threads and GPUs*",
       "the machine decides"},
      kThreads);
  io("timing", c.timing, "replaces the config's for this case");
}

void fields(auto& io, Is<RandomShapesConfig> auto& r) {
  io.required("count", r.count, "number of shapes", Range{0, 1000});
  check_fields(io, r);
}

void fields(auto& io, Is<RandomBatchesConfig> auto& r) {
  io.required("model", r.model, "a name of `models`");
  io.required("count", r.count, "number of calls", Range{0, 1000});
  check_fields(io, r);
}

void fields(auto& io, Is<FixedShapesConfig> auto& f) {
  io.required("shapes", f.shapes, "the task's sizes, each with random values");
  check_fields(io, f);
}

/// The keys that name the case of a rule.
void case_fields(auto& io, auto& rule) {
  io.choice(
      rule, "case", rule.batch > 0,
      [&](auto& in) {
        in.required("model", rule.model, "of the case: a name of `models`");
        in.required("batch", rule.batch, "of the case: number of images", kBatches);
      },
      [&](auto& in) {
        in.required("case", rule.model,
                    {"name of a case with sizes", "instead of `model` and `batch`"});
      });
}

void step_field(auto& io, auto& rule) {
  io.rare(rule.step != kTimeShare, "step", rule.step,
          {"points and ranks count times in steps of at least this share, because gradings of one "
           "submission scatter",
           "0.005"});
}

void fields(auto& io, Is<OpTimeRule::Slope> auto& s) {
  io.required("over", s.over, "the size over whose logarithm the slope is taken");
  io.required("full", s.full, "all points up to this slope", Range{});
  io.required("zero", s.zero, "no points from it on, linear between", Range{});
  io.required("below", s.below,
              "each case must take less, or the rule has no points: slowing the small ones would "
              "pay otherwise; as `full` of a time");
}

void bound_fields(auto& io, auto& r) {
  io.choice(
      r, "limit", r.full != r.zero,
      [&](auto& in) {
        in.required(
            "full", r.full,
            "all points up to it: a time (`70 ms`), a multiple of the reference solution's "
            "time in the same run (`3 x reference`) or of the serial solution's (`0.2 x "
            "serial`), a rate (`300 GB/s`, `2 TFLOP/s`), or a share of what the GPU can do at "
            "most (`0.6 of roofline`)");
        in.required("zero", r.zero, "no points from it on; `never` with `between: speed`");
        in.rare(r.between != OpTimeRule::Between::time, "between", r.between,
                {"points between both are linear in the `time`, or in the `speed` (1 / time): "
                 "with `zero: never` they are the share `full / time`",
                 "time"});
      },
      [&](auto& in) {
        in.required("limit", r.full, "all points up to it, none above: equal `full` and `zero`");
        if constexpr (requires { r.zero = r.full; }) r.zero = r.full;
      });
}

void fields(auto& io, Is<OpTimeRule::Late> auto& l) {
  io.required("points", l.points, "at most, not more than those in time", Range{});
  bound_fields(io, l);
}

void fields(auto& io, Is<OpTimeRule> auto& r) {
  const bool by_times = r.slope.over.empty();
  io.choice(
      r, "cases", r.cases.empty(), [&](auto& in) { case_fields(in, r); },
      [&](auto& in) {
        in.required("cases", r.cases,
                    {"names of several cases that count together", "instead of `case`"});
        in.choice(
            r, "slope", by_times,
            [&](auto& all) {
              all.required("together", r.together,
                           {"of `cases`: the `sum` or the `geometric mean` of their times, or the "
                            "mean of the shares that `each` has by itself, or the share of the "
                            "`worst`",
                            "required"});
            },
            [&](auto& all) {
              all.required("slope", r.slope,
                           {"of `cases`: points for the slope of log time over log size, instead "
                            "of `together`",
                            "none"});
            });
      });
  io.required("points", r.points, "points of the rule", Range{});
  io.choice(
      r, "slope", by_times, [&](auto& in) { bound_fields(in, r); }, [](auto&) {});
  io("take", r.take, "the repetition that counts; the same in all rules of a case");
  step_field(io, r);
  io("late", r.late,
     {"other points and bounds for a submission that costs late days in a course; never more "
      "points "
      "than in time",
      "none"});
}

/// The names of core/counts.hpp.
inline const std::vector<std::string_view>& counted_words() {
  static const auto words = [] {
    std::vector<std::string_view> names;
    for (const CountName& count : count_names()) names.push_back(count.name);
    return names;
  }();
  return words;
}

void fields(auto& io, Is<CountRule> auto& r) {
  case_fields(io, r);
  io.word("count", r.count, counted_words(), {"one of the names below", "required"});
  io.choice(
      r, "at_least", r.at_least.empty(),
      [&](auto& in) {
        in.required("at_most", r.at_most,
                    "a multiple of the ideal count (`1.2 x ideal`), a number, or an expression of "
                    "the sizes (`K / 8`)");
      },
      [&](auto& in) { in.required("at_least", r.at_least, "likewise"); });
  io.rare(r.points > 0, "points", r.points,
          {"for keeping the rule; without them the case earns nothing where it is broken", "0"});
}

void fields(auto& io, Is<OpenItemConfig> auto& o) {
  io.required("name", o.name, "name in the report");
  io.required("points", o.points, "most points", Range{});
}

void fields(auto& io, Is<CaseGroupConfig> auto& g) {
  io.required("name", g.name, "unique in the config");
  io("score", g.score,
     "`each`: cases have points of their own; `all`: the group's points if every case is right; "
     "`fraction`: by the share of right cases");
  io.rare(g.points > 0, "points", g.points, {"of the group, for `all` and `fraction`", "0"});
  io.rare(!g.needs.empty(), "requires", g.needs,
          {"an earlier group: no points unless all its cases are right", "none"});
}

void fields(auto& io, Is<ConstructConfig> auto& c) {
  io.choice(
      c, "forbid", !c.required.empty(),
      [&](auto& in) {
        in.required("require", c.required, "tokens that the stage's sources have: `__shared__`");
      },
      [&](auto& in) { in.required("forbid", c.forbidden, "tokens that they lack: `cub::`"); });
  io.rare(c.points > 0, "points", c.points, {"for keeping the rule", "0"});
  io.rare(!c.case_name.empty(), "case", c.case_name,
          {"a case that earns nothing where the rule is broken", "none"});
}

void fields(auto& io, Is<StageConfig> auto& s) {
  io.required("name", s.name, "short name; `--only NAME` grades this stage");
  io("title", s.title, {"long name", "the name"});
  io.required("device", s.device, "`cpu`, `cuda` (emulated without a GPU) or `emulated`");
  io.rare(s.gpus != 1, "gpus", s.gpus,
          {"devices that the submission sees as 0, 1, ...; see *Threads and GPUs*", "1"},
          kGpusTogether);
  io.merged("task", std::string(),
            {"path of a task's folder, if the stage grades another exercise than the config; see "
             "*Several exercises*",
             "the config's"});
  io.rare(!s.interface.empty(), "interface", s.interface,
          {"the same for a task of opgrade itself", "the config's"});
  io.rare(!s.folder.empty(), "folder", s.folder,
          {"folder of a submission with the stage's files", "name of its `task`, else the top"});
  io("sources", s.sources, {"files to compile; see *Further sources*", "the interface's"});
  io("flags", s.flags, "compiler flags");
  io("libraries", s.libraries, "libraries a GPU stage may link, such as `cublas`");
  io("tolerance", s.tolerance,
     {"of this stage; 2e-3 accepts half and TF32 rounding", "the config's"}, kShare);
  io("cases", s.cases,
     "`accuracy` must match the count of right images exactly; `timing` replaces the config's. "
     "Without a network: `{name: square, sizes: {M: 512, N: 512, K: 512}, points: 10}`");
  io("random_shapes", s.random_shapes, "any layer's shapes, fresh values");
  io.rare(s.random_batches.count > 0, "random_batches", s.random_batches,
          "the model's own convolutions, fresh values and batches");
  io.rare(!s.fixed_shapes.shapes.empty(), "fixed_shapes", s.fixed_shapes,
          "list of the task's sizes (a convolution: `{B, M, C, H, W, K, S}`, S defaults to 1), "
          "random values");
  io.rare(!s.groups.empty(), "groups", s.groups,
          {"cases that count together or after others; a case names its `group`", "none"});
  io.rare(!s.constructs.empty(), "constructs", s.constructs,
          {"tokens that the sources must or must not have, such as `{forbid: atomicAdd}`", "none"});
  io.rare(!s.counts.empty(), "counts", s.counts,
          {"what the kernels of a case may or must do; see *Counts*", "none"});
  io("op_times", s.op_times,
     "points for the sum of a case's Op Times: all up to `full`, none from `zero`, linear "
     "between; `limit` stands for both. A bound is a time (`70 ms`) or a multiple (`3 x "
     "reference`) of the reference solution's time");
  io.rare(!s.open_items.empty(), "open_items", s.open_items,
          "points that staff give (report, quiz); open in every report");
}

void fields(auto& io, Is<RankingConfig::Step> auto& s) {
  io.choice(
      s, "within", s.within == 0,
      [&](auto& in) {
        in.required("up_to", s.up_to, "largest rank", Range{1, 1'000'000});
      },
      [&](auto& in) {
        in.required("within", s.within,
                    {"largest multiple of the fastest time, instead of a rank", "none"},
                    Range{1, 1'000'000});
      });
  io.required("points", s.points, "points of these ranks or times", Range{});
}

void fields(auto& io, Is<RankingConfig> auto& r) {
  io.required("stage", r.stage, "stage of the case whose sum of Op Times is ranked");
  case_fields(io, r);
  io.required("rule", r.rule, "`deviations`, `ranks` or `best`");
  io("points", r.points,
     "`deviations`: all points at that many standard deviations below the class median, none at "
     "as many above, linear between; `best`: all points up to `full` times the time of the class's "
     "fastest, then in proportion to the speed",
     Range{});
  io("deviations", r.deviations, "number of standard deviations for it", Range{0.01, 100});
  io.rare(r.rule == RankingConfig::Rule::best, "full", r.full,
          {"`best`: a multiple of the fastest time", "1"});
  io.rare(std::isfinite(r.zero), "zero", r.zero,
          {"`best`: no points from this multiple on", "some points however slow"});
  io("steps", r.steps, "`ranks`, `best`: the first step that holds the rank or the time counts");
  io("take", r.take, "`median`, `fastest` or `mean`; the same as in the case's `op_times`");
  step_field(io, r);
  io.object(r.bonus_points > 0, "bonus", "for a time below, besides the rank", [&](auto& in) {
    in.time_ms("below", r.bonus_below_ms, "an Op Time");
    in.required("points", r.bonus_points, "points besides the rank", Range{});
  });
}

void fields(auto& io, Is<Config> auto& c) {
  int version = 1;
  io.merged(
      "extends", std::string(),
      {"another config: one of opgrade's by name, or a path relative to this one; see *Extending a "
       "config*",
       "none"});
  io.merged("only", std::vector<std::string>(),
            {"stages that stay, such as `[m1-cpu, m1-gpu]`; the ranking of another stage goes too",
             "all"});
  io.merged(
      "exercises", std::vector<std::string>(),
      {"tasks' folders whose stages are graded in one hand-in; see *Several exercises*", "none"});
  io.required("opgrade", version, "version of this format: 1", Range{1, 1});
  io.required("name", c.name, "short name, in reports and tables");
  io("title", c.title, {"long name", "the name"});
  io("interface", c.interface,
     "the functions that a student writes, and so the task; see *Interfaces*");
  io.merged("task", TaskDescription(),
            {"an exercise of the course's own, or the path of its folder, instead of `interface`: "
             "docs/new-task.md",
             "none"});
  io("pass_mark", c.pass_mark,
     "points needed to pass; 0: nothing may be wrong; with `--only`, scaled to the selected cases",
     Range{});
  io("tolerance", c.tolerance,
     "largest error of an output element, relative to the largest output of its image, divided by "
     "sqrt(C K K)",
     kShare);
  io("accept_emulated", c.accept_emulated,
     "the emulated device can give a GPU stage's correctness points");
  // Version 0.1 lacks this key. Without the default value in the dump, configs of both versions
  // compare as equal.
  io.rare(
      c.findings != FindingsRule::warn, "findings", c.findings,
      {"findings of the emulated device that a GPU may hide: `decide` costs points, `warn` only "
       "where an output is wrong, here or in a varied run (docs/emulation.md)",
       "`warn`"});
  io.rare(
      c.roofline != Config().roofline, "roofline", c.roofline,
      {"the GPU by whose rates `opgrade profile` gives advice: `A40`, `A100`, `H100`, `H200` or "
       "`RTX 4060 Laptop`",
       "`H200`"});
  io("run_after_timeout", c.run_after_timeout,
     "run the cases of a stage that are at least as large as one that timed out; else they get no "
     "points");
  // Version 0.1 lacks this key, too.
  io.rare(c.run_after_failure, "run_after_failure", c.run_after_failure,
          {"run cases without points although a smaller batch of their stage crashed or was wrong; "
           "else they fail likewise",
           "false"});
  io.word("require_sandbox", c.require_sandbox, kSandboxNames,
          "weakest sandbox tier: `full`, `no cgroup`, `no user namespaces`, `none` "
          "(docs/security.md)");
  io("models", c.models,
     {"name to `{network, weights}`: each one of opgrade's by name, or with `/` a path relative to "
      "the config",
      "none"});
  io("files", c.files, "files of a submission");
  io.object(true, "limits", "of one sandboxed process; threads count as processes", [&](auto& in) {
    in("build", c.build_limits,
       "of a sandboxed build: wall and processor time, memory, printed text, largest file, "
       "processes and threads");
    in("run", c.run_limits, "the same of a run");
  });
  io("timing", c.timing, "how calls are timed");
  io.required("stages", c.stages, "list, graded in order; see below");
  io("ranking", c.ranking, {"points for the place in the class; see *Ranking*", "none"});
}

}  // namespace opgrade
