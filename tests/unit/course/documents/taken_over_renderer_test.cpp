// What is promised of a renderer that a document has taken over, in every tier of the sandbox.
#include <gmock/gmock.h>

#include <cstdlib>

#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/documents/render.hpp"
#include "tests/unit/course/documents/listener.hpp"
#include "tests/unit/course/documents/made_files.hpp"
#include "tests/unit/platform/sandbox/sandbox_fixture.hpp"

namespace opgrade::documents {
namespace {

using namespace test;
using testing::HasSubstr;

class TakenOverRenderer : public SandboxTest {
 protected:
  RenderedDocument rendered(const std::string& act) const {
    return render({DocumentKind::pdf, "%PDF-1.7 " + act}, bounds, {.pdftoppm = OPGRADE_TAKEN_OVER},
                  *sandbox);
  }

  DocumentBounds bounds;
};

TEST_P(TakenOverRenderer, ReachesNoNetworkAndNoFileButItsDocument) {
  const TempDir folder("opgrade-test-");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const auto secret = folder.path() / "report-of-another.pdf";
  write_whole(secret, "secret");
  const Listener listener;
  ::setenv("OPGRADE_TEST_SECRET", "secret", 1);
  const RenderedDocument document =
      rendered("reach " + std::to_string(listener.port()) + " " + secret.string());
  ASSERT_EQ(document.pages.size(), 1u);
  EXPECT_THAT(document.pages[0], HasSubstr("found: end"));
  EXPECT_FALSE(listener.was_called());
}

TEST_P(TakenOverRenderer, IsStoppedAtEachBound) {
  bounds.wall = std::chrono::seconds(1);
  const RenderedDocument spinning = rendered("spin");
  EXPECT_EQ(spinning.end.kind, RenderEnd::Kind::limit_reached);
  EXPECT_TRUE(spinning.pages.empty());
  bounds = {};
  bounds.output_bytes = 1 << 20;
  const RenderedDocument flooding = rendered("flood");
  EXPECT_LE(flooding.pages.size(), static_cast<std::size_t>(bounds.pages));
  bounds = {};
  bounds.memory_bytes = 64 << 20;
  const RenderedDocument growing = rendered("grow");
  EXPECT_NE(growing.end.kind, RenderEnd::Kind::whole);
}

TEST_P(TakenOverRenderer, GivesABrowserNoPictureBeyondTheBounds) {
  const RenderedDocument document = rendered("bomb");
  EXPECT_EQ(document.pages.size(), 1u);
}

TEST_P(TakenOverRenderer, IsNotBlamedOnTheMachineIfItWorksWithoutTheDocument) {
  EXPECT_EQ(rendered("fail").end.kind, RenderEnd::Kind::unreadable);
}

TEST_P(TakenOverRenderer, HonestDocumentsAreShownInThisTier) {
  const Renderers all = Renderers::find();
  OPGRADE_SKIP_UNLESS("sandbox", missing_packages(all).empty(),
                      "tools/install-packages.sh installs the renderers");
  const std::pair<DocumentKind, std::string> documents[] = {
      {DocumentKind::pdf, one_page()},
      {DocumentKind::markdown, "# Report\n"},
      {DocumentKind::png, plain_png(16, 8, 2, "abc")},
      {DocumentKind::jpeg, two_squares_jpeg(6)}};
  for (const auto& [kind, bytes] : documents) {
    const RenderedDocument document = render({kind, bytes}, bounds, all, *sandbox);
    EXPECT_EQ(document.end, RenderEnd{}) << name_of(kind);
    EXPECT_EQ(document.pages.size(), kind == DocumentKind::markdown ? 0u : 1u);
    EXPECT_EQ(document.markdown.empty(), kind != DocumentKind::markdown);
  }
}

OPGRADE_IN_EVERY_TIER(TakenOverRenderer);

TEST(Renderers, ThatAMachineLacksAreNamedByTheirPackage) {
  const TempDir empty("opgrade-test-");
  const Renderers none = Renderers::find(empty.path());
  EXPECT_THAT(missing_packages(none), testing::ElementsAre("cmark-gfm", "netpbm", "poppler-utils"));
  EXPECT_FALSE(none.can_show(DocumentKind::pdf));
}

TEST(Renderers, DocumentsAreADownloadWhereTheyAreMissing) {
  SandboxSupport support;
  support.tier = SandboxTier::full;
  const RenderedDocument document =
      render({DocumentKind::pdf, one_page()}, {}, Renderers{}, Sandbox(support));
  EXPECT_EQ(document.end.kind, RenderEnd::Kind::not_installed);
  EXPECT_THAT(note_of(document.end, DocumentKind::pdf), HasSubstr("poppler-utils"));
}

TEST(Renderers, RunInASandboxAlone) {
  EXPECT_THROW((void)render({DocumentKind::pdf, one_page()}, {}, Renderers::find(),
                            Sandbox(SandboxSupport{})),
               Error);
}

}  // namespace
}  // namespace opgrade::documents
