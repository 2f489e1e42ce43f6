#include "grader/grading/build/compile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/registry.hpp"
#include "tests/support/must_run.hpp"
#include "tests/unit/grading/build/compile_fixture.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using test::Compile;
using test::kGood;
using test::kSignature;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(Compile, Good) {
  const BuildReport report = build(kGood);
  EXPECT_EQ(report.outcome, Outcome::passed) << report.compiler_output;
  EXPECT_EQ(report.compiler_output, "");
  EXPECT_GT(report.elapsed_s, 0);
}

TEST_F(Compile, AMissingAdapterIsTheGradersFault) {
  const TempDir share("opgrade-test-");
  const std::filesystem::path adapters = share.path() / "adapters";
  std::filesystem::copy(resources::share_folder() / "adapters", adapters,
                        std::filesystem::copy_options::recursive);
  const char* const named = ::getenv("OPGRADE_SHARE");
  const std::optional<std::string> before =
      named ? std::optional<std::string>(named) : std::nullopt;
  ::setenv("OPGRADE_SHARE", share.path().c_str(), 1);
  for (const auto& name : adapter_files()) {
    std::filesystem::rename(adapters / name, share.path() / "away");
    try {
      const BuildReport report = build(kGood);
      ADD_FAILURE() << "without " << name << ": " << report::sentence_of(report.reason);
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr(std::string(name)));
      EXPECT_THAT(e.hint, HasSubstr("install opgrade again"));
    }
    std::filesystem::rename(share.path() / "away", adapters / name);
  }
  before ? ::setenv("OPGRADE_SHARE", before->c_str(), 1) : ::unsetenv("OPGRADE_SHARE");
}

TEST_F(Compile, WarningsOfAGoodOneAreKept) {
  const BuildReport report = build("#warning look here\n" + kGood);
  EXPECT_EQ(report.outcome, Outcome::passed);
  EXPECT_THAT(report.compiler_output, HasSubstr("look here"));
}

TEST_F(Compile, ErrorsHaveTheStudentsPathsAndLines) {
  const BuildReport report = build(kGood + "int x = undeclared;\n");
  EXPECT_EQ(report.outcome, Outcome::build_failed);
  EXPECT_EQ(report::sentence_of(report.reason), "the compiler refused it");
  EXPECT_THAT(report.compiler_output,
              AllOf(HasSubstr("cpu-new-forward.cc:3:9: error:"), Not(HasSubstr("/submission")),
                    Not(HasSubstr("/opgrade")), Not(HasSubstr("/tmp")), Not(HasSubstr("\x1b"))));
}

TEST_F(Compile, OwnHeadersAndSourcesBesideIt) {
  EXPECT_EQ(build("#include \"tile.h\"\n#include \"part.inl\"\n" + kGood,
                  {{"tile.h", "#pragma once\n"}, {"part.inl", "static int part = 1;\n"}})
                .outcome,
            Outcome::passed);
}

TEST_F(Compile, TheHeaderOfLabProgramsIsFoundWhereverItLay) {
  for (const char* const name :
       {"<wb.h>", "\"wb.h\"", "\"../libwb/wb.h\"", "<../../libwb/wb.h>", "\"libwb/wb.h\"",
        "\"/home/ada/ece408/libwb/wb.h\"", "</opt-class/wb.h>", "<gputk.h>",
        "\"../libgputk/gputk.h\"", "\"/srv/class/gputk.h\""}) {
    const BuildReport report =
        build(std::string("#include ") + name + "\nwbBool kRead = wbTrue;\n" + kGood);
    EXPECT_EQ(report.outcome, Outcome::passed) << name << report.compiler_output;
  }
  EXPECT_EQ(build("#include \"/home/ada/other.h\"\n" + kGood).outcome, Outcome::build_failed);
}

TEST_F(Compile, HeadersAreFoundByPathsOfAnotherProject) {
  const std::string function = std::string(kSignature) + " { (void)(kTile + kSum + kLast); }\n";
  const BuildReport report = build(
      "#include \"../../src/layer/custom/cpu-new-forward.h\"\n"
      "#include \"./src/layer/custom/cpu-new-forward.h\"\n"
      "#include \"../../../m3/tile.h\"\n"
      "#include \"lib/sum.tpp\"\n" +
          function,
      {{"tile.h", "#include \"../lib/last.inc\"\nconst int kTile = 1;\n"},
       {"lib/sum.tpp", "#include \"../tile.h\"\nconst int kSum = 2;\n"},
       {"lib/last.inc", "#pragma once\nconst int kLast = 3;\n"}});
  // Once by each of its paths: it has no guard.
  EXPECT_THAT(report.compiler_output, HasSubstr("redefinition of ‘const int kTile’"));
  const BuildReport guarded = build(
      "#include \"../../src/layer/custom/cpu-new-forward.h\"\n"
      "#include \"./src/layer/custom/cpu-new-forward.h\"\n"
      "#include \"../../../m3/tile.h\"\n"
      "#include \"lib/sum.tpp\"\n" +
          function,
      {{"tile.h", "#pragma once\n#include \"../lib/last.inc\"\nconst int kTile = 1;\n"},
       {"lib/sum.tpp", "#include \"../tile.h\"\nconst int kSum = 2;\n"},
       {"lib/last.inc", "#pragma once\nconst int kLast = 3;\n"}});
  EXPECT_EQ(guarded.outcome, Outcome::passed) << guarded.compiler_output;
  EXPECT_EQ(report::sentence_of(guarded.reason), "built");
}

