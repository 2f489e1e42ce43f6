#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "grader/core/error.hpp"
#include "grader/report/json.hpp"

namespace opgrade::report {
namespace {

using json = nlohmann::ordered_json;  // sizes keep their order

/// One value of the report and the path to it, for error texts such as "stages[0].cases[2].batch".
class Node {
 public:
  Node(const json& value, std::string path) : value_(value), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(fmt::format("report: {} {}", path_.empty() ? "the top level" : path_, why),
                "The file is damaged or not an opgrade report; remove it and grade again.");
  }

  Node at(const char* key) const {
    if (!value_.is_object()) fail("is not an object");
    const auto found = value_.find(key);
    const std::string path = path_.empty() ? key : path_ + "." + key;
    if (found == value_.end()) Node(value_, path).fail("is missing");
    return {*found, path};
  }

  /// For fields that reports of earlier versions lack.
  template <class T>
  void read_if_there(const char* key, T& out) const {
    if (value_.is_object() && value_.contains(key)) at(key).read(out);
  }

  bool is_null() const { return value_.is_null(); }

  void read(std::string& out) const {
    if (!value_.is_string()) fail("is not a text");
    out = value_.get<std::string>();
  }

  void read(bool& out) const {
    if (!value_.is_boolean()) fail("is not true or false");
    out = value_.get<bool>();
  }

  void read(double& out) const {
    if (value_.is_number()) {
      out = value_.get<double>();
    } else if (value_ == "NaN") {
      out = std::numeric_limits<double>::quiet_NaN();
    } else if (value_ == "Infinity") {
      out = std::numeric_limits<double>::infinity();
    } else if (value_ == "-Infinity") {
      out = -std::numeric_limits<double>::infinity();
    } else {
      fail("is not a number");
    }
  }

  void read(std::int64_t& out) const {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!value_.is_number_integer()) fail("is not a whole number");
    if (value_.is_number_unsigned() && value_.get<std::uint64_t>() > kMax) fail("is too large");
    out = value_.get<std::int64_t>();
  }

  void read(int& out) const {
    std::int64_t wide = 0;
    read(wide);
    if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) {
      fail("is too large");
    }
    out = static_cast<int>(wide);
  }

  template <class T>
  void read(std::optional<T>& out) const {
    out.reset();
    if (!is_null()) read(out.emplace());
  }

  void read(Outcome& out) const {
    std::string id;
    read(id);
    const auto found = std::find_if(kOutcomes.begin(), kOutcomes.end(),
                                    [&](const OutcomeWords& w) { return w.id == id; });
    if (found == kOutcomes.end()) fail("is not an outcome");
    out = found->outcome;
  }

  void read(Statistic& out) const {
    std::string name;
    read(name);
    const auto found = std::find(kStatisticNames.begin(), kStatisticNames.end(), name);
    if (found == kStatisticNames.end()) fail("is not a statistic");
    out = static_cast<Statistic>(found - kStatisticNames.begin());
  }

  void read(CallUse& out) const {
    std::string name;
    read(name);
    const auto found = std::find(kCallUseNames.begin(), kCallUseNames.end(), name);
    if (found == kCallUseNames.end()) fail("is not a use of a call");
    out = static_cast<CallUse>(found - kCallUseNames.begin());
  }

  void read(std::chrono::nanoseconds& out) const {
    std::int64_t count = 0;
    read(count);
    out = std::chrono::nanoseconds(count);
  }

  void read(Device& out) const {
    std::string name;
    read(name);
    const auto found = std::find(kDeviceNames.begin(), kDeviceNames.end(), name);
    if (found == kDeviceNames.end()) fail("is not a device");
    out = static_cast<Device>(found - kDeviceNames.begin());
  }

  void read(int (&out)[3]) const {
    if (!value_.is_array() || value_.size() != 3) fail("is not three numbers");
    for (std::size_t i = 0; i < 3; ++i) Node(value_[i], path_).read(out[i]);
  }

  template <class T>
  void read(std::vector<T>& out) const {
    if (!value_.is_array()) fail("is not a list");
    out.assign(value_.size(), T{});
    for (std::size_t i = 0; i < out.size(); ++i) {
      Node(value_[i], fmt::format("{}[{}]", path_, i)).read(out[i]);
    }
  }

  void read(PointItem& out) const;
  void read(Coordinates& out) const;
  void read(CheckReport& out) const;
  void read(TimeSummary& out) const;
  void read(DeviceState& out) const;
  void read(std::optional<DeviceState>& out) const { read(out.emplace()); }
  void read(CallSample& out) const;
  void read(TimeAdjustment& out) const;
  void read(Measurement& out) const;
  void read(ConvReport& out) const;
  void read(GpuId& out) const;
  void read(std::optional<GpuId>& out) const { read(out.emplace()); }
  void read(UsageReport& out) const;
  void read(Finding& out) const;
  void read(ProfileTimeRow& out) const;
  void read(ProfileMemoryRow& out) const;
  void read(ProfileLaunchRow& out) const;
  void read(ProfileLayerRow& out) const;
  void read(ProfileCeilings& out) const;
  void read(ProfileReport& out) const;
  void read(CaseReport& out) const;
  void read(BuildReport& out) const;
  void read(StageReport& out) const;
  void read(MachineReport& out) const;
  void read(Grade& out) const;

 private:
  const json& value_;
  std::string path_;
};

