#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/task/config/load.hpp"
#include "tests/unit/task/config/good_config.hpp"

namespace opgrade {
namespace {

using test::kGoodConfig;
using testing::HasSubstr;
using testing::IsEmpty;

Config parsed(const std::string& text) {
  LoadedConfig loaded = parse_config(text, "c.yaml");
  EXPECT_EQ(to_text(loaded.problems), "") << text;
  return loaded.config;
}

// None of these is a default.
constexpr const char* kEveryKey = R"(opgrade: 1
name: all
title: "All: keys #1"
interface: other
pass_mark: 12.5
tolerance: 2e-6
accept_emulated: false
run_after_timeout: true
require_sandbox: full
models:
  high: {network: net, weights: ./mine.h5}
  low: {network: "true", weights: "~"}
files:
  folders: [".", src]
  patterns: ["*.cu"]
  max_file_size: 1.5 KiB
  max_files: 7
  handed_out:
    - {name: own.h, text: "#define A 1", changed: refuse}
    - name: own.cu
      text: |
        // "two" lines: # of one file\t
          int a;
limits:
  build: {wall: 30 s, cpu: 20 s, memory: 2 GiB, output: 100 KiB, file_size: 10 MiB, processes: 8}
  run: {wall: 1 min, cpu: 90 s, memory: 512 MiB, output: 1 MiB, file_size: 1 MiB, processes: 9}
timing: {repetitions: 5, partial_warmup: false}
stages:
  - name: gpu
    title: GPU stage
    device: cuda
    sources: [a.cu, b.cu]
    flags: [-O2, -DX=1]
    libraries: [cublas]
    tolerance: 2e-3
    cases:
      - {model: high, batch: 100, accuracy: 0.86, points: 10}
      - model: high
        batch: 7
        hidden: true
        timing: {repetitions: 10, full_warmups: 5, abort_above: 40 ms}
      - {model: high, batch: 1000, accuracy: 0.886, points: 0.1}
    random_shapes: {count: 3, points: 2.5, hidden: true}
    op_times:
      - {model: high, batch: 100, points: 7, full: 0.07 ms, zero: 3.5 x reference, take: mean}
  - {name: cpu, device: emulated, random_shapes: {count: 1}}
)";

TEST(DumpConfig, LoadsBackToTheSameValue) {
  for (const char* text : {kGoodConfig, kEveryKey}) {
    const std::string once = dump_config(parsed(text));
    const Config back = parsed(once);
    EXPECT_EQ(dump_config(back), once);
  }
}

// The test above would not see a key that dump leaves out.
TEST(DumpConfig, HasEveryValue) {
  const Config back = parsed(dump_config(parsed(kEveryKey)));
  EXPECT_EQ(back.title, "All: keys #1");
  EXPECT_EQ(back.interface, "other");
  EXPECT_EQ(back.pass_mark, 12.5);
  EXPECT_EQ(back.tolerance, 2e-6);
  EXPECT_FALSE(back.accept_emulated);
  EXPECT_EQ(back.require_sandbox, "full");
  EXPECT_EQ(back.models.at("high").network, "net");
  EXPECT_EQ(back.models.at("high").weights, "./mine.h5");
  EXPECT_EQ(back.models.at("low").network, "true");
  EXPECT_EQ(back.models.at("low").weights, "~");
  EXPECT_THAT(back.files.folders, testing::ElementsAre(".", "src"));
  EXPECT_THAT(back.files.take, testing::ElementsAre("*.cu"));
  EXPECT_EQ(back.files.max_file_bytes, 1536);
  EXPECT_EQ(back.files.max_files, 7);
  ASSERT_EQ(back.files.handed_out.size(), 2U);
  EXPECT_EQ(back.files.handed_out[0].name, "own.h");
  EXPECT_EQ(back.files.handed_out[0].text.bytes, "#define A 1");
  EXPECT_EQ(back.files.handed_out[0].changed, HandedOutFile::Changed::refuse);
  EXPECT_EQ(back.files.handed_out[1].text.bytes, "// \"two\" lines: # of one file\\t\n  int a;\n");
  EXPECT_EQ(back.files.handed_out[1].changed, HandedOutFile::Changed::use);
  using std::chrono::milliseconds;
  for (const auto& [limit, wall, cpu, memory, output, file, processes] :
       {std::tuple{back.build_limits, 30'000, 20'000, std::int64_t{2} << 30, 100 << 10, 10 << 20,
                   8},
        {back.run_limits, 60'000, 90'000, std::int64_t{512} << 20, 1 << 20, 1 << 20, 9}}) {
    EXPECT_EQ(limit.wall, milliseconds(wall));
    EXPECT_EQ(limit.cpu, milliseconds(cpu));
    EXPECT_EQ(limit.memory_bytes, memory);
    EXPECT_EQ(limit.output_bytes, output);
    EXPECT_EQ(limit.file_bytes, file);
    EXPECT_EQ(limit.processes, processes);
  }
  EXPECT_TRUE(back.run_after_timeout);
  EXPECT_EQ(back.timing.repetitions, 5);
  EXPECT_FALSE(back.timing.warm_up);
  ASSERT_EQ(back.stages[0].cases.size(), 3U);
  EXPECT_FALSE(back.stages[0].cases[0].timing);
  const TimingConfig competition = back.stages[0].cases[1].timing.value();
  EXPECT_EQ(competition.repetitions, 10);
  EXPECT_EQ(competition.warm_ups, 5);
  EXPECT_EQ(competition.abort_above, milliseconds(40));
  EXPECT_FALSE(competition.warm_up) << "what the case does not say is the config's";
  ASSERT_EQ(back.stages.size(), 2U);
  const StageConfig& s = back.stages[0];
  EXPECT_EQ(s.title, "GPU stage");
  EXPECT_EQ(s.device, Device::cuda);
  EXPECT_EQ(back.stages[1].device, Device::emulated);
  EXPECT_THAT(s.sources, testing::ElementsAre("a.cu", "b.cu"));
  EXPECT_THAT(s.flags, testing::ElementsAre("-O2", "-DX=1"));
  EXPECT_THAT(s.libraries, testing::ElementsAre("cublas"));
  EXPECT_EQ(s.tolerance, 2e-3);
  ASSERT_EQ(s.cases.size(), 3U);
  EXPECT_EQ(s.cases[0].accuracy, 0.86);
  EXPECT_EQ(s.cases[0].points, 10);
  EXPECT_TRUE(s.cases[1].hidden);
  EXPECT_EQ(s.cases[2].accuracy, 0.886);
  EXPECT_EQ(s.cases[2].points, 0.1);
  EXPECT_EQ(s.random_shapes.count, 3);
  EXPECT_EQ(s.random_shapes.points, 2.5);
  EXPECT_TRUE(s.random_shapes.hidden);
  ASSERT_EQ(s.op_times.size(), 1U);
  EXPECT_EQ(s.op_times[0].model, "high");
  EXPECT_EQ(s.op_times[0].batch, 100);
  EXPECT_EQ(s.op_times[0].points, 7);
  EXPECT_EQ(s.op_times[0].full.value, 0.07);
  EXPECT_EQ(s.op_times[0].zero.value, 3.5);
  EXPECT_EQ(s.op_times[0].zero.unit, TimeBound::Unit::reference);
  EXPECT_EQ(s.op_times[0].take, Statistic::mean);
}

TEST(DumpConfig, NumbersReadAsTheyWereWritten) {
  const std::string text = dump_config(parsed(kEveryKey));
  EXPECT_THAT(text, HasSubstr("accuracy: 0.886,"));
  EXPECT_THAT(text, HasSubstr("points: 0.1,"));
  EXPECT_THAT(text, HasSubstr("tolerance: 2e-06"));
  EXPECT_THAT(text, HasSubstr("memory: 2 GiB"));
  EXPECT_THAT(text, HasSubstr("file_size: 10 MiB"));
}

}  // namespace
}  // namespace opgrade