TEST_F(Compile, APathThatLeavesTheSubmissionFindsNothing) {
  for (const char* path : {"../../../../../../../../../../etc/passwd", "../../etc/hostname",
                           "../../../opgrade/adapters/../../etc/passwd"}) {
    const BuildReport report = build("#include \"" + std::string(path) + "\"\n" + kGood);
    EXPECT_EQ(report.outcome, Outcome::build_failed) << path;
    EXPECT_THAT(report.compiler_output, Not(HasSubstr("root:")));
  }
}

TEST_F(Compile, MessagesNameAHeaderByItsOwnPath) {
  const BuildReport report =
      build("#include \"../../m3/tile.h\"\n" + kGood, {{"tile.h", "int tile = undeclared;\n"}});
  EXPECT_THAT(report.compiler_output,
              AllOf(HasSubstr("tile.h:1:12: error:"), Not(HasSubstr("/opgrade"))));
}

TEST_F(Compile, SourcesBesideAreLinkedWhereTheirFunctionsAreMissing) {
  const std::string caller = "int helper(int);\nint other(int);\n" + std::string(kSignature) +
                             " { y[0] = helper(B) + other(B); }\n";
  const BuildReport report = build(
      caller, {{"helper.cpp", "#include \"part.inc\"\nint helper(int b) { return kPart + b; }\n"},
               {"lib/other.cc", "int other(int b) { return b; }\n"},
               {"part.inc", "const int kPart = 1;\n"},
               {"broken.cc", "no c++\n"},
               {"variant.cc", kGood}});
  EXPECT_EQ(report.outcome, Outcome::passed) << report.compiler_output;
  EXPECT_EQ(report::sentence_of(report.reason),
            "built with further sources: helper.cpp, lib/other.cc, variant.cc");
  EXPECT_EQ(report::hint_of(report.reason), "");
}

TEST_F(Compile, ASourceCannotTellThatOthersWereCompiledBeforeIt) {
  std::string asks;
  for (const char* const made : {"beside0.o", "beside1.o", "beside.a", "submission.so", "a.o"})
    asks +=
        fmt::format("#if __has_include(\"/out/{}\")\n#error built after another\n#endif\n", made);
  const BuildReport report =
      build(asks + "int one(int);\nint two(int);\n" + kSignature + " { y[0] = one(B) + two(B); }\n",
            {{"a.cc", asks + "int one(int b) { return b; }\n"},
             {"b.cc", asks + "int two(int b) { return b; }\n"}});
  EXPECT_EQ(report.outcome, Outcome::passed) << report.compiler_output;
  EXPECT_EQ(report::sentence_of(report.reason), "built with further sources: a.cc, b.cc");
}

TEST_F(Compile, AFunctionThatIsNowhereNamesWhatWasCompiled) {
  const BuildReport report =
      build("int helper(int);\n" + std::string(kSignature) + " { y[0] = helper(B); }\n",
            {{"helper.cpp", "int helper(int b) { return undeclared; }\n"},
             {"-fsyntax-only.cc", "int another(int b) { return b; }\n"}});
  EXPECT_EQ(report.outcome, Outcome::build_failed);
  EXPECT_THAT(report::hint_of(report.reason),
              AllOf(HasSubstr("helper(int) is called and defined nowhere. Compiled: "
                              "cpu-new-forward.cc."),
                    HasSubstr("does not compile: helper.cpp"), HasSubstr("-fsyntax-only.cc"),
                    Not(HasSubstr("Expected"))));
  EXPECT_THAT(report.compiler_output, HasSubstr("undefined reference"));
}

TEST_F(Compile, TheInterfacesOwnFunctionIsNotTakenFromBeside) {
  const BuildReport report = build("", {{"milestone1.cc", kGood}});
  EXPECT_EQ(report.outcome, Outcome::build_failed);
  EXPECT_THAT(report::hint_of(report.reason), HasSubstr(kSignature));
}