void Node::read(PointItem& p) const {
  at("name").read(p.name);
  at("points").read(p.points);
  at("max_points").read(p.max_points);
  at("open").read(p.open);
  at("reason").read(p.reason);
}

void Node::read(Coordinates& c) const {
  if (!value_.is_object()) fail("is not an object");
  for (const auto& [name, value] : value_.items())
    at(name.c_str()).read(c.emplace_back(Coordinate{name}).value);
}

void Node::read(CheckReport& c) const {
  at("checked").read(c.checked);
  at("mismatches").read(c.mismatches);
  at("worst_error").read(c.worst_error);
  at("tolerance").read(c.tolerance);
  at("first").read(c.first);
  constexpr std::array<std::string_view, 8> kOwn{
      "checked", "mismatches", "worst_error", "tolerance", "first", "got", "want", "hint"};
  for (const auto& [name, value] : value_.items())
    if (std::ranges::find(kOwn, name) == kOwn.end())
      at(name.c_str()).read(c.place.emplace_back(Coordinate{name}).value);
  at("got").read(c.got);
  at("want").read(c.want);
  at("hint").read(c.hint);
}

void Node::read(TimeSummary& t) const {
  at("median_ms").read(t.median_ms);
  at("lower_quartile_ms").read(t.lower_quartile_ms);
  at("upper_quartile_ms").read(t.upper_quartile_ms);
  at("minimum_ms").read(t.minimum_ms);
  at("maximum_ms").read(t.maximum_ms);
  at("samples_ms").read(t.samples_ms);
}

void Node::read(DeviceState& s) const {
  at("sm_clock_mhz").read(s.sm_clock_mhz);
  at("temperature_c").read(s.temperature_c);
  at("throttled_calls").read(s.throttled_calls);
  at("throttle_reasons").read(s.throttle_reasons);
}

void Node::read(CallSample& c) const {
  at("use").read(c.use);
  at("done_ns").read(c.done);
  read_if_there("proven_ns", c.proven);
  at("layer_ns").read(c.layer);
  at("steps").read(c.steps);
  at("until_stopped_ns").read(c.until_stopped);
  at("busy_ns").read(c.busy);
  read_if_there("empty_ns", c.empty);
  at("late").read(c.late);
  at("harness_ns").read(c.harness);
  at("device_ns").read(c.device);
}

void Node::read(TimeAdjustment& a) const {
  at("reason").read(a.reason);
  at("op_ms").read(a.op_ms);
  at("layer_ms").read(a.layer_ms);
  read_if_there("call", a.call);
}

