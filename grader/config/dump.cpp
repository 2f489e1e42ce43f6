#include <fmt/format.h>

#include "grader/config/load.hpp"

namespace opgrade {
namespace {

/// The shortest form that reads back to the same value; YAML::Emitter writes all 17 digits.
std::string number(double value) { return fmt::format("{}", value); }

std::string duration(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? fmt::format("{} s", time.count() / 1000)
                                  : fmt::format("{} ms", time.count());
}

std::string bytes(std::int64_t count) {
  for (const auto& [unit, size] : {std::pair{"GiB", 1 << 30}, {"MiB", 1 << 20}}) {
    if (count % size == 0) return fmt::format("{} {}", count / size, unit);
  }
  return fmt::format("{} KiB", number(static_cast<double>(count) / 1024));
}

std::string bound(const TimeBound& b) {
  return b.times_reference ? fmt::format("{} x reference", b.value) : fmt::format("{} ms", b.value);
}

void limits(YAML::Emitter& out, const char* name, const LimitConfig& limit) {
  out << YAML::Key << name << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "wall" << YAML::Value << duration(limit.wall);
  out << YAML::Key << "cpu" << YAML::Value << duration(limit.cpu);
  out << YAML::Key << "memory" << YAML::Value << bytes(limit.memory_bytes);
  out << YAML::Key << "output" << YAML::Value << bytes(limit.output_bytes);
  out << YAML::Key << "file_size" << YAML::Value << bytes(limit.file_bytes);
  out << YAML::Key << "processes" << YAML::Value << limit.processes << YAML::EndMap;
}

void sizes(YAML::Emitter& out, const Coordinates& all) {
  out << YAML::Flow << YAML::BeginMap;
  for (const auto& [name, value] : all) out << YAML::Key << name << YAML::Value << value;
  out << YAML::EndMap;
}

/// The case that a rule is about.
void case_of(YAML::Emitter& out, const std::string& model, int batch) {
  if (batch == 0) {
    out << YAML::Key << "case" << YAML::Value << model;
  } else {
    out << YAML::Key << "model" << YAML::Value << model;
    out << YAML::Key << "batch" << YAML::Value << batch;
  }
}

void fixed_shapes(YAML::Emitter& out, const FixedShapesConfig& fixed) {
  out << YAML::Key << "fixed_shapes" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "shapes" << YAML::Value << YAML::BeginSeq;
  for (const auto& shape : fixed.shapes) sizes(out, shape);
  out << YAML::EndSeq << YAML::Key << "points" << YAML::Value << fmt::format("{}", fixed.points);
  out << YAML::Key << "hidden" << YAML::Value << fixed.hidden;
  out << YAML::Key << "advice" << YAML::Value << fixed.advice << YAML::EndMap;
}

void random_batches(YAML::Emitter& out, const RandomBatchesConfig& batches) {
  out << YAML::Key << "random_batches" << YAML::Value << YAML::Flow << YAML::BeginMap;
  out << YAML::Key << "model" << YAML::Value << batches.model;
  out << YAML::Key << "count" << YAML::Value << batches.count;
  out << YAML::Key << "points" << YAML::Value << number(batches.points);
  out << YAML::Key << "hidden" << YAML::Value << batches.hidden;
  out << YAML::Key << "advice" << YAML::Value << batches.advice << YAML::EndMap;
}

const char* name_of(OutsideWork policy) {
  switch (policy) {
    case OutsideWork::reject:
      return "reject";
    case OutsideWork::allow:
      return "allow";
    case OutsideWork::count:
      break;
  }
  return "count";
}

void timing(YAML::Emitter& out, const TimingConfig& t) {
  out << YAML::Key << "timing" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "repetitions" << YAML::Value << t.repetitions;
  out << YAML::Key << "budget" << YAML::Value << duration(t.budget);
  out << YAML::Key << "warm_up" << YAML::Value << t.warm_up;
  out << YAML::Key << "warm_ups" << YAML::Value << t.warm_ups;
  if (t.abort_above.count() > 0)
    out << YAML::Key << "abort_above" << YAML::Value << duration(t.abort_above);
  out << YAML::Key << "settle" << YAML::Value << t.settle;
  out << YAML::Key << "outside_work" << YAML::Value << name_of(t.outside_work) << YAML::EndMap;
}

void stage(YAML::Emitter& out, const StageConfig& s) {
  out << YAML::BeginMap << YAML::Key << "name" << YAML::Value << s.name;
  out << YAML::Key << "title" << YAML::Value << s.title;
  out << YAML::Key << "device" << YAML::Value << std::string(name_of(s.device));
  out << YAML::Key << "sources" << YAML::Value << YAML::Flow << s.sources;
  out << YAML::Key << "flags" << YAML::Value << YAML::Flow << s.flags;
  out << YAML::Key << "libraries" << YAML::Value << YAML::Flow << s.libraries;
  if (s.tolerance) out << YAML::Key << "tolerance" << YAML::Value << number(*s.tolerance);
  out << YAML::Key << "cases" << YAML::Value << YAML::BeginSeq;
  for (const auto& c : s.cases) {
    out << YAML::Flow << YAML::BeginMap;
    if (c.sizes.empty()) {
      case_of(out, c.model, c.batch);
    } else {
      out << YAML::Key << "name" << YAML::Value << c.model << YAML::Key << "sizes" << YAML::Value;
      sizes(out, c.sizes);
    }
    if (c.accuracy) out << YAML::Key << "accuracy" << YAML::Value << number(*c.accuracy);
    out << YAML::Key << "points" << YAML::Value << number(c.points);
    out << YAML::Key << "hidden" << YAML::Value << c.hidden;
    out << YAML::Key << "advice" << YAML::Value << c.advice;
    if (c.timing) timing(out, *c.timing);
    out << YAML::EndMap;
  }
  out << YAML::EndSeq;
  out << YAML::Key << "random_shapes" << YAML::Value << YAML::Flow << YAML::BeginMap;
  out << YAML::Key << "count" << YAML::Value << s.random_shapes.count;
  out << YAML::Key << "points" << YAML::Value << number(s.random_shapes.points);
  out << YAML::Key << "hidden" << YAML::Value << s.random_shapes.hidden;
  out << YAML::Key << "advice" << YAML::Value << s.random_shapes.advice << YAML::EndMap;
  if (s.random_batches.count > 0) random_batches(out, s.random_batches);
  if (!s.fixed_shapes.shapes.empty()) fixed_shapes(out, s.fixed_shapes);
  out << YAML::Key << "op_times" << YAML::Value << YAML::BeginSeq;
  for (const auto& rule : s.op_times) {
    out << YAML::Flow << YAML::BeginMap;
    case_of(out, rule.model, rule.batch);
    out << YAML::Key << "points" << YAML::Value << number(rule.points);
    out << YAML::Key << "full" << YAML::Value << bound(rule.full);
    out << YAML::Key << "zero" << YAML::Value << bound(rule.zero);
    out << YAML::Key << "take" << YAML::Value << std::string(name_of(rule.take)) << YAML::EndMap;
  }
  out << YAML::EndSeq;
  if (!s.open_items.empty()) {
    out << YAML::Key << "open_items" << YAML::Value << YAML::BeginSeq;
    for (const auto& item : s.open_items) {
      out << YAML::Flow << YAML::BeginMap << YAML::Key << "name" << YAML::Value << item.name;
      out << YAML::Key << "points" << YAML::Value << fmt::format("{}", item.points);
      out << YAML::EndMap;
    }
    out << YAML::EndSeq;
  }
  out << YAML::EndMap;
}

void ranking(YAML::Emitter& out, const RankingConfig& r) {
  const auto number = [&](const char* key, double value) {
    out << YAML::Key << key << YAML::Value << fmt::format("{}", value);
  };
  const bool ranks = r.rule == RankingConfig::Rule::ranks;
  out << YAML::Key << "ranking" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "stage" << YAML::Value << r.stage;
  case_of(out, r.model, r.batch);
  out << YAML::Key << "rule" << YAML::Value << (ranks ? "ranks" : "deviations");
  number("points", r.points);
  number("deviations", r.deviations);
  out << YAML::Key << "steps" << YAML::Value << YAML::BeginSeq;
  for (const auto& step : r.steps) {
    out << YAML::Flow << YAML::BeginMap << YAML::Key << "up_to" << YAML::Value << step.up_to;
    number("points", step.points);
    out << YAML::EndMap;
  }
  out << YAML::EndSeq << YAML::Key << "take" << YAML::Value << std::string(name_of(r.take));
  if (r.bonus_points > 0) {
    out << YAML::Key << "bonus" << YAML::Value << YAML::Flow << YAML::BeginMap;
    out << YAML::Key << "below" << YAML::Value << bound({r.bonus_below_ms, false});
    number("points", r.bonus_points);
    out << YAML::EndMap;
  }
  out << YAML::EndMap;
}

}  // namespace

std::string dump_config(const Config& config) {
  YAML::Emitter out;
  out << YAML::BeginMap << YAML::Key << "opgrade" << YAML::Value << 1;
  out << YAML::Key << "name" << YAML::Value << config.name;
  out << YAML::Key << "title" << YAML::Value << config.title;
  out << YAML::Key << "interface" << YAML::Value << config.interface;
  out << YAML::Key << "pass_mark" << YAML::Value << number(config.pass_mark);
  out << YAML::Key << "tolerance" << YAML::Value << number(config.tolerance);
  out << YAML::Key << "accept_emulated" << YAML::Value << config.accept_emulated;
  out << YAML::Key << "run_after_timeout" << YAML::Value << config.run_after_timeout;
  out << YAML::Key << "require_sandbox" << YAML::Value << config.require_sandbox;
  out << YAML::Key << "models" << YAML::Value << YAML::BeginMap;
  for (const auto& [name, model] : config.models) {
    out << YAML::Key << name << YAML::Value << YAML::Flow << YAML::BeginMap;
    out << YAML::Key << "network" << YAML::Value << model.network;
    out << YAML::Key << "weights" << YAML::Value << model.weights << YAML::EndMap;
  }
  out << YAML::EndMap << YAML::Key << "files" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "folders" << YAML::Value << YAML::Flow << config.files.folders;
  out << YAML::Key << "take" << YAML::Value << YAML::Flow << config.files.take;
  out << YAML::Key << "max_file_size" << YAML::Value << bytes(config.files.max_file_bytes);
  out << YAML::Key << "max_files" << YAML::Value << config.files.max_files << YAML::EndMap;
  out << YAML::Key << "limits" << YAML::Value << YAML::BeginMap;
  limits(out, "build", config.build_limits);
  limits(out, "run", config.run_limits);
  out << YAML::EndMap;
  timing(out, config.timing);
  out << YAML::Key << "stages" << YAML::Value << YAML::BeginSeq;
  for (const auto& s : config.stages) stage(out, s);
  out << YAML::EndSeq;
  if (config.ranking) ranking(out, *config.ranking);
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace opgrade