TEST_F(Compile, WideCharactersAreNamedOnce) {
  const auto wide = [](const std::string& text) {
    std::string bytes = "\xFF\xFE";
    for (const char c : text) bytes += {c, '\0'};
    return bytes;
  };
  const BuildReport report = build(wide(kGood));
  EXPECT_EQ(report.outcome, Outcome::build_failed);
  EXPECT_EQ(report::sentence_of(report.reason), "cpu-new-forward.cc is saved as UTF-16");
  EXPECT_THAT(report::hint_of(report.reason), HasSubstr("Save it as UTF-8"));
  EXPECT_EQ(report.compiler_output, "");
  EXPECT_EQ(report::sentence_of(
                build("#include \"tile.h\"\n" + kGood, {{"tile.h", wide("int x;\n")}}).reason),
            "tile.h is saved as UTF-16");
  EXPECT_EQ(build(kGood, {{"unused.h", wide("int x;\n")}}).outcome, Outcome::passed);
}

TEST_F(Compile, ASandboxThatDoesNotStartIsNoFailedBuild) {
  // The control build finds a sandbox that works, the builds before and after it do not.
  const TempDir place("opgrade-test-");
  const auto program = place.path() / "bwrap";
  std::ofstream(program)
      << "#!/bin/sh\n"
      << "for argument; do case $argument in control.cc) control=1;; esac; done\n"
      << "if [ \"$control\" ]; then exec " << sandbox->support().bubblewrap.string()
      << " \"$@\"; fi\n"
      << "echo 'bwrap: Creating new namespace failed' >&2\nexit 1\n";
  std::filesystem::permissions(program, std::filesystem::perms(0755));
  std::filesystem::permissions(place.path(), std::filesystem::perms(0755));
  SandboxSupport support = sandbox->support();
  OPGRADE_SKIP_UNLESS("sandbox", support.tier < SandboxTier::no_userns, "no bubblewrap here");
  support.bubblewrap = program;
  sandbox.emplace(support);
  try {
    build(kGood);
    FAIL() << "a sandbox that did not start has built";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("sandbox did not start"));
  }
}

TEST_F(Compile, AnotherSignatureGetsTheRightOneAsAHint) {
  const BuildReport report =
      build("void conv_forward_cpu(float *y, const float *x, const float *k, int B) {}\n");
  EXPECT_EQ(report.outcome, Outcome::build_failed);
  EXPECT_THAT(report::hint_of(report.reason), HasSubstr(kSignature));
}

TEST_F(Compile, NoFunctionAtAll) {
  EXPECT_THAT(report::hint_of(build("").reason), HasSubstr(kSignature));
  EXPECT_THAT(report::hint_of(build(std::string("static ") + kSignature + " {}\n").reason),
              HasSubstr(kSignature));
}

TEST_F(Compile, TwoMainFunctionsOrAWholeProgramIsNoHarm) {
  EXPECT_EQ(build(kGood + "int main() { return 1; }\n").outcome, Outcome::passed);
}

TEST_F(Compile, TheGradersFilesAreNotThereToInclude) {
  for (const char* path : {"/etc/passwd", "/etc/hostname", OPGRADE_SOURCE_DIR "/README.md",
                           "../../../../etc/passwd"}) {
    const BuildReport report = build("#include \"" + std::string(path) + "\"\n" + kGood);
    EXPECT_EQ(report.outcome, Outcome::build_failed) << path;
    EXPECT_THAT(report.compiler_output,
                testing::ContainsRegex("No such file or directory|Permission denied"));
    EXPECT_THAT(report::hint_of(report.reason), HasSubstr("not handed in"));
  }
  const BuildReport binary = build("asm(\".incbin \\\"/etc/passwd\\\"\");\n" + kGood);
  EXPECT_EQ(binary.outcome, Outcome::build_failed);
  EXPECT_THAT(binary.compiler_output, Not(HasSubstr("root:")));
}

TEST_F(Compile, AnEndlessFileStopsAtALimit) {
  limits.memory_bytes = 128 << 20;
  limits.wall = std::chrono::seconds(5);
  const BuildReport report = build("#include \"/dev/zero\"\n");
  EXPECT_EQ(report.outcome, Outcome::build_failed);
  EXPECT_THAT(report::sentence_of(report.reason) + report.compiler_output,
              testing::AnyOf(HasSubstr("limit"), HasSubstr("out of memory")));
}

TEST_F(Compile, ASourceThatIncludesItself) {
  const BuildReport report = build("#include \"cpu-new-forward.cc\"\n");
  EXPECT_EQ(report.outcome, Outcome::build_failed);
  EXPECT_THAT(report.compiler_output, HasSubstr("nested"));
}