void Node::read(Measurement& m) const {
  at("calls").read(m.calls);
  at("adjustments").read(m.adjustments);
  at("whole_layer").read(m.whole_layer);
}

void Node::read(ConvReport& c) const {
  at("layer").read(c.layer);
  at("shape").read(c.shape);
  at("check").read(c.check);
  at("timed").read(c.timed);
  read_if_there("too_slow", c.too_slow);
  at("op_time").read(c.op_time);
  at("layer_time").read(c.layer_time);
  at("process_time").read(c.process_time);
  read_if_there("disagreeing_calls", c.disagreeing_calls);
  read_if_there("late_calls", c.late_calls);
  read_if_there("busy_calls", c.busy_calls);
  read_if_there("device_state", c.device_state);
  read_if_there("kernel_time_ms", c.kernel_time_ms);
  read_if_there("measurement", c.measurement);
}

void Node::read(UsageReport& u) const {
  at("elapsed_s").read(u.elapsed_s);
  at("user_s").read(u.user_s);
  at("system_s").read(u.system_s);
  at("peak_memory_bytes").read(u.peak_memory_bytes);
  at("stdout_bytes").read(u.stdout_bytes);
  at("stderr_bytes").read(u.stderr_bytes);
  at("exit_code").read(u.exit_code);
  at("signal").read(u.signal);
  at("limit_hit").read(u.limit_hit);
  read_if_there("out_of_memory_kill", u.out_of_memory_kill);
  read_if_there("voluntary_context_switches", u.voluntary_switches);
  read_if_there("involuntary_context_switches", u.involuntary_switches);
}

void Node::read(Finding& f) const {
  at("kind").read(f.kind);
  at("kernel").read(f.kernel);
  at("file").read(f.file);
  at("line").read(f.line);
  at("message").read(f.message);
}

void Node::read(ProfileTimeRow& r) const {
  at("name").read(r.name);
  at("calls").read(r.calls);
  at("total_ns").read(r.total_ns);
  at("minimum_ns").read(r.minimum_ns);
  at("maximum_ns").read(r.maximum_ns);
  at("share").read(r.share);
  at("leading").read(r.leading);
}

void Node::read(ProfileMemoryRow& r) const {
  at("name").read(r.name);
  at("calls").read(r.calls);
  at("bytes").read(r.bytes);
  at("smallest").read(r.smallest);
  at("largest").read(r.largest);
  at("total_ns").read(r.total_ns);
  at("minimum_ns").read(r.minimum_ns);
  at("maximum_ns").read(r.maximum_ns);
}

void Node::read(ProfileLaunchRow& r) const {
  at("name").read(r.name);
  at("step").read(r.step);
  at("grid").read(r.grid);
  at("block").read(r.block);
  at("calls").read(r.calls);
  at("registers").read(r.registers);
  at("static_shared").read(r.static_shared);
  at("dynamic_shared").read(r.dynamic_shared);
  at("local").read(r.local);
  at("blocks_per_multiprocessor").read(r.blocks_per_multiprocessor);
  at("occupancy").read(r.occupancy);
  at("limited_by").read(r.limited_by);
}

void Node::read(ProfileLayerRow& r) const {
  at("layer").read(r.layer);
  at("shape").read(r.shape);
  at("kernels_ns").read(r.kernels_ns);
  at("launches").read(r.launches);
  at("outside_ns").read(r.outside_ns);
  at("outside_launches").read(r.outside_launches);
  at("flops_per_second").read(r.flops_per_second);
  at("bytes_per_second").read(r.bytes_per_second);
}

void Node::read(ProfileCeilings& c) const {
  at("fp32_flops_per_second").read(c.fp32_flops_per_second);
  at("copy_bytes_per_second").read(c.copy_bytes_per_second);
}

