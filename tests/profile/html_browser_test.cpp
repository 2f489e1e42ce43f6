// The HTML report with a profile, opened in a real headless browser without a network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "grader/base/core/temp_dir.hpp"
#include "grader/platform/process/process.hpp"
#include "grader/report/html/html.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string browser() {
  for (const char* path :
       {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"}) {
    if (::access(path, X_OK) == 0) return path;
  }
  return {};
}

/// A grade with a profile as a GPU gives it.
Grade profiled() {
  Grade grade = test::passed_grade();
  auto& stage = grade.stages[0];
  stage.device = Device::cuda;
  ProfileReport p;
  p.device = "a device";
  p.source = "CUPTI";
  p.timed = true;
  p.kernels = {
      {"conv_forward_kernel(float*, const float*)", 2, 9'000'000, 3'000'000, 6'000'000, 0.95, true},
      {"<script>document.title='broken out'</script>", 4, 450'000, 100'000, 120'000, 0.05, false}};
  p.calls = {{"cudaMemcpy", 6, 80'000'000, 1'000, 50'000'000, 0.99, true}};
  p.memory = {{"copy pageable to device", 4, 1'000'000'000, 784, 600'000'000, 40'000'000, 1'000,
               30'000'000}};
  p.launches = {{{"conv_forward_kernel(float*, const float*)", {25, 4, 10000}, {256, 1, 1}, 32},
                 "conv",
                 1,
                 8,
                 1.0,
                 ""}};
  p.layers = {{"conv1", {{"B", 10000}, {"M", 4}}, 3'000'000, 1, 0, 0, 8.4e12, 4.4e11},
              {"conv2", {{"B", 10000}, {"M", 16}}, 6'000'000, 1, 450'000, 4, 1.2e13, 1.7e11}};
  p.ceilings = ProfileCeilings{6.1e13, 4.1e12};
  stage.cases[0].profile = p;
  return grade;
}

/// What a browser makes of the page: its DOM after loading, or a screenshot in `picture`.
std::string open(const std::filesystem::path& page, const std::filesystem::path& folder,
                 const std::string& action) {
  const Command command{
      .program = browser(),
      .arguments = {"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                    "--no-first-run", "--user-data-dir=" + (folder / "profile").string(),
                    "--window-size=1000,2400", "--virtual-time-budget=2000",
                    // Whatever the page might ask a network for fails.
                    "--host-resolver-rules=MAP * ~NOTFOUND", action, "file://" + page.string()},
      .environment = {"PATH=/usr/bin:/bin", "HOME=" + folder.string(), "TMPDIR=" + folder.string()},
      .working_folder = folder};
  const auto run = run_command(command, test::kPatience);
  return run.standard_output;
}

TEST(HtmlInABrowser, ShowsTablesAndRooflineAndRunsNothing) {
  OPGRADE_SKIP_UNLESS("browser", !browser().empty(), "there is no Chromium here");
  const TempDir folder("opgrade-browser-");
  const auto page = folder.path() / "report.html";
  std::ofstream(page) << report::html_report(profiled(), report::Audience::staff);
  const std::string dom = open(page, folder.path(), "--dump-dom");
  // The browser found the structure that was meant: an SVG element with its two points, tables, and
  // a kernel's name that stayed text.
  EXPECT_THAT(dom, HasSubstr("</svg>"));
  EXPECT_THAT(dom, HasSubstr("conv2 12.0 TFLOP/s"));
  EXPECT_THAT(dom, HasSubstr("&lt;script&gt;document.title"));
  EXPECT_THAT(dom, Not(HasSubstr("<title>broken out")));
  EXPECT_THAT(dom, HasSubstr("copy pageable to device"));

  const auto picture = folder.path() / "page.png";
  open(page, folder.path(), "--screenshot=" + picture.string());
  std::error_code none;
  EXPECT_GT(std::filesystem::file_size(picture, none), 20'000u) << "an empty page is smaller";
  if (const char* keep = std::getenv("OPGRADE_KEEP_SCREENSHOT"); keep != nullptr) {
    std::filesystem::copy_file(picture, keep, std::filesystem::copy_options::overwrite_existing);
  }
}

}  // namespace
}  // namespace opgrade
