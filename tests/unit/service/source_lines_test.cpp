// Lines of a submission: their permanent links, comments at them, and what changed in them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "grader/service/state/messages.hpp"
#include "grader/task/config/student_files.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SourceLines : public testing::Test {
 protected:
  test::SampleService s;
  int keys = 0;

  std::int64_t hand_in(const std::string& login, const std::string& text,
                       const std::string& assignment = "m1") {
    return nlohmann::json::parse(
               s.submit(login, assignment, fmt::format("key{:05}", ++keys), text).body)
        .at("id");
  }
  std::int64_t send(const std::map<std::string, std::string>& files) {
    return nlohmann::json::parse(s.post("ada", "/api/submissions?assignment=m1",
                                        course::pack(files),
                                        {{"idempotency-key", fmt::format("key{:05}", ++keys)}})
                                     .body)
        .at("id");
  }
  Response comment(const std::string& login, std::int64_t id, const std::string& file,
                   const std::string& line, const std::string& text = "why+this%3F") {
    return s.post(login, fmt::format("/submissions/{}/messages", id),
                  fmt::format("text={}&file={}&line={}", text, file, line),
                  {{"content-type", "application/x-www-form-urlencoded"}});
  }
  std::string source(const std::string& login, std::int64_t id, const std::string& query = "") {
    return s.browse(login, fmt::format("/submissions/{}/source{}", id, query)).body;
  }
};

TEST_F(SourceLines, EachHasALinkThatStays) {
  const auto id = hand_in("ada", "int a;\nint b;\n");
  EXPECT_THAT(source("ada", id),
              AllOf(HasSubstr("<li id=\"cpu-new-forward.cc:2\"><a href=\"#cpu-new-forward.cc:2\" "
                              "aria-label=\"Line 2 of cpu-new-forward.cc\">2</a><code>int b;"),
                    Not(HasSubstr("cpu-new-forward.cc:3"))));
}

TEST_F(SourceLines, ACommentStandsAtItsLineAndInTheListOfComments) {
  const auto id = hand_in("ada", "int a;\nint b;\n");
  const Response sent = comment("sam", id, "cpu-new-forward.cc", "2");
  EXPECT_EQ(sent.status, 303);
  EXPECT_THAT(sent.headers,
              testing::Contains(testing::Pair(
                  "Location", fmt::format("/submissions/{}/source#cpu-new-forward.cc:2", id))));
  for (const char* reader : {"ada", "sam"}) {
    const std::string shown = source(reader, id);
    const auto line = shown.find("<code>int b;"), said = shown.find("why this?");
    EXPECT_LT(line, said) << reader;
    EXPECT_EQ(shown.find("<li", line), shown.npos) << "nothing stands between them";
    EXPECT_THAT(
        s.browse(reader, fmt::format("/submissions/{}", id)).body,
        AllOf(HasSubstr(fmt::format("<a href=\"/submissions/{}/source#cpu-new-forward.cc:2\">"
                                    "cpu-new-forward.cc:2",
                                    id)),
              HasSubstr("why this?")))
        << reader;
  }
  EXPECT_THAT(source("ada", id), Not(HasSubstr("sam,"))) << "a student reads no name of staff";
  EXPECT_EQ(comment("ada", id, "cpu-new-forward.cc", "1", "is+it+%3Cb%3E%3F").status, 303);
  EXPECT_THAT(source("sam", id), HasSubstr("is it &lt;b&gt;?"));
}

