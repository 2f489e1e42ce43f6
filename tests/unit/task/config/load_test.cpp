#include "grader/task/config/load.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "grader/base/core/printable.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "tests/unit/task/config/good_config.hpp"

namespace opgrade {
namespace {

using test::complaints;
using test::kGoodConfig;
using test::with;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(LoadConfig, TheSmallestOneAndItsDefaults) {
  const LoadedConfig loaded = parse_config(kGoodConfig, "c.yaml");
  ASSERT_THAT(loaded.problems, IsEmpty());
  const Config& c = loaded.config;
  EXPECT_EQ(c.name, "good");
  EXPECT_EQ(c.title, "good");
  EXPECT_EQ(c.interface, "minidnn-3");
  EXPECT_EQ(c.tolerance, 1e-6);
  EXPECT_EQ(c.require_sandbox, "no user namespaces");
  EXPECT_FALSE(c.timing.repetitions) << "it depends on the case";
  ASSERT_EQ(c.stages.size(), 1U);
  EXPECT_EQ(c.stages[0].title, "cpu");
  EXPECT_EQ(c.stages[0].device, Device::cpu);
  EXPECT_THAT(c.stages[0].flags, ElementsAre("-O3"));
  ASSERT_EQ(c.stages[0].cases.size(), 1U);
  EXPECT_EQ(c.stages[0].cases[0].batch, 10);
  EXPECT_EQ(c.stages[0].cases[0].accuracy, std::nullopt);
  EXPECT_EQ(c.max_points(), 5);
}

TEST(LoadConfig, EveryKey) {
  const LoadedConfig loaded = parse_config(R"(opgrade: 1
name: all
title: All keys
interface: other
pass_mark: 12.5
tolerance: 2e-6
accept_emulated: false
require_sandbox: full
models:
  high: {network: net, weights: ./mine.h5}
files: {folders: [".", src], patterns: ["*.cu"], max_file_size: 64 KiB, max_files: 7}
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
      - {model: high, batch: 8767, accuracy: 0.871564, points: 0, hidden: true}
    random_shapes: {count: 3, points: 2.5, hidden: true}
    op_times:
      - {model: high, batch: 100, points: 7, full: 80 ms, zero: 3 x reference, take: mean}
)",
                                           "c.yaml");
  ASSERT_THAT(loaded.problems, IsEmpty());
  const Config& c = loaded.config;
  EXPECT_EQ(c.title, "All keys");
  EXPECT_EQ(c.interface, "other");
  EXPECT_EQ(c.pass_mark, 12.5);
  EXPECT_EQ(c.tolerance, 2e-6);
  EXPECT_FALSE(c.accept_emulated);
  EXPECT_EQ(c.require_sandbox, "full");
  EXPECT_EQ(c.models.at("high").weights, "./mine.h5");
  EXPECT_THAT(c.files.folders, ElementsAre(".", "src"));
  EXPECT_THAT(c.files.take, ElementsAre("*.cu"));
  EXPECT_EQ(c.files.max_file_bytes, 65536);
  EXPECT_EQ(c.files.max_files, 7);
  using std::chrono::milliseconds;
  EXPECT_EQ(c.build_limits.wall, milliseconds(30'000));
  EXPECT_EQ(c.build_limits.cpu, milliseconds(20'000));
  EXPECT_EQ(c.build_limits.memory_bytes, std::int64_t{2} << 30);
  EXPECT_EQ(c.build_limits.output_bytes, 102'400);
  EXPECT_EQ(c.build_limits.file_bytes, 10 << 20);
  EXPECT_EQ(c.build_limits.processes, 8);
  EXPECT_EQ(c.run_limits.wall, milliseconds(60'000));
  EXPECT_EQ(c.run_limits.cpu, milliseconds(90'000));
  EXPECT_EQ(c.run_limits.processes, 9);
  EXPECT_EQ(c.timing.repetitions, 5);
  EXPECT_FALSE(c.timing.warm_up);
  const StageConfig& s = c.stages.at(0);
  EXPECT_EQ(s.device, Device::cuda);
  EXPECT_THAT(s.sources, ElementsAre("a.cu", "b.cu"));
  EXPECT_THAT(s.flags, ElementsAre("-O2", "-DX=1"));
  EXPECT_THAT(s.libraries, ElementsAre("cublas"));
  EXPECT_EQ(s.tolerance, 2e-3);
  EXPECT_EQ(s.cases.at(0).accuracy, 0.86);
  EXPECT_EQ(s.cases.at(1).accuracy, 0.871564) << "7641 images, as the course's program prints it";
  EXPECT_TRUE(s.cases.at(1).hidden);
  EXPECT_EQ(s.random_shapes.count, 3);
  EXPECT_EQ(s.random_shapes.points, 2.5);
  EXPECT_TRUE(s.random_shapes.hidden);
  EXPECT_EQ(s.op_times.at(0).full.value, 80);
  EXPECT_EQ(s.op_times.at(0).full.unit, TimeBound::Unit::ms);
  EXPECT_EQ(s.op_times.at(0).zero.value, 3);
  EXPECT_EQ(s.op_times.at(0).zero.unit, TimeBound::Unit::reference);
  EXPECT_EQ(s.op_times.at(0).take, Statistic::mean);
  EXPECT_EQ(c.max_points(), 19.5);
}

struct Bad {
  const char* old;
  const char* now;
  const char* complaint;
};

/// One change to a good config and the one complaint it earns, with its place.
TEST(LoadConfig, EveryComplaintHasItsPlace) {
  const Bad table[] = {
      {"opgrade: 1", "opgrade: 2", "1:10: 'opgrade' is 2, but must be from 1 to 1"},
      {"opgrade: 1\n", "", "1:1: the config needs the key 'opgrade'"},
      {"name: good\n", "", "1:1: the config needs the key 'name'"},
      {"name: good", "name: [good]", "2:7: 'name' must be text"},
      {"name: good", "nmae: x\nname: good",
       "2:1: unknown key 'nmae' in the config; did you mean 'name'?"},
      {"name: good", "name: good\nname: other", "3:1: 'name' is given twice in the config"},
      {"name: good", "name: good\npass_mark: .nan",
       "3:12: 'pass_mark' must be a finite number, not '.nan'"},
      {"name: good", "name: good\npass_mark: nan",
       "3:12: 'pass_mark' must be a finite number, not 'nan'"},
      {"name: good", "name: good\npass_mark: -1",
       "3:12: 'pass_mark' is -1, but must be at least 0"},
      {"name: good", "name: good\npass_mark: 6",
       "3:12: 'pass_mark' is 6, but all points together are 5"},
      {"name: good", "name: good\ntolerance: 1.5",
       "3:12: 'tolerance' is 1.5, but must be from 0 to 1"},
      {"name: good", "name: good\ntolerance: {a: 1}", "3:12: 'tolerance' must be a number"},
      {"name: good", "name: good\naccept_emulated: yes",
       "3:18: 'accept_emulated' must be true or false, not 'yes'"},
      {"name: good", "name: good\nrequire_sandbox: some",
       "3:18: 'require_sandbox' must be full, 'no cgroup', 'no user namespaces' or none, not "
       "'some'"},
      {"  m: {network: n, weights: w}", "  m: {network: n}",
       "4:6: model 'm' needs the key 'weights'"},
      {"  m: {network: n, weights: w}", "  m: n",
       "4:6: model 'm' must be a mapping of keys to values"},
      {"  m: {network: n, weights: w}",
       "  m: {network: n, weights: w}\n  m: {network: n, weights: w}",
       "5:3: model 'm' is given twice"},
      {"stages:", "files: {folders: [../other]}\nstages:",
       "5:18: folder '../other' must lie inside the submission"},
      {"stages:", "files: {folders: [/etc]}\nstages:",
       "5:18: folder '/etc' must lie inside the submission"},
      {"stages:", "files: {patterns: '*.cu'}\nstages:", "5:19: 'patterns' must be a list"},
      {"stages:", "files: {patterns: [{a: b}]}\nstages:",
       "5:20: an entry of 'patterns' must be text"},
      {"stages:", "files: {max_file_size: 64}\nstages:",
       "5:24: 'max_file_size' must be a size with its unit (64 KiB, 16 MiB, 4 GiB), not '64'"},
      {"stages:", "files: {max_file_size: 0 KiB}\nstages:",
       "5:24: 'max_file_size' must be a size with its unit (64 KiB, 16 MiB, 4 GiB), not '0 KiB'"},
      {"stages:", "files: {handed_out: [{name: a/b.h, text: x}]}\nstages:",
       "5:29: 'a/b.h' must be the plain name of a file, such as matmul.h"},
      {"stages:", "files: {handed_out: [{name: b.h, text: x, changed: keep}]}\nstages:",
       "5:52: 'changed' must be use, replace or refuse, not 'keep'"},
      {"stages:", "files: {handed_out: [{name: b.h, text: ''}]}\nstages:",
       "5:40: 'text' has no lines"},
      {"stages:\n  - name: cpu\n",
       "files: {handed_out: [{name: b.cc, text: x}]}\nstages:\n  - name: cpu\n    sources: "
       "[b.cc]\n",
       "8:14: the course hands out all of these: list a file that students write"},
      {"stages:", "files: {handed_out: [{name: b.h}]}\nstages:",
       "5:22: a handed out file needs the key 'text'"},
      {"stages:", "files: {handed_out: [{name: b.h, text: x}, {name: b.h, text: y}]}\nstages:",
       "5:51: 'b.h' is handed out twice"},
      {"stages:", "files: {max_files: 0}\nstages:",
       "5:20: 'max_files' is 0, but must be from 1 to 10000"},
      {"stages:", "limits: {run: {wall: -5 s}}\nstages:",
       "5:22: 'wall' must be a time with its unit (500 ms, 10 s, 2 min), not '-5 s'"},
      {"stages:", "limits: {run: {wall: nan s}}\nstages:",
       "5:22: 'wall' must be a time with its unit (500 ms, 10 s, 2 min), not 'nan s'"},
      {"stages:", "limits: {run: {wall: 10}}\nstages:",
       "5:22: 'wall' must be a time with its unit (500 ms, 10 s, 2 min), not '10'"},
      {"stages:", "limits: {run: {memory: -1 GiB}}\nstages:",
       "5:24: 'memory' must be a size with its unit (64 KiB, 16 MiB, 4 GiB), not '-1 GiB'"},
      {"stages:", "limits: {run: {memory: 4 GB}}\nstages:",
       "5:24: 'memory' must be a size with its unit (64 KiB, 16 MiB, 4 GiB), not '4 GB'"},
      {"stages:", "limits: {run: {processes: 2.5}}\nstages:",
       "5:27: 'processes' must be a whole number"},
      {"stages:", "limits: {runs: {}}\nstages:",
       "5:10: unknown key 'runs' in 'limits'; did you mean 'run'?"},
      {"stages:", "timing: {abort_above: 40 ms}\nstages:",
       "5:23: 'abort_above' needs 'full_warmups': it is about their first"},
      {"stages:", "timing: {repetitions: 0}\nstages:",
       "5:23: 'repetitions' is 0, but must be from 1 to 1000"},
      {"stages:", "timing: [3]\nstages:", "5:9: 'timing' must be a mapping of keys to values"},
      {"    device: cpu\n", "", "6:5: a stage needs the key 'device'"},
      {"device: cpu", "device: gpu", "7:13: 'device' must be cpu, cuda or emulated, not 'gpu'"},
      {"    cases:\n      - {model: m, batch: 10, points: 5}\n", "",
       "6:5: stage 'cpu' has nothing to run: give it cases or random_shapes, or name the other "
       "stages in 'only', at the top of the config"},
      {"stages:", "deadline: 2026-10-12 23:59\nstages:",
       "5:1: 'deadline' belongs in a course's course.yaml, beside the assignment's 'config'; "
       "`opgrade course init DIR` writes an example"},
      {"model: m, batch", "model: M, batch", "9:17: unknown model 'M'; did you mean 'm'?"},
      {"model: m, batch", "model: other, batch",
       "9:17: unknown model 'other'; list it under 'models'"},
      {"batch: 10", "batch: 0", "9:27: 'batch' is 0, but must be from 1 to 10000000"},
      {"batch: 10", "batch: 1.5", "9:27: 'batch' must be a whole number"},
      {"batch: 10", "batch: ten", "9:27: 'batch' must be a finite number, not 'ten'"},
      {", batch: 10", "", "9:9: a case needs the key 'batch'"},
      {"points: 5}", "points: -5}", "9:39: 'points' is -5, but must be at least 0"},
      {"points: 5}", "points: 5, accuracy: 1.1}",
       "9:52: 'accuracy' is 1.1, but must be from 0 to 1"},
      {"points: 5}", "points: 5, hiden: true}",
       "9:42: unknown key 'hiden' in a case; did you mean 'hidden'?"},
      {"points: 5}", "points: 5, colour: red}",
       "9:42: unknown key 'colour' in a case; known are accuracy, advice, batch, group, hidden, "
       "model, "
       "name, points, run, sizes, threads, timing, visibility"},
      {"points: 5}\n", "points: 5}\n      - {model: m, batch: 10}\n",
       "10:9: the case m/10 is listed twice"},
      {"points: 5}\n", "points: 5}\n    random_shapes: {points: 1}\n",
       "10:20: 'random_shapes' needs the key 'count'"},
      {"points: 5}\n",
       "points: 5}\n    op_times: [{model: m, batch: 11, points: 1, full: 1 s, zero: 2 s}]\n",
       "10:16: the Op Time rule names the case m/11, which this stage does not run"},
      {"points: 5}\n",
       "points: 5}\n    op_times: [{model: m, batch: 10, points: 1, full: 2 s, zero: 1 s}]\n",
       "10:66: 'zero' must not be less than 'full'"},
      {"points: 5}\n",
       "points: 5}\n    op_times: [{model: m, batch: 10, points: 1, full: 2, zero: 3 s}]\n",
       "10:55: 'full' must be a time (70 ms), a multiple (3 x reference) or a rate (300 GB/s, 2 "
       "TFLOP/s, 0.6 of roofline), not '2'"},
      {"points: 5}\n",
       "points: 5}\n    op_times: [{model: m, batch: 10, points: 1, full: -2 x reference, zero: 3 "
       "x reference}]\n",
       "10:55: 'full' must be a time (70 ms), a multiple (3 x reference) or a rate (300 GB/s, 2 "
       "TFLOP/s, 0.6 of roofline), not '-2 x reference'"},
      {"points: 5}\n", "points: 5}\n    op_times: [{model: m, batch: 10, points: 1, full: 1 s}]\n",
       "10:16: an Op Time rule needs the key 'zero'"},
      {"stages:", "? [a, b]\n: c\nstages:", "5:3: a key of the config must be a word"},
      {"stages:", "limits: {run: {memory: 4 KiB}}\nstages:",
       "5:24: 'memory' is 4 KiB, but nothing runs in less than 64 MiB"},
      {"batch: 10, points: 5}", "batch: 128, points: 5, accuracy: 0.86}",
       "9:53: 'accuracy' 0.86 is of no number among 128 images; the nearest are 0.859375 (110) and "
       "0.867188 (111)"},
      {"points: 5}", "points: 5, accuracy: 0.99}",
       "9:52: 'accuracy' 0.99 is of no number among 10 images; the nearest are 0.9 (9) and 1 (10)"},
      {"points: 5}\n", "points: 5}\n    random_shapes: {count: 0, points: 3}\n",
       "10:28: 'count' leaves nothing to run, but the check has 3 points"},
      {"points: 5}\n", "points: 5}\n    random_batches: {model: m, count: 0, points: 3}\n",
       "10:39: 'count' leaves nothing to run, but the check has 3 points"},
      {"points: 5}\n", "points: 5}\n    fixed_shapes: {shapes: [], points: 3}\n",
       "10:28: 'shapes' leaves nothing to run, but the check has 3 points"},
      {"points: 5}\n",
       "points: 5, hidden: true}\n    op_times: [{model: m, batch: 10, points: 1, limit: 1 s}]\n",
       "10:16: the Op Time rule names the case m/10, which is hidden: reports name each case "
       "that has points for speed"},
  };
  for (const Bad& bad : table) {
    EXPECT_THAT(complaints(with(bad.old, bad.now)), ElementsAre(bad.complaint)) << bad.now;
  }
}

/// Another would compute, and be graded, as if S were 1.
TEST(LoadConfig, OnlyAnInterfaceWithAStrideTakesOne) {
  const auto problems = [](const std::string& interface, int stride) {
    const std::string sizes = fmt::format("{{B: 1, M: 1, C: 1, H: 9, W: 9, K: 3, S: {}}}", stride);
    return complaints("opgrade: 1\nname: x\ninterface: " + interface +
                      "\nstages:\n  - name: a\n    device: cpu\n"
                      "    cases: [{name: listed, points: 1, sizes: " +
                      sizes + "}]\n    fixed_shapes: {points: 1, shapes: [" + sizes + "]}\n");
  };
  const std::string why =
      "S is 2, but the interface minidnn-3 has no stride: leave S out, or use the interface "
      "minidnn-3s";
  EXPECT_THAT(problems("minidnn-3", 2), ElementsAre("7:46: " + why, "8:40: " + why));
  EXPECT_THAT(problems("minidnn-3", 1), IsEmpty());
  EXPECT_THAT(problems("mxnet", 1), IsEmpty());
  EXPECT_THAT(problems("minidnn-3s", 2), IsEmpty());
}

TEST(LoadConfig, AdviceEarnsNothingAndIsSeen) {
  const auto problems = [](const std::string& stage) {
    return to_text(parse_config("opgrade: 1\nname: x\nmodels: {m: {network: n, weights: w}}\n"
                                "stages:\n  - name: a\n    device: cpu\n" +
                                    stage,
                                "f")
                       .problems);
  };
  const std::string good =
      "    cases: [{model: m, batch: 1, points: 1}, {model: m, batch: 3, advice: true}]\n"
      "    random_batches: {model: m, count: 8, points: 2}\n"
      "    random_shapes: {count: 12, advice: true}\n";
  EXPECT_EQ(problems(good), "");
  const Config config = parse_config(
                            "opgrade: 1\nname: x\nmodels: {m: {network: n, weights: w}}\n"
                            "stages:\n  - name: a\n    device: cpu\n" +
                                good,
                            "f")
                            .config;
  EXPECT_EQ(config.max_points(), 3);
  EXPECT_EQ(parse_config(dump_config(config), "dump").config.stages[0].random_batches.count, 8);
  EXPECT_TRUE(parse_config(dump_config(config), "dump").config.stages[0].cases[1].advice);
  EXPECT_THAT(problems("    random_shapes: {count: 1, points: 1, advice: true}\n"),
              HasSubstr("f:7:50: "));
  EXPECT_THAT(problems("    random_shapes: {count: 1, points: 1, advice: true}\n"),
              HasSubstr("'advice' earns no points"));
  EXPECT_THAT(problems("    random_shapes: {count: 1, hidden: true, advice: true}\n"),
              HasSubstr("cannot be 'hidden'"));
  EXPECT_THAT(problems("    random_batches: {model: n, count: 1}\n"),
              HasSubstr("unknown model 'n'"));
  EXPECT_THAT(problems("    cases: [{model: m, batch: 1, advice: true}]\n    op_times: [{model: m, "
                       "batch: 1, points: 1, full: 1 ms, zero: 2 ms}]\n"),
              HasSubstr("m/1, which is only advice"));
}

TEST(LoadConfig, OldNamesOfKeysAreReadWithANote) {
  const LoadedConfig loaded =
      parse_config(with("stages:",
                        "files: {take: ['*.x']}\ntiming: {warm_up: false, warm_ups: 7, "
                        "budget: 3 s, settle: true}\nstages:") +
                       "    op_times: [{model: m, batch: 10, points: 1, full: 2 s, zero: 2 s}]\n",
                   "c.yaml");
  EXPECT_EQ(to_text(loaded.problems), "");
  EXPECT_EQ(
      to_text(loaded.notes),
      "c.yaml:5:9: note: 'take' is now called 'patterns'\n"
      "c.yaml:6:10: note: 'warm_up' is now called 'partial_warmup'\n"
      "c.yaml:6:26: note: 'warm_ups' is now called 'full_warmups'\n"
      "c.yaml:6:39: note: 'budget' has no effect any more: all submissions have the same number "
      "of timed calls\n"
      "c.yaml:6:52: note: 'settle' has no effect any more: all submissions have the same number "
      "of timed calls\n");
  EXPECT_THAT(loaded.config.files.take, ElementsAre("*.x"));
  EXPECT_FALSE(loaded.config.timing.warm_up);
  EXPECT_EQ(loaded.config.timing.warm_ups, 7);
  EXPECT_EQ(parse_config(dump_config(loaded.config), "d").notes.size(), 0U);
}

TEST(LoadConfig, TwoStagesOfOneName) {
  EXPECT_THAT(complaints(std::string(kGoodConfig) +
                         "  - {name: cpu, device: cpu, random_shapes: {count: 1}}\n"),
              ElementsAre("10:12: two stages are named 'cpu'"));
}

TEST(LoadConfig, AllComplaintsAtOnceInTheOrderOfReading) {
  const auto lines = complaints(with("batch: 10, points: 5", "batch: 0, points: -1, pionts: 3"));
  EXPECT_THAT(lines, ElementsAre(HasSubstr("'batch' is 0"), HasSubstr("'points' is -1"),
                                 HasSubstr("did you mean 'points'?")));
}

TEST(LoadConfig, Files) {
  const TempDir folder("opgrade-test-");
  const auto file = folder.path() / "c.yaml";
  const auto problem = [](const std::filesystem::path& path) {
    const auto problems = load_config(path).problems;
    return problems.size() == 1 ? to_text(problems) : "not one problem";
  };
  EXPECT_EQ(problem(file), file.string() + ": cannot be read; is the path right?\n");
  EXPECT_EQ(problem(folder.path()),
            folder.path().string() + ": a folder without task.yaml; is the path right?\n");
  std::ofstream(file) << std::string((1 << 20) + 1, '#');
  EXPECT_THAT(problem(file), HasSubstr("larger than 1 MiB"));
  std::ofstream(file) << kGoodConfig;
  const LoadedConfig loaded = load_config(file);
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.config.folder, folder.path());
}

}  // namespace
}  // namespace opgrade
