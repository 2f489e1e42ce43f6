// Documents are rendered beside the requests, once, and again after a fault of the machine.
#include "grader/service/state/document_renderer.hpp"

#include <gmock/gmock.h>

#include <atomic>

#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using documents::RenderEnd;
using testing::HasSubstr;

class DocumentRendererTest : public testing::Test {
 protected:
  DocumentRendererTest() {
    document.sha256 = std::string(64, 'a');
    document.file = "report.md";
    course::test::write_text(place.path() / document.file, "# A\n");
  }
  DocumentRenderer::View after_work(DocumentRenderer& renderer) {
    EXPECT_TRUE(test::comes([&] { return !renderer.look(document).is_coming; }));
    return renderer.look(document);
  }
  DocumentRenderer::Clock clock() {
    return [this] { return std::chrono::steady_clock::time_point(now.load()); };
  }

  const TempDir place{"opgrade-test-"};
  course::Submission document;
  std::atomic<std::chrono::steady_clock::duration> now{std::chrono::hours(1)};
  std::atomic<int> runs{0};
};

TEST_F(DocumentRendererTest, AFaultOfTheMachineIsTriedAgainAfterAWhile) {
  DocumentRenderer renderer(
      place.path(),
      [&](const documents::Document& read) -> documents::RenderedDocument {
        if (runs++ == 0) throw Error("the disk is full");
        return {{}, "<document>" + read.bytes, {}};
      },
      clock());
  EXPECT_TRUE(renderer.look(document).is_coming) << "the first look orders it";
  const auto failed = after_work(renderer);
  EXPECT_FALSE(failed.shown);
  EXPECT_THAT(failed.trouble, HasSubstr("tries again"));
  now = now.load() + DocumentRenderer::kTryAgain - std::chrono::milliseconds(1);
  EXPECT_FALSE(renderer.look(document).is_coming);
  now = now.load() + std::chrono::milliseconds(1);
  EXPECT_TRUE(renderer.look(document).is_coming);
  EXPECT_EQ(after_work(renderer).shown.value().markdown, "<document># A\n");
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(after_work(renderer).trouble, "");
  EXPECT_EQ(runs, 2) << "no document is rendered twice";
}

TEST_F(DocumentRendererTest, WhatTheDocumentItselfLacksIsNotTriedAgain) {
  DocumentRenderer renderer(
      place.path(),
      [&](const documents::Document&) -> documents::RenderedDocument {
        ++runs;
        return {{}, "", {RenderEnd::Kind::not_installed}};
      },
      clock());
  EXPECT_THAT(after_work(renderer).trouble, HasSubstr("cmark-gfm"));
  now = now.load() + 10 * DocumentRenderer::kTryAgain;
  EXPECT_FALSE(renderer.look(document).is_coming);
  EXPECT_EQ(runs, 1);
}

TEST_F(DocumentRendererTest, ServersWithoutRenderersSayThatTheFileIsADownload) {
  DocumentRenderer renderer(place.path(), {});
  EXPECT_THAT(renderer.look(document).trouble, HasSubstr("download"));
  EXPECT_FALSE(renderer.look(document).is_coming);
}

}  // namespace
}  // namespace opgrade::service