void Node::read(ProfileReport& p) const {
  at("device").read(p.device);
  at("source").read(p.source);
  at("timed").read(p.timed);
  at("problem").read(p.problem);
  at("kernels").read(p.kernels);
  at("calls").read(p.calls);
  at("memory").read(p.memory);
  at("launches").read(p.launches);
  at("layers").read(p.layers);
  at("ceilings").read(p.ceilings);
}

void Node::read(GpuId& g) const {
  at("name").read(g.name);
  at("uuid").read(g.uuid);
}

void Node::read(CaseReport& c) const {
  at("id").read(c.id);
  at("model").read(c.model);
  at("batch").read(c.batch);
  at("hidden").read(c.hidden);
  at("outcome").read(c.outcome);
  at("reason").read(c.reason);
  at("hint").read(c.hint);
  at("accuracy").read(c.accuracy);
  at("required_accuracy").read(c.required_accuracy);
  at("convs").read(c.convs);
  read_if_there("take", c.take);
  read_if_there("advice", c.advice);
  read_if_there("gpu", c.gpu);
  at("usage").read(c.usage);
  at("findings").read(c.findings);
  read_if_there("profile", c.profile);
  at("student_output").read(c.student_output);
  at("repeat_command").read(c.repeat_command);
  at("points").read(c.points);
}

void Node::read(BuildReport& b) const {
  at("outcome").read(b.outcome);
  at("reason").read(b.reason);
  at("hint").read(b.hint);
  at("compiler_output").read(b.compiler_output);
  at("elapsed_s").read(b.elapsed_s);
}

void Node::read(StageReport& s) const {
  at("name").read(s.name);
  at("title").read(s.title);
  at("device").read(s.device);
  if (value_.contains("taken")) {
    at("taken").at("folder").read(s.folder);
    at("taken").at("files").read(s.files);
  }
  at("build").read(s.build);
  at("cases").read(s.cases);
  at("points").read(s.points);
}

void Node::read(MachineReport& m) const {
  at("opgrade_version").read(m.opgrade_version);
  at("host_cpu").read(m.host_cpu);
  at("cpus").read(m.cpus);
  at("gpu").read(m.gpu);
  at("sandbox").read(m.sandbox);
  at("compiler").read(m.compiler);
  at("started").read(m.started);
}

void Node::read(Grade& g) const {
  std::string schema;
  at("schema").read(schema);
  if (schema != kJsonSchema) at("schema").fail(fmt::format("is not \"{}\"", kJsonSchema));
  at("submission").at("name").read(g.submission);
  at("submission").read_if_there("path", g.submission_path);
  at("submission").at("sha256").read(g.submission_sha256);
  at("config").at("name").read(g.config_name);
  at("config").at("title").read(g.config_title);
  at("config").at("sha256").read(g.config_sha256);
  at("machine").read(g.machine);
  at("outcome").read(g.outcome);
  at("reason").read(g.reason);
  at("points").read(g.points);
  at("max_points").read(g.max_points);
  at("open_points").read(g.open_points);
  at("pass_mark").read(g.pass_mark);
  at("passed").read(g.passed);
  at("elapsed_s").read(g.elapsed_s);
  at("notes").read(g.notes);
  at("stages").read(g.stages);
  if (std::string seed; read_if_there("seed", seed), !seed.empty()) {
    const auto [end, error] =
        std::from_chars(seed.data(), seed.data() + seed.size(), g.seed.emplace());
    if (error != std::errc() || end != seed.data() + seed.size()) at("seed").fail("is no seed");
  }
}

}  // namespace

Grade grade_from_json(const std::string& text) {
  json document;
  try {
    document = json::parse(text);
  } catch (const json::parse_error& error) {
    throw Error(fmt::format("report: not JSON, at byte {}", error.byte),
                "The file is damaged or not an opgrade report; remove it and grade again.");
  }
  Grade grade;
  Node(document, "").read(grade);
  return grade;
}

}  // namespace opgrade::report
