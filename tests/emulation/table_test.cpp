// tests/corpus/cuda: what the emulated device says of each source of the table, beside what nvcc 13
// and an H100 do. UPDATE_GOLDEN=1 writes the page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <thread>
#include <vector>

#include "grader/base/core/temp_dir.hpp"
#include "tests/emulation/build_and_run.hpp"
#include "tests/support/golden.hpp"

namespace opgrade::emulation_test {
namespace {

namespace fs = std::filesystem;

const fs::path& corpus() {
  static const fs::path folder = fs::path(OPGRADE_SOURCE_DIR) / "tests/corpus/cuda";
  return folder;
}

struct Row {
  std::string kind, name, nvcc, gpu, source;
};

std::vector<Row> rows() {
  static const std::regex kHead(R"(=== (.*) \| (.*) \| (.*) \| (.*))");
  std::ifstream in(corpus() / "table.txt");
  std::vector<Row> all;
  for (std::string line; std::getline(in, line);) {
    std::smatch head;
    if (std::regex_match(line, head, kHead))
      all.push_back({head[1], head[2], head[3], head[4], ""});
    else if (!all.empty())
      all.back().source += line + "\n";
  }
  return all;
}

fs::path written(const Row& row, const fs::path& folder) {
  const fs::path file = folder / "case.cu";
  std::ofstream(file) << fmt::format("#include \"{}\"\n#line 1 \"case.cu\"\n",
                                     (corpus() / "start.cuh").string())
                      << row.source;
  return file;
}

/// "refuses 3" of "case.cu:3:5: error: ..." or of nvcc's "case.cu(3): error: ...".
std::string refusal(const std::string& messages) {
  static const std::regex kError(R"(case\.cu[:(](\d+)[^\n]*error)");
  std::smatch error;
  return std::regex_search(messages, error, kError) ? "refuses " + error[1].str() : "refuses 0";
}

/// Of a program with work that it may wait for too late: what a run shows that does such work as
/// late as CUDA allows, or nothing.
std::string missing_wait(const Row& row, const fs::path& folder) {
  static const std::regex kAsynchronous("[aA]sync|Stream|__managed__|MallocHost");
  if (!std::regex_search(row.source, kAsynchronous) && row.kind != "R waits") return "";
  const Built plain = build(written(row, folder), folder, {});
  const Ran late = run(plain.object, "OPGRADE_EMULATION_ORDER=late");
  if (!late.report.is_object()) return fmt::format("ends with {}", late.exit_status);
  if (late.report["result"] == 0) return "";
  for (const auto& finding : late.report["findings"])
    if (finding["kind"] == "missing_wait")
      return fmt::format("missing_wait in line {}", finding["line"].get<int>());
  return "wrong with late work";
}

/// A call or a launch that failed loses no points if the outputs are right.
bool is_note_beside_right_outputs(const std::string& kind) {
  return kind == "failed_call" || kind == "launch_refused" || kind == "unchecked_launch_error";
}

/// What a student sees, in a few words.
std::string answer_of_opgrade(const Row& row, const fs::path& folder) {
  const Built built = build(written(row, folder), folder, {"--check"});
  if (!built.ok) {
    static const std::regex kMissing(R"(case\.cu:(\d+): not emulated: ([^\n]*))");
    std::smatch missing;
    return std::regex_search(built.messages, missing, kMissing)
               ? fmt::format("needs a GPU: {} in line {}", missing[2].str(), missing[1].str())
               : refusal(built.messages);
  }
  const Ran ran = run(built.object);
  if (!ran.report.is_object()) return fmt::format("ends with {}", ran.exit_status);
  const bool is_right = ran.report["result"] == 0;
  std::string found, noted;
  for (const auto& finding : ran.report["findings"]) {
    if (finding["kind"] == "leak") continue;  // of start.cuh
    if (finding["kind"] == "not_emulated")
      return fmt::format("needs a GPU: line {}", finding["line"].get<int>());
    const std::string one = fmt::format("{} in line {}", finding["kind"].get<std::string>(),
                                        finding["line"].get<int>());
    std::string& list = is_right && is_note_beside_right_outputs(finding["kind"]) ? noted : found;
    if (list.find(one) == list.npos) list += (list.empty() ? "" : ", ") + one;
  }
  if (is_right && found.empty()) found = missing_wait(row, folder);
  if (is_right && found.empty())
    return noted.empty() ? "right" : fmt::format("right; a note: {}", noted);
  return fmt::format("{}{}{}", is_right ? "" : "wrong", is_right || found.empty() ? "" : "; ",
                     found);
}

/// Nothing wrong passes, and nothing right is blamed.
bool agrees(const Row& row, const std::string& answer) {
  if (row.nvcc.starts_with("refuses")) return answer == row.nvcc;
  const bool needs_gpu = answer.starts_with("needs a GPU");
  const bool passes = answer.starts_with("right");
  if (row.gpu == "right") return passes || needs_gpu;
  const bool finds = !passes && answer.find(" in line ") != answer.npos;
  return row.gpu == "wrong" ? answer.starts_with("wrong") : finds && !needs_gpu;
}

std::vector<std::string> answers_of_opgrade(const std::vector<Row>& all, const fs::path& folder) {
  std::vector<std::string> answers(all.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> workers;
  for (int worker = 0; worker < 2; ++worker)
    workers.emplace_back([&, own = folder / std::to_string(worker)] {
      fs::create_directory(own);
      for (std::size_t i = next++; i < all.size(); i = next++)
        answers[i] = answer_of_opgrade(all[i], own);
    });
  workers.clear();
  return answers;
}

TEST(CudaTable, IsWhatTheEmulatedDeviceSays) {
  if (!fs::exists(fs::path(OPGRADE_CUCC).parent_path().parent_path() /
                  "lib/opgrade/emulation/cuda-front-end"))
    GTEST_SKIP() << "no front end";
  const TempDir folder("opgrade-table");
  std::string page =
      "# CUDA on the emulated device\n\nFor developers and staff who doubt a verdict. "
      "`tests/emulation/table_test.cpp` writes this page from `table.txt`, and\n"
      "`tests/gpu/table.sh` tries the sources on a GPU. \"Refuses 3\": a compiler's error in line "
      "3. "
      "On a GPU a race is right by luck.\n\n"
      "| kind | source | nvcc 13 | H100 | opgrade |\n|--|--|--|--|--|\n";
  std::map<std::string, int> of_kind;
  const std::vector<Row> all = rows();
  const std::vector<std::string> answers = answers_of_opgrade(all, folder.path());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Row& row = all[i];
    const std::string& answer = answers[i];
    EXPECT_TRUE(agrees(row, answer)) << row.kind << " | " << row.name << ": " << answer;
    page +=
        fmt::format("| {} | {} | {} | {} | {} |\n", row.kind, row.name, row.nvcc, row.gpu, answer);
    ++of_kind[row.kind];
  }
  for (const auto& [kind, sources] : of_kind) EXPECT_GE(sources, 2) << kind;
  test::expect_golden(corpus() / "README.md", page);
}

/// Every tenth source, unless OPGRADE_LONG_TESTS is set.
TEST(CudaTable, IsWhatNvccSays) {
  const char* const nvcc = "/usr/local/cuda/bin/nvcc";
  if (!fs::exists(nvcc)) GTEST_SKIP() << "no nvcc";
  const TempDir folder("opgrade-table");
  const bool all = std::getenv("OPGRADE_LONG_TESTS") != nullptr;
  int number = 0;
  for (const Row& row : rows()) {
    if (number++ % 10 != 0 && !all) continue;
    const auto [messages, status] =
        shell(fmt::format("{} -arch=sm_90 -std=c++17 -c -o /dev/null {} 2>&1", nvcc,
                          written(row, folder.path()).string()));
    EXPECT_EQ(status == 0 ? "takes" : refusal(messages), row.nvcc) << row.name << ": " << messages;
  }
}

}  // namespace
}  // namespace opgrade::emulation_test