TEST_F(SourceLines, EveryCommentIsShownAtItsLineWhereverThatIs) {
  constexpr int kLines = 6000;
  std::string text;
  for (int i = 1; i <= kLines; ++i) text += fmt::format("int x{};\n", i);
  for (const bool ends_with_newline : {true, false}) {
    const auto id = hand_in("ada", ends_with_newline ? text : text + "int last;");
    std::map<int, std::string> said;  // by line
    for (const int line : {1, 2, 4999, 5000, 5001, 5999, kLines, kLines + 1}) {
      said[line] = fmt::format("comment-{}-at-{}", id, line);
      const std::string number = std::to_string(line);
      EXPECT_EQ(comment("sam", id, "cpu-new-forward.cc", number, said[line]).status, 303) << line;
    }
    for (const char* reader : {"sam", "ada"}) {
      const std::string shown = source(reader, id);
      for (const auto& [line, words] : said) {
        const std::string begin = fmt::format("<li id=\"cpu-new-forward.cc:{}\">", line);
        const auto item = shown.find(begin);
        ASSERT_NE(item, shown.npos) << line;
        EXPECT_EQ(shown.find(begin, item + 1), shown.npos) << "an id stands once";
        const std::string at_line = shown.substr(item, shown.find("</li>", item) - item);
        EXPECT_THAT(at_line, HasSubstr(words));
        const std::string code = line <= kLines ? fmt::format("int x{};", line) : "";
        EXPECT_THAT(at_line, HasSubstr(code));
      }
      EXPECT_EQ(shown.find("int x5500;"), shown.npos) << "a line without a note, behind the room";
      EXPECT_THAT(shown, HasSubstr("lines with notes are shown"));
    }
  }
}

TEST_F(SourceLines, ACommentAtAFileThatNoStageTakesAnyMoreIsShown) {
  const auto id = hand_in("ada", "int a;\n");
  for (const auto& [file, line] : {std::pair{"old.h", 3}, {"old.h", 1}, {"lib/older.h", 9}})
    add_message(s.service,
                {id, s.now, "sam", true, fmt::format("said at {} {}", file, line), file, line},
                "192.0.2.1");
  for (const char* reader : {"sam", "ada"}) {
    const std::string shown = source(reader, id);
    EXPECT_THAT(shown, AllOf(HasSubstr("No stage takes this file now"), HasSubstr("<h2>old.h"),
                             HasSubstr("<h2>lib/older.h"), HasSubstr("<li id=\"old.h:3\">"),
                             HasSubstr("said at lib/older.h 9")));
    EXPECT_LT(shown.find("said at old.h 1"), shown.find("said at old.h 3"));
  }
  EXPECT_THAT(source("ada", hand_in("ada", "int b;\n")), Not(HasSubstr("No stage takes")));
}

TEST_F(SourceLines, NoCommentStandsAtALineThatIsNotThere) {
  const auto id = hand_in("ada", "int a;\nint b;\n");
  for (const auto& [file, line] : {std::pair{"cpu-new-forward.cc", "0"},
                                   {"cpu-new-forward.cc", "-1"},
                                   {"cpu-new-forward.cc", "99"},
                                   {"cpu-new-forward.cc", "x"},
                                   {"cpu-new-forward.cc", ""},
                                   {"../course.yaml", "1"},
                                   {"other.cc", "1"}})
    EXPECT_EQ(comment("sam", id, file, line).status, 400) << file << ":" << line;
  EXPECT_EQ(comment("eve", id, "cpu-new-forward.cc", "1").status, 404);
  EXPECT_EQ(comment("sam", id, "", "").status, 303) << "of the whole submission, as before";
  EXPECT_THAT(source("ada", id), Not(HasSubstr("why this?")));
}

TEST_F(SourceLines, AreComparedWithAnyHandInOfTheStudent) {
  const auto first = hand_in("ada", "int a;\nint b;\n");
  const auto second = hand_in("ada", "int a;\nint c;\n");
  const auto third = hand_in("ada", "int a;\nint d;\n");
  const auto others = hand_in("eve", "int a;\nint secret;\n");
  const auto of_m2 = hand_in("ada", "int other;\n", "m2");
  const auto with = [&](std::int64_t id, const std::string& other) {
    return source("ada", id, "?with=" + other);
  };
  EXPECT_THAT(with(third, "previous"), AllOf(HasSubstr("- int c;"), HasSubstr("+ int d;")));
  EXPECT_THAT(with(third, std::to_string(first)),
              AllOf(HasSubstr("- int b;"), HasSubstr("+ int d;"),
                    HasSubstr(fmt::format("Submissions {} and {}", first, third))));
  EXPECT_THAT(with(first, std::to_string(second)),
              AllOf(HasSubstr("- int c;"), HasSubstr("+ int b;")));
  for (const std::int64_t other : {others, of_m2, third, std::int64_t{999}})
    EXPECT_EQ(s.get("ada", fmt::format("/submissions/{}/source?with={}", third, other)).status, 404)
        << other;
  EXPECT_EQ(s.get("ada", fmt::format("/submissions/{}/source?with=previous", first)).status, 404);
  EXPECT_THAT(source("sam", third),
              AllOf(HasSubstr(fmt::format("What changed since submission {}", second)),
                    HasSubstr(fmt::format("?with={}", first))));
}

