// Findings of the emulated device as a submission's process may send them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "grader/grading/run/received_reply.hpp"

namespace opgrade {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

class FindingsChannel : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    ours = Fd(ends[0]);
    theirs = Fd(ends[1]);
  }
  void send(const std::string& packet) {
    ASSERT_EQ(::send(theirs.get(), packet.data(), packet.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(packet.size()));
  }
  Fd ours, theirs;
};

std::string finding(const char* kind, int line) {
  return std::string("{\"kind\":\"") + kind +
         "\",\"file\":\"a.cu\",\"line\":" + std::to_string(line) + ",\"message\":\"m\"}";
}

TEST_F(FindingsChannel, WhatWasSentStaysWhenTheOtherEndIsClosed) {
  send(finding("data_race", 1));
  theirs.reset();
  const auto told = receive_findings(ours);
  EXPECT_FALSE(told.complete);
  EXPECT_THAT(parse_findings(told.packets), ElementsAre(Field(&Finding::line, 1)));
}

TEST_F(FindingsChannel, NothingSentLaterHidesWhatDecides) {
  send(finding("data_race", 1));
  for (const char* packet : {"", "[]", "{\"complete\":true}", "{}", "null", "{\"kind\":"})
    send(packet);
  for (int line = 0; line < 100; ++line) send(finding("leak", line));
  send(finding("data_race", 2));
  const auto told = receive_findings(ours);
  EXPECT_TRUE(told.complete);
  const auto findings = parse_findings(told.packets);
  ASSERT_EQ(findings.size(), 50U);
  EXPECT_EQ(findings[0].kind, "data_race");
  EXPECT_EQ(findings[1].kind, "data_race");
}

// A bad index often makes threads meet in one place: the race is its symptom.
TEST(Findings, TheCauseComesBeforeItsSymptom) {
  EXPECT_THAT(
      parse_findings({finding("leak", 1), finding("uninitialized_copy", 2),
                      finding("launch_refused", 3), finding("data_race", 4),
                      finding("out_of_bounds", 5), finding("misaligned", 6)}),
      ElementsAre(Field(&Finding::line, 6), Field(&Finding::line, 5), Field(&Finding::line, 4),
                  Field(&Finding::line, 3), Field(&Finding::line, 2), Field(&Finding::line, 1)));
}

TEST_F(FindingsChannel, TheLastWordOnALineCounts) {
  EXPECT_THAT(parse_findings({finding("data_race", 1),
                              R"({"kind":"data_race","file":"a.cu","line":1,"message":"lower"})"}),
              ElementsAre(Field(&Finding::message, "lower")));
}

TEST_F(FindingsChannel, AnEmptyOneIsNotComplete) {
  const auto told = receive_findings(ours);
  EXPECT_FALSE(told.complete);
  EXPECT_THAT(told.packets, IsEmpty());
}

}  // namespace
}  // namespace opgrade
