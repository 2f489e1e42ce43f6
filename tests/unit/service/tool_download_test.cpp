// Files that are sent from the disk and written to it, piece by piece: those that tools wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "grader/base/files/text_file.hpp"
#include "grader/client/session.hpp"
#include "grader/grading/profile/device_tool.hpp"
#include "tests/unit/service/listening.hpp"

namespace opgrade::service {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

class ToolDownload : public testing::Test {
 protected:
  ToolDownload() {
    handler.before_body = [](Request&) { return std::size_t{0}; };
    handler.answer = [this](const Request&) {
      ++answers;
      return Response{.type = "application/octet-stream", .body = "not this", .file = sent};
    };
  }
  /// A file of this size that takes no room.
  void make_file(std::uintmax_t bytes) const {
    std::ofstream(sent) << "NVR";
    fs::resize_file(sent, bytes);
  }
  void download(const test::Listening& server, std::uint64_t most) const {
    client::Session session(
        server.url(), "token", [](const std::string&) {}, 0s);
    session.download("/x", got, most);
  }

  TempDir place{"opgrade-test-"};
  const fs::path sent = place.path() / "sent", got = place.path() / "got";
  Handler handler;
  std::atomic<int> answers = 0;
};

TEST_F(ToolDownload, ALargerFileThanAnAnswerInMemoryComesWhole) {
  const test::Listening server(handler, {});
  const std::uintmax_t large = client::kLargestAnswer + (1 << 20) + 7;
  make_file(large);
  download(server, kLargestToolFile);
  EXPECT_EQ(fs::file_size(got), large);
  char head[3] = {};
  std::ifstream(got).read(head, 3);
  EXPECT_EQ(std::string(head, 3), "NVR");
}

TEST_F(ToolDownload, AnEmptyFileAndASmallOneComeToo) {
  const test::Listening server(handler, {});
  for (const std::uintmax_t bytes : {0, 3, 70'000}) {
    make_file(bytes);
    download(server, kLargestToolFile);
    EXPECT_EQ(fs::file_size(got), bytes);
  }
}

TEST_F(ToolDownload, ALargerOneThanIsTakenIsAnErrorAndNotAskedForAgain) {
  const test::Listening server(handler, {});
  make_file((1 << 20) + 1);
  try {
    download(server, 1 << 20);
    ADD_FAILURE() << "taken";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("more than 1 MiB"));
    EXPECT_EQ(dynamic_cast<const client::ConnectionLost*>(&e), nullptr);
  }
  EXPECT_EQ(answers, 1);
}

TEST_F(ToolDownload, AFileThatIsGoneByThenIsNotFound) {
  const test::Listening server(handler, {});
  const std::string answer = server.talk("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 404"));
}

TEST_F(ToolDownload, TheHeadAloneHasTheSize) {
  const test::Listening server(handler, {});
  make_file(5000);
  const std::string answer =
      server.talk("HEAD /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Content-Length: 5000"));
  EXPECT_THAT(answer, testing::EndsWith("\r\n\r\n"));
}

}  // namespace
}  // namespace opgrade::service
