#include "grader/report/paper/paper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "grader/report/formats/exporters.hpp"
#include "grader/report/paper/paper_formats.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using Rows = std::vector<std::vector<std::string>>;

const PaperTable* find_table(const Paper& paper, const std::string& name) {
  const auto found = std::ranges::find(paper.tables, name, &PaperTable::name);
  return found != paper.tables.end() ? &*found : nullptr;
}

Rows rows_of(const Paper& paper, const std::string& name) {
  Rows rows;
  const PaperTable* table = find_table(paper, name);
  if (table == nullptr) return rows;
  for (const PaperRow& row : table->rows) {
    rows.emplace_back();
    for (const PaperCell& cell : row.cells) rows.back().push_back(cell.text);
  }
  return rows;
}

Paper student_paper(const Grade& grade) { return paper_of(view_for(grade, Audience::student)); }

/// A CPU and a GPU stage at three batches, with the profile of the largest one.
Grade milestone() {
  Grade grade = test::passed_grade();
  grade.machine.host_cpu = "AMD EPYC";
  grade.machine.cpus = 16;
  grade.machine.gpu = "NVIDIA H100";
  grade.machine.started = "2026-11-28T07:00:00Z";
  grade.stages[0].cases[0].calls[0].measurement.calls.resize(1);
  StageReport gpu = grade.stages[0];
  gpu.name = "gpu";
  gpu.device = Device::cuda;
  const CaseReport pattern = gpu.cases[0];
  gpu.cases.clear();
  const auto times = [](double ms) { return summarize({ms, ms, ms}); };
  for (const int batch : {100, 1000, 10000}) {
    CaseReport c = pattern;
    c.id = "gpu/high/" + std::to_string(batch);
    c.batch = batch;
    c.calls[0].op_time = times(batch * 1e-3);
    c.calls[1].op_time = times(batch * 2e-3);
    c.calls[0].layer_time = c.calls[1].layer_time = times(batch * 1e-2);
    c.calls[0].measurement.calls.resize(4);
    c.usage.elapsed_s = batch * 1e-3;
    c.usage.user_s = 0.5;
    c.usage.system_s = 0.25;
    gpu.cases.push_back(c);
  }
  ProfileReport p;
  p.device = "NVIDIA H100";
  p.source = "CUPTI";
  p.timed = true;
  p.kernels = {{"void conv<4, 7>(float*)", 2, 8'000'000, 3'000'000, 5'000'000, 0.8, true},
               {"unroll_x(float*)", 4, 1'500'000, 300'000, 400'000, 0.15, true},
               {"rest(float*)", 1, 500'000, 500'000, 500'000, 0.05, false}};
  p.calls = {{"cudaMemcpy", 6, 95'000'000, 1'000, 50'000'000, 0.95, true},
             {"cudaMalloc", 6, 5'000'000, 1'000, 4'000'000, 0.05, false}};
  gpu.cases[2].profile = p;
  grade.stages.push_back(gpu);
  return grade;
}

TEST(Paper, HasTheTimesOfEachLayerTheirSumAndTheAccuracy) {
  const Rows rows = rows_of(student_paper(milestone()), "times");
  ASSERT_EQ(rows.size(), 12u);
  EXPECT_THAT(rows[0],
              ElementsAre("cpu/high/1000", "CPU", "conv1", "12.0 ms", "14.0 ms", "3", "", ""));
  EXPECT_THAT(rows[2], ElementsAre("cpu/high/1000", "CPU", "sum", "42.0 ms", "45.0 ms", "", "0.886",
                                   "passed"));
  EXPECT_THAT(rows[11], ElementsAre("gpu/high/10000", "GPU", "sum", "30.0 ms", "200 ms", "",
                                    "0.886", "passed"));
}

// The question of every milestone: which names together take more than 90 % of the time?
TEST(Paper, TheRowTogetherStandsBelowTheFewestNamesAboveNinetyPercent) {
  const Paper paper = student_paper(milestone());
  const Rows kernels = rows_of(paper, "kernels gpu/high/10000");
  ASSERT_EQ(kernels.size(), 4u);
  EXPECT_THAT(kernels[0],
              ElementsAre("conv<4, 7>", "80.0 %", "8.00 ms", "2", "4.00 ms", "3.00 ms", "5.00 ms"));
  EXPECT_THAT(kernels[2], ElementsAre("together", "95.0 %", "9.50 ms", "6", "", "", ""));
  EXPECT_EQ(kernels[3][0], "rest");
  const Rows calls = rows_of(paper, "api_calls gpu/high/10000");
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[1][0], "together");
  EXPECT_EQ(calls[1][1], "95.0 %");
  EXPECT_THAT(find_table(paper, "kernels gpu/high/10000")->note,
              HasSubstr("2 of 3 names together take 95.0 % of the time."));
}

TEST(Paper, TheRowTogetherIsTheLastIfAllNamesAreNeeded) {
  Grade grade = milestone();
  auto& profile = *grade.stages[1].cases[2].profile;
  profile.kernels.resize(1);
  profile.kernels[0].share = 1;
  const Rows rows = rows_of(student_paper(grade), "kernels gpu/high/10000");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1][0], "together");
  EXPECT_EQ(rows[1][1], "100.0 %");
}

TEST(Paper, HasRealUserAndSysAtEachBatchWithTheNumberOfCalls) {
  const Rows rows = rows_of(student_paper(milestone()), "process");
  EXPECT_THAT(rows,
              ElementsAre(ElementsAre("cpu/high/1000", "CPU", "1", "1.30 s", "1.20 s", "50.0 ms"),
                          ElementsAre("gpu/high/100", "GPU", "4", "100 ms", "500 ms", "250 ms"),
                          ElementsAre("gpu/high/1000", "GPU", "4", "1.00 s", "500 ms", "250 ms"),
                          ElementsAre("gpu/high/10000", "GPU", "4", "10.0 s", "500 ms", "250 ms")));
}

TEST(Paper, ComparesTheCpuWithTheGpuAtTheSameBatchAlone) {
  EXPECT_THAT(rows_of(student_paper(milestone()), "cpu_gpu"),
              ElementsAre(ElementsAre("cpu/high/1000", "gpu/high/1000", "42.0 ms", "3.00 ms",
                                      "20.0 ms", "14 times", "2.1 times")));
}

TEST(Paper, TellsTheMachineAndTheDate) {
  const Rows rows = rows_of(student_paper(milestone()), "machine");
  EXPECT_THAT(rows, testing::IsSupersetOf({ElementsAre("date", "2026-11-28T07:00:00Z"),
                                           ElementsAre("CPU", "AMD EPYC (16 CPUs)"),
                                           ElementsAre("GPU", "NVIDIA H100")}));
}

TEST(Paper, WithoutAGpuHasWhatTheCpuTellsAndSaysWhatNeedsOne) {
  Grade grade = milestone();
  grade.machine.gpu.clear();
  StageReport& emulated = grade.stages[1];
  emulated.device = Device::emulated;
  emulated.cases.erase(emulated.cases.begin(), emulated.cases.begin() + 2);
  auto& profile = *emulated.cases[0].profile;
  profile.timed = false;
  profile.source = "the emulated device";
  profile.calls.clear();
  const Paper paper = student_paper(grade);
  const Rows times = rows_of(paper, "times");
  ASSERT_EQ(times.size(), 4u);
  EXPECT_THAT(times[3],
              ElementsAre("gpu/high/10000", "emulated", "", "", "", "", "0.886", "passed"));
  EXPECT_EQ(rows_of(paper, "process").size(), 1u) << "an emulated run tells nothing of time";
  EXPECT_EQ(find_table(paper, "cpu_gpu"), nullptr);
  EXPECT_THAT(rows_of(paper, "kernels gpu/high/10000")[0], ElementsAre("conv<4, 7>", "2"));
  EXPECT_THAT(paper.remarks, testing::Contains(HasSubstr("need a GPU")));
}

TEST(Paper, TellsWhyACaseHasNoTimes) {
  const Paper paper = student_paper(test::grade_with(Outcome::crashed));
  EXPECT_THAT(paper.remarks, testing::Contains(HasSubstr("what happened")));
  EXPECT_EQ(rows_of(paper, "times").back().back(), "crashed");
}

TEST(Paper, LeavesOutShapesWithoutAName) {
  Grade grade = milestone();
  CaseReport random = grade.stages[0].cases[0];
  random.id = "cpu/random";
  random.model.clear();
  grade.stages[0].cases.push_back(random);
  for (const char* name : {"times", "process", "cpu_gpu"})
    for (const auto& row : rows_of(student_paper(grade), name)) EXPECT_NE(row[0], "cpu/random");
}

TEST(PaperFormats, MarkdownTextIsReadAsItIs) {
  EXPECT_EQ(plain_markdown("conv_k<float *, 4>"), "conv\\_k\\<float \\*, 4\\>");
  EXPECT_EQ(plain_markdown("a|b \\| `c`"), "a\\|b \\\\\\| \\`c\\`");
  EXPECT_EQ(plain_markdown("![x](y) &lt; ~~z~~"), "!\\[x\\](y) \\&lt; \\~\\~z\\~\\~");
  EXPECT_EQ(plain_markdown("--x ... $a$ @b #1"), "\\-\\-x .\\.\\. \\$a\\$ \\@b \\#1");
  EXPECT_EQ(plain_markdown("one\ntwo\r\n"), "one two  ");
  EXPECT_EQ(plain_markdown("https://a.b"), "https\\://a.b");
  EXPECT_EQ(plain_markdown("12. x"), "12\\. x");
  for (const char* honest :
       {"conv forward (10000), 12.5 ms", "90.0 %", "a-b.c/d", "a::b: it's \"c\"", "1.5 ms"})
    EXPECT_EQ(plain_markdown(honest), honest);
}

TEST(PaperFormats, LatexTextNeedsNoPackageAndMakesNoCommand) {
  EXPECT_EQ(latex_text("a_b<c>&d"), "a\\_b\\textless{}c\\textgreater{}\\&d");
  EXPECT_EQ(latex_text("\\x{1} 95.0 % #"), "\\textbackslash{}x\\{1\\} 95.0 \\% \\#");
  EXPECT_EQ(latex_text("$~^|"), "\\$\\textasciitilde{}\\textasciicircum{}\\textbar{}");
  EXPECT_EQ(latex_text("12 µs ±1 ≠"),
            "12 \\ensuremath{\\mu}s \\ensuremath{\\pm}1 \\ensuremath{\\neq}");
  EXPECT_EQ(latex_text("--''"), "-{-}{'}{'}");
  EXPECT_EQ(latex_text("é中\xF0\x9F\x98\x80"), "éU+4E2DU+1F600");
  for (const char* honest : {"conv forward (10000)", "12.5 ms", "a.b/c=d:e"})
    EXPECT_EQ(latex_text(honest), honest);
}

// Else a template's name and a SHA-256 run over the edge of the page.
TEST(PaperFormats, LatexBreaksLongWords) {
  const std::string text = latex_text(std::string(40, 'k'));
  EXPECT_EQ(text, std::string(16, 'k') + "\\allowbreak{}" + std::string(16, 'k') +
                      "\\allowbreak{}" + std::string(8, 'k'));
  EXPECT_EQ(latex_text("conv_forward ker"), "conv\\_forward ker");
}

Paper odd_names() {
  Paper paper{.title = "a_b"};
  paper.tables = {{"kernels x", "Kernels", "A note.", {{"name"}, {"total", "ms", true}}, {}},
                  {"t", "T", "", {{"a"}}, {{{{"=1+1", {}}}}}}};
  paper.tables[0].rows = {{{{"f<a|b, 2>", {}}, {"1.50 ms", 1.5}}},
                          {{{"together", {}}, {"1.50 ms", 1.5}}, true}};
  paper.remarks = {"[a] remark, \"quoted\"."};
  return paper;
}

TEST(PaperFormats, MarkdownHasPipeTables) {
  EXPECT_EQ(paper_markdown(odd_names()),
            "# a\\_b\n\n## Kernels\n\n| name | total |\n| :-- | --: |\n"
            "| f\\<a\\|b, 2\\> | 1.50 ms |\n| together | 1.50 ms |\n\nA note.\n"
            "\n## T\n\n| a |\n| :-- |\n| \\=1+1 |\n"
            "\n## Remarks\n\n- \\[a\\] remark, \"quoted\".\n");
}

TEST(PaperFormats, LatexHasTabulars) {
  const std::string text = paper_latex(odd_names());
  EXPECT_THAT(text, AllOf(HasSubstr("\\section*{a\\_b}"), HasSubstr("\\begin{tabular}{lr}"),
                          HasSubstr("f\\textless{}a\\textbar{}b, 2\\textgreater{} & 1.50 ms "
                                    "\\tabularnewline\ntogether & 1.50 ms \\tabularnewline\n"
                                    "\\hline\n\\end{tabular}"),
                          HasSubstr("\\item {[}a{]} remark")));
  EXPECT_THAT(text, Not(HasSubstr("\\usepackage")));
}

TEST(PaperFormats, CsvHasNumbersAndAsManyCellsInEachRecord) {
  EXPECT_EQ(paper_csv(odd_names()),
            "kernels x,name,total (ms)\r\nkernels x,\"f<a|b, 2>\",1.5\r\nkernels x,together,1.5\r\n"
            "t,a,\r\nt,'=1+1,\r\n"
            "remarks,remark,\r\nremarks,\"[a] remark, \"\"quoted\"\".\",\r\n");
}

TEST(PaperFormats, ShowWritesTheSameTables) {
  const Grade grade = milestone();
  const Paper paper = student_paper(grade);
  EXPECT_EQ(exporter("markdown").write(grade, {}), paper_markdown(paper));
  EXPECT_EQ(exporter("latex").write(grade, {}), paper_latex(paper));
  EXPECT_EQ(exporter("tables").write(grade, {}), paper_csv(paper));
}

}  // namespace
}  // namespace opgrade::report