TEST_F(SourceLines, AFileThatWasRemovedIsAChange) {
  send({{"cpu-new-forward.cc", "int a;\n"}, {"more.h", "int gone;\n"}});
  const auto id = send({{"cpu-new-forward.cc", "int a;\n"}});
  EXPECT_THAT(source("ada", id, "?with=previous"),
              AllOf(HasSubstr("<h2>more.h"), HasSubstr("<del>- int gone;")));
}

TEST_F(SourceLines, AFolderOfAnotherNameIsNoChange) {
  using Files = std::map<std::string, std::string>;
  const std::string source_file = "cpu-new-forward.cc";
  const auto changes = [&](const Files& before, const Files& after) {
    send(before);
    return source("ada", send(after), "?with=previous");
  };
  const auto one_line = AllOf(HasSubstr("<del>- int b;"), HasSubstr("<ins>+ int c;"),
                              Not(HasSubstr("- int a;")), Not(HasSubstr("+ int a;")));
  EXPECT_THAT(changes({{source_file, "int a;\nint b;\n"}},
                      {{"my project/src/" + source_file, "int a;\nint c;\n"}}),
              one_line);
  EXPECT_THAT(changes({{"ada-m1/" + source_file, "int a;\nint b;\n"}},
                      {{"ada-m1-final/" + source_file, "int a;\nint c;\n"}}),
              one_line);
  EXPECT_THAT(changes({{"one/" + source_file, "int x;\n"},
                       {"one/left/tile.h", "int a;\nint b;\n"},
                       {"one/right/tile.h", "int r;\n"}},
                      {{"two/" + source_file, "int x;\n"},
                       {"two/left/tile.h", "int a;\nint c;\n"},
                       {"two/right/tile.h", "int r;\n"}}),
              AllOf(one_line, Not(HasSubstr("int r;"))))
      << "each is compared with the one of its own folder";
  // Which of the two became the one is not known, so nothing is paired.
  EXPECT_THAT(
      changes({{source_file, "int x;\n"}, {"p/tile.h", "int p;\n"}, {"q/tile.h", "int q;\n"}},
              {{source_file, "int x;\n"}, {"tile.h", "int p;\n"}}),
      AllOf(HasSubstr("<del>- int p;"), HasSubstr("<del>- int q;"), HasSubstr("<ins>+ int p;")));
}

TEST_F(SourceLines, AreComparedWithTheFilesToStartFrom) {
  s.config_of = [](const course::Assignment&) {
    return load_config(OPGRADE_SOURCE_DIR "/labs/softmax").config;
  };
  s.now += std::chrono::seconds(10);
  const auto config = s.service.files.config_of(s.folder.course.assignments[0]);
  const auto given = starting_files(*config);
  std::map<std::string, std::string> files;
  for (const char* folder : {"", "my lab/"}) {
    files.clear();
    for (const std::string& name : own_sources_of(*config))
      files[folder + name] = given.at(name) + "// the end\n";
    const std::int64_t id = send(files);
    EXPECT_THAT(source("ada", id), HasSubstr("?with=template")) << folder;
    EXPECT_THAT(source("ada", id, "?with=template"),
                AllOf(HasSubstr("<ins>+ // the end"), Not(HasSubstr("<del>"))))
        << folder;
  }
}

}  // namespace
}  // namespace opgrade::service
