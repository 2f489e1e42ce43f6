#include "grader/base/arguments/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "grader/base/core/error.hpp"

namespace opgrade::arguments {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A program with one verb, and what its line sets.
struct Program {
  Parser parser{"About the program", "program"};
  bool flag = false;
  int number = 1;
  std::optional<int> maybe;
  std::optional<std::uint64_t> seed;
  std::string word = "auto";
  std::filesystem::path path;
  std::vector<int> numbers;
  std::vector<std::string> words;
  std::vector<std::filesystem::path> paths;
  std::vector<std::string> forwarded;
  bool ran = false;

  Program() {
    auto* verb = parser.add_subcommand("verb", "About the verb");
    verb->add_flag("--flag", flag, "");
    verb->add_option("--number", number, "")->check(positive());
    verb->add_option("--maybe", maybe, "")->check(range(2, 4));
    verb->add_option("--seed", seed, "");
    auto* word_option = verb->add_option("--word", word, "About the word")
                            ->check(one_of({"auto", "cuda"}))
                            ->capture_default_str();
    verb->add_option("--path", path, "")->check(existing_path());
    verb->add_option("--file", path, "")->check(existing_file());
    verb->add_option("--folder", path, "")->check(existing_folder());
    verb->add_option("--numbers", numbers, "")->delimiter(',');
    verb->add_option("--words", words, "")->needs(word_option);
    verb->add_option("paths", paths, "")->required();
    verb->add_flag("--removed", flag, "");
    verb->remove_option("--removed");
    verb->callback([this] { ran = true; });
    parser.add_subcommand("other", "Another program")
        ->forward([this](const std::vector<std::string>& rest) { forwarded = rest; });
    parser.set_version_flag("--version", [] { return std::string("program 1"); });
  }

  bool parse(std::vector<const char*> line) {
    line.insert(line.begin(), "program");
    return parser.parse(static_cast<int>(line.size()), line.data());
  }