TEST_F(Compile, ACompilerThatWorksForEverIsStopped) {
  limits.wall = std::chrono::seconds(4);  // the grader's own source must build within it
  const BuildReport report = build(
      "constexpr long spin() { long n = 0; for (long i = 0; i < 1L << 60; ++i) n += i; return n; "
      "}\n"
      "constexpr long result = spin();\n");
  // Without a limit on constant evaluation this would run for years; with it g++ gives up itself.
  EXPECT_EQ(report.outcome, Outcome::build_failed);
  flags = {"-O1", "-fconstexpr-ops-limit=9223372036854775807", "-fconstexpr-loop-limit=2147483647"};
  const BuildReport endless = build(
      "constexpr long spin() { long n = 0; for (long i = 0; i < 1L << 30; ++i) n += i; return n; "
      "}\n"
      "constexpr long result = spin();\n");
  EXPECT_EQ(endless.outcome, Outcome::build_failed);
  EXPECT_EQ(report::sentence_of(endless.reason),
            "the compiler was stopped at its limit: wall time 4 s");
}

TEST_F(Compile, EndlessMessagesAreCutAndStopped) {
  limits.output_bytes = 100'000;
  flags = {"-fmax-errors=0"};
  std::string source;
  for (int i = 0; i < 3000; ++i) source += "int a" + std::to_string(i) + " = undeclared_name;\n";
  const BuildReport report = build(source);
  EXPECT_EQ(report.outcome, Outcome::build_failed);
  EXPECT_EQ(report::sentence_of(report.reason),
            "the compiler was stopped at its limit: output 97.7 KiB");
  EXPECT_LE(report.compiler_output.size(), 80'000U);
  EXPECT_THAT(report.compiler_output, HasSubstr("cpu-new-forward.cc:1:"));
}

TEST_F(Compile, HostileMessagesAreMadePrintable) {
  const BuildReport report = build("#error \x1b[2J\xff gone\n");
  EXPECT_THAT(report.compiler_output, AllOf(Not(HasSubstr("\x1b")), HasSubstr("gone")));
}

TEST_F(Compile, ASecondFileCannotOverwriteTheAdapter) {
  // Names come from a folder's listing and have no path; what is like one is only a name.
  const BuildReport report = build(kGood, {{"cpu.cpp", "#error not mine\n"}});
  EXPECT_EQ(report.outcome, Outcome::passed) << report.compiler_output;
}

TEST_F(Compile, WithoutACompilerTheGraderIsAtFault) {
  const TakenFiles files{".", {{"cpu-new-forward.cc", kGood}}};
  const TempDir empty("opgrade-test-");
  EXPECT_THROW(compile({find_interface("minidnn-3"),
                        Device::cpu,
                        {"cpu-new-forward.cc"},
                        flags,
                        {},
                        files,
                        limits},
                       Toolchain{}, *sandbox, empty.path()),
               Error);
}

TEST_F(Compile, PathsAndSourcesBesideForBothKindsOfDevice) {
  constexpr const char* kRest =
      "void GPUInterface::conv_forward_gpu_prolog(const float*, const float*, const float*, "
      "float**, "
      "float**, float**, const int, const int, const int, const int, const int, const int) {}\n"
      "void GPUInterface::conv_forward_gpu(float* y, const float*, const float*, const int, const "
      "int, "
      "const int, const int, const int, const int) { launch_tiles(y, kTile); }\n"
      "void GPUInterface::conv_forward_gpu_epilog(float*, float*, float*, float*, const int, const "
      "int, const int, const int, const int, const int) {}\n";
  const TakenFiles files{
      ".",
      {{"new-forward.cu", std::string("#include \"../../src/layer/custom/gpu-new-forward.h\"\n"
                                      "#include \"../m3/tile.cuh\"\n"
                                      "void launch_tiles(float* y, int count);\n") +
                              kRest},
       {"lib/tile.cuh", "#pragma once\nconst int kTile = 16;\n"},
       {"lib/tiles.cu",
        "#include \"tile.cuh\"\n"
        "__global__ void tiles(float* y) { y[threadIdx.x] = kTile; }\n"
        "void launch_tiles(float* y, int count) { tiles<<<1, count>>>(y); }\n"}}};
  limits = Config{}.build_limits;
  int tried = 0;
  for (const Device device : {Device::cuda, Device::emulated}) {
    if (device == Device::cuda ? !tools.cuda_root.has_value() : !tools.emulator.has_value())
      continue;
    ++tried;
    const TempDir place("opgrade-test-");
    const CompileJob job{
        find_interface("minidnn-3"), device, {"new-forward.cu"}, {"-O1"}, {}, files, limits};
    const BuildReport report = compile(job, tools, *sandbox, place.path()).report;
    EXPECT_EQ(report.outcome, Outcome::passed)
        << report.compiler_output << report::hint_of(report.reason);
    EXPECT_EQ(report::sentence_of(report.reason), "built with further sources: lib/tiles.cu");
  }
  OPGRADE_SKIP_UNLESS("emulation", tried > 0, "neither a CUDA toolkit nor the emulated device");
}

}  // namespace
}  // namespace opgrade