  /// The message and the hint of a wrong line.
  std::string complaint(std::vector<const char*> line) {
    try {
      parse(std::move(line));
    } catch (const UsageError& e) {
      return std::string(e.what()) + " -> " + e.hint;
    }
    return "no complaint";
  }
};

TEST(Arguments, EachKindOfValueIsSet) {
  Program program;
  EXPECT_TRUE(program.parse({"verb", "a", "b", "--flag", "--number", "7", "--maybe", "3", "--seed",
                             "18446744073709551615", "--word", "cuda", "--folder", "/", "--numbers",
                             "1,2", "--words", "x", "y"}));
  EXPECT_TRUE(program.ran);
  EXPECT_TRUE(program.flag);
  EXPECT_EQ(program.number, 7);
  EXPECT_EQ(program.maybe, 3);
  EXPECT_EQ(program.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(program.word, "cuda");
  EXPECT_EQ(program.path, "/");
  EXPECT_THAT(program.numbers, ElementsAre(1, 2));
  EXPECT_THAT(program.words, ElementsAre("x", "y"));
  EXPECT_THAT(program.paths, ElementsAre("a", "b"));
}

TEST(Arguments, WhatIsNotNamedStays) {
  Program program;
  EXPECT_TRUE(program.parse({"verb", "a"}));
  EXPECT_FALSE(program.flag);
  EXPECT_EQ(program.number, 1);
  EXPECT_FALSE(program.maybe);
  EXPECT_FALSE(program.seed);
  EXPECT_EQ(program.word, "auto");
}

TEST(Arguments, AWrongLineNamesTheHelpOfItsVerb) {
  EXPECT_EQ(Program().complaint({"verb"}),
            "paths is required -> program verb --help says what it takes");
  EXPECT_THAT(Program().complaint({}), HasSubstr(" -> program --help says what it takes"));
  EXPECT_EQ(Program().complaint({"frobnicate"}),
            "there is no verb 'frobnicate' -> the verbs are verb, other; program --help says what "
            "they do");
  EXPECT_EQ(Program().complaint({"verv"}),
            "there is no verb 'verv'; did you mean 'verb'? -> the verbs are verb, other; program "
            "--help says what they do");
}

TEST(Arguments, AWrongLineNamesTheWordThatIsWrong) {
  EXPECT_EQ(Program().complaint({"verb", "a", "--wrod", "cuda"}),
            "there is no option '--wrod'; did you mean '--word'? -> program verb --help says what "
            "it takes");
  EXPECT_EQ(Program().complaint({"verb", "a", "--frobnicate=7"}),
            "there is no option '--frobnicate' -> program verb --help says what it takes");
}

TEST(Arguments, AVerbOfAVerbHasItsOwnHelp) {
  Program program;
  auto* course = program.parser.add_subcommand("course", "");
  std::string folder;
  course->add_subcommand("add", "")->add_option("folder", folder, "")->required();
  course->add_subcommand("why", "");
  EXPECT_EQ(program.complaint({"course", "add"}),
            "folder is required -> program course add --help says what it takes");
  EXPECT_EQ(program.complaint({"course", "ad"}),
            "there is no verb 'ad' of course; did you mean 'add'? -> the verbs are add, why; "
            "program course --help says what they do");
}

TEST(Arguments, AWrongValueIsAWrongLine) {
  for (const auto& wrong : std::vector<std::vector<const char*>>{{"--number", "0"},
                                                                 {"--number", "x"},
                                                                 {"--maybe", "5"},
                                                                 {"--seed", "x"},
                                                                 {"--word", "tpu"},
                                                                 {"--path", "/none"},
                                                                 {"--file", "/"},
                                                                 {"--folder", "/etc/passwd"},
                                                                 {"--numbers", "1,x"},
                                                                 {"--words", "without --word"},
                                                                 {"--removed"},
                                                                 {"--unknown"}}) {
    std::vector<const char*> line{"verb", "a"};
    line.insert(line.end(), wrong.begin(), wrong.end());
    EXPECT_THAT(Program().complaint(line), HasSubstr(" -> program verb --help")) << wrong[0];
  }
}

TEST(Arguments, HelpAndVersionArePrintedAndNothingRuns) {
  Program program;
  testing::internal::CaptureStdout();
  EXPECT_FALSE(program.parse({"verb", "--help"}));
  const std::string help = testing::internal::GetCapturedStdout();
  EXPECT_THAT(help, HasSubstr("About the verb"));
  EXPECT_THAT(help, HasSubstr("TEXT:{auto,cuda}=auto"));
  EXPECT_FALSE(program.ran);
  testing::internal::CaptureStdout();
  EXPECT_FALSE(program.parse({"--version"}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "program 1\n");
}

/// The words that are offered for the last one.
std::vector<std::string> offered(std::vector<std::string> line) {
  Program program;
  program.parser.add_subcommand("hidden", "")->hide();
  auto* nested = program.parser.add_subcommand("course", "");
  nested->add_subcommand("add", "")->add_flag("--late", program.flag, "");
  nested->add_subcommand("why", "");
  std::vector<std::string> words;
  for (auto& candidate : program.parser.complete(std::move(line)))
    words.push_back(std::move(candidate.word));
  return words;
}

TEST(Arguments, AShellIsOfferedVerbsOptionsAndKnownValues) {
  EXPECT_THAT(offered({""}), ElementsAre("verb", "other", "course"));
  EXPECT_THAT(offered({"course", ""}), ElementsAre("add", "why"));
  EXPECT_THAT(offered({"course", "add", "--l"}), ElementsAre("--late"));
  EXPECT_THAT(offered({"ve"}), ElementsAre("verb"));
  EXPECT_THAT(offered({"--ve"}), ElementsAre("--version"));
  EXPECT_THAT(offered({"verb", "--n"}), ElementsAre("--number", "--numbers"));
  EXPECT_THAT(offered({"verb", "--rem"}), ElementsAre()) << "it was removed";
  EXPECT_THAT(offered({"verb", "x", "--word", ""}), ElementsAre("auto", "cuda"));
  EXPECT_THAT(offered({"verb", "--word=c"}), ElementsAre("--word=cuda"));
  EXPECT_THAT(offered({"verb", "--word", "=", "c"}), ElementsAre("cuda")) << "as bash splits it";
  EXPECT_THAT(offered({"verb", "--word", "="}), ElementsAre("auto", "cuda"));
}

TEST(Arguments, AShellCompletesFilesWhereNothingIsOffered) {
  for (const auto& line : std::vector<std::vector<std::string>>{{},
                                                                {"verb", ""},
                                                                {"verb", "--path", ""},
                                                                {"none", ""},
                                                                {"other", "-"},
                                                                {"verb", "--none=x"}})
    EXPECT_THAT(offered(line), ElementsAre()) << testing::PrintToString(line);
}

TEST(Arguments, AHiddenVerbIsNotNamed) {
  Program program;
  program.parser.add_subcommand("hidden", "")->hide();
  try {
    program.parse({"verv"});
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_EQ(e.hint, "the verbs are verb, other; program --help says what they do");
  }
}

TEST(Arguments, AForwardedVerbGetsTheRestAsItIs) {
  Program program;
  EXPECT_TRUE(program.parse({"other", "--help", "verb", "-x"}));
  EXPECT_THAT(program.forwarded, ElementsAre("--help", "verb", "-x"));
}

TEST(RunProgram, ReturnsTheCodeOfItsFailure) {
  const auto code = [](std::vector<const char*> line, const std::function<int()>& run) {
    Parser parser("About the program", "program");
    line.insert(line.begin(), "program");
    return run_program(parser, static_cast<int>(line.size()), line.data(), run);
  };
  EXPECT_EQ(code({}, [] { return 7; }), 7);
  EXPECT_EQ(code({"--help"}, [] { return 7; }), 0);
  EXPECT_EQ(code({"--unknown"}, [] { return 7; }), 2);
  EXPECT_EQ(code({}, []() -> int { throw UsageError("no such network"); }), 2);
  testing::internal::CaptureStderr();
  EXPECT_EQ(code({}, []() -> int { throw Error("no device", "look for one"); }), 3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "program: no device\n         -> look for one\n");
}

}  // namespace
}  // namespace opgrade::arguments
