// What the counting build says of kernels whose accesses can be counted by hand, and the advice
// that follows for the rungs of the ladder.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/profile/advice.hpp"
#include "grader/grading/profile/tables.hpp"
#include "tests/emulation/build_and_run.hpp"

namespace opgrade::emulation_test {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(OPGRADE_SOURCE_DIR) / "tests/emulation/counts";

std::string record_of(const std::string& name, const std::vector<std::string>& flags) {
  const TempDir folder{"opgrade-counts"};
  std::vector<std::string> all{"--count", "-std=c++20", "-I" OPGRADE_SOURCE_DIR};
  all.insert(all.end(), flags.begin(), flags.end());
  const Built built = build(kFolder / (name + ".cu"), folder.path(), all);
  EXPECT_TRUE(built.ok) << built.messages;
  return built.ok ? record(built.object) : "";
}

ProfileReport counts_of(const std::string& record, const std::vector<ProfiledLayer>& layers) {
  const ProfileEvents events = read_events(record);
  EXPECT_EQ(events.problem, "") << record;
  return tables_of(events, layers);
}

/// Sums over the lines of a kernel.
struct Sums {
  std::int64_t requests = 0, sectors = 0, least_sectors = 0, wavefronts = 0, crowd = 0, bytes = 0;
};

Sums sums(const ProfileCountRow& row, const std::string& space, const std::string& use) {
  Sums all;
  for (const ProfileAccessRow& a : row.accesses) {
    if (a.space != space || a.use != use) continue;
    all.requests += a.requests;
    all.sectors += a.sectors;
    all.least_sectors += a.least_sectors;
    all.wavefronts += a.wavefronts;
    all.crowd += a.crowd;
    all.bytes += a.bytes;
  }
  return all;
}

/// What a kernel of a file did, by its name.
template <const char* file>
class Kernels : public testing::Test {
 protected:
  static void SetUpTestSuite() { record_ = new std::string(record_of(file, {})); }
  static ProfileCountRow kernel(const std::string& name) {
    const ProfileReport report = tables_of(read_events(*record_), {{.name = "all"}});
    const auto found = std::ranges::find(report.counts, name, &ProfileCountRow::name);
    EXPECT_NE(found, report.counts.end()) << name;
    return found != report.counts.end() ? *found : ProfileCountRow{};
  }
  static std::string problem() { return read_events(*record_).problem; }

 private:
  static inline std::string* record_ = nullptr;
};
constexpr char kLegalFile[] = "legal";
using Legal = Kernels<kLegalFile>;

TEST_F(Legal, declarations_are_no_products) {
  const ProfileCountRow row = kernel("declarations");
  EXPECT_EQ(row.of_float, (ProfileArithmetic{.add = 32, .multiply = 32}));
  EXPECT_EQ(sums(row, "global", "load").requests, 2);
  EXPECT_EQ(sums(row, "global", "store").requests, 1);
}

TEST_F(Legal, rounds_of_all_kinds_of_loops) {
  EXPECT_EQ(sums(kernel("conditions"), "global", "load").requests, 4);
  EXPECT_EQ(sums(kernel("conditions"), "global", "load").sectors, 16);
  // Lanes with l % 4 of 0 to 3 make 1 to 4 rounds.
  EXPECT_EQ(sums(kernel("ranges"), "global", "load").requests, 4);
  EXPECT_EQ(kernel("ranges").of_float.add, 8 * (1 + 2 + 3 + 4));
}

TEST_F(Legal, arithmetic_as_a_GPUs_compiler_makes_it) {
  // The branch that is not taken has no product.
  EXPECT_EQ(kernel("doubled").of_float, (ProfileArithmetic{.add = 32, .fused = 32}));
  EXPECT_EQ(kernel("parentheses").of_float,
            (ProfileArithmetic{.add = 4 * 32, .multiply = 32, .fused = 3 * 32}));
}

TEST_F(Legal, calls_are_operations) {
  EXPECT_EQ(kernel("calls").of_float,
            (ProfileArithmetic{.add = 128, .multiply = 64, .fused = 96, .divide = 32}));
  EXPECT_EQ(kernel("calls_in_double").of_double,
            (ProfileArithmetic{.add = 32, .multiply = 32, .fused = 64}));
}

TEST_F(Legal, what_cannot_be_counted_is_said) {
  EXPECT_NE(problem().find("was not counted: legal.cu:"), std::string::npos) << problem();
  EXPECT_EQ(sums(kernel("own_operator"), "global", "load").requests, 1);
}

TEST_F(Legal, only_copies_copy) {
  EXPECT_TRUE(kernel("copied").copies);
  for (const char* other : {"larger", "swapped", "doubled", "conditions"})
    EXPECT_FALSE(kernel(other).copies) << other;
}

TEST_F(Legal, unrolled_loads_of_neighbours_are_merged) {
  const ProfileCountRow row = kernel("unrolled");
  EXPECT_EQ(sums(row, "shared", "load").requests, 2);
  EXPECT_EQ(sums(row, "shared", "store").requests, 8);
  EXPECT_EQ(sums(row, "global", "load").requests, 8);
}

constexpr char kNarrowFile[] = "narrow";
using Narrow = Kernels<kNarrowFile>;

struct NarrowKernel {
  const char* kernel;
  std::int64_t loads, stores;  ///< requests
  int load_bytes;              ///< of a lane in each
  ProfileArithmetic did;
};

constexpr NarrowKernel kNarrow[] = {
    {"product", 2, 1, 2, {.multiply = 32}},
    {"product_of_pairs", 2, 1, 4, {.multiply = 32}},
    {"fused", 3, 1, 2, {.fused = 32}},
    {"fused_pairs", 3, 1, 4, {.fused = 32}},
    {"fused_with_a_product", 2, 1, 2, {.multiply = 32, .fused = 32}},
    {"sum_of_product", 3, 1, 2, {.add = 64, .fused = 32}},
    {"operators", 6, 1, 2, {.add = 32, .fused = 64}},
    {"operators_on_pairs", 4, 1, 4, {.add = 32, .fused = 32}},
    {"sums_in_float", 5, 1, 2, {.add = 96, .multiply = 32}},
    {"floats_of_pairs", 3, 2, 4, {}},
    {"pairs_of_halves", 3, 2, 2, {}},
    {"stores", 2, 3, 4, {}},
    {"comparisons", 5, 1, 2, {}},
    {"bfloats", 2, 1, 2, {.fused = 32}},
};

TEST_F(Narrow, loads_stores_and_operations_however_they_are_written) {
  for (const NarrowKernel& expected : kNarrow) {
    const ProfileCountRow row = kernel(expected.kernel);
    const Sums load = sums(row, "global", "load");
    EXPECT_EQ(load.requests, expected.loads) << expected.kernel;
    EXPECT_EQ(load.bytes, 32 * expected.load_bytes * load.requests) << expected.kernel;
    EXPECT_EQ(sums(row, "global", "store").requests, expected.stores) << expected.kernel;
    EXPECT_EQ(row.of_float, expected.did) << expected.kernel;
    for (const ProfileAccessRow& access : row.accesses) EXPECT_GT(access.line, 0);
  }
}

constexpr char kPatternsFile[] = "patterns";
using Patterns = Kernels<kPatternsFile>;

struct GlobalMemory {
  const char* kernel;
  std::int64_t load_requests, load_sectors, store_requests, store_sectors;
};

// Sixteen warps each, but where a comment says otherwise.
constexpr GlobalMemory kGlobal[] = {
    {"stride_1", 16, 16 * 4, 16, 16 * 4},
    {"stride_2", 16, 16 * 8, 16, 16 * 4},
    {"stride_8", 16, 16 * 32, 16, 16 * 32},
    {"stride_32", 16, 16 * 32, 16, 16 * 32},
    {"misaligned", 16, 16 * 5, 16, 16 * 5},
    {"uniform", 16, 16, 16, 16 * 4},
    {"vectors", 16, 16 * 16, 16, 16 * 16},
    {"pairs", 16, 16 * 8, 16, 16 * 8},
    {"bytes", 16, 16, 16, 16},
    {"divergent", 32, 32 * 2, 32, 32 * 2},
    // Lanes r to 31 load in round r, of which every eight share a sector.
    {"uneven_rounds", 16 * 32, 16 * 8 * (4 + 3 + 2 + 1), 16, 16 * 4},
    // Rounds 0, 1 and 2 of the inner loop have lanes in each sector.
    {"nested_rounds", 16 * 4 * (3 + 1), 16 * 4 * (3 + 1) * 4, 16, 16 * 4},
    // 500 threads: the last warp has 20 lanes.
    {"partial_warp", 16, 15 * 4 + 3, 16, 15 * 4 + 3},
    {"conflict_2", 2, 8, 1, 4},
    {"conflict_8", 8, 32, 1, 4},
    {"conflict_32", 32, 128, 1, 4},
    {"shuffles", 1, 4, 1, 4},
};

TEST_F(Patterns, requests_and_sectors_of_global_memory) {
  for (const GlobalMemory& expected : kGlobal) {
    const ProfileCountRow row = kernel(expected.kernel);
    const Sums load = sums(row, "global", "load"), store = sums(row, "global", "store");
    EXPECT_EQ(load.requests, expected.load_requests) << expected.kernel;
    EXPECT_EQ(load.sectors, expected.load_sectors) << expected.kernel;
    EXPECT_EQ(store.requests, expected.store_requests) << expected.kernel;
    EXPECT_EQ(store.sectors, expected.store_sectors) << expected.kernel;
  }
}

TEST_F(Patterns, least_sectors_hold_the_same_bytes_without_gaps) {
  EXPECT_EQ(sums(kernel("stride_8"), "global", "load").least_sectors, 16 * 4);
  EXPECT_EQ(sums(kernel("misaligned"), "global", "load").least_sectors, 16 * 4);
  EXPECT_EQ(sums(kernel("uniform"), "global", "load").least_sectors, 16);
}

TEST_F(Patterns, wavefronts_of_shared_memory) {
  for (const int ways : {2, 8, 32}) {
    const ProfileCountRow row = kernel("conflict_" + std::to_string(ways));
    EXPECT_EQ(sums(row, "shared", "store").wavefronts, ways);
    EXPECT_EQ(sums(row, "shared", "load").requests, 1);
    EXPECT_EQ(sums(row, "shared", "load").wavefronts, ways);
    EXPECT_EQ(row.barriers, 1);
  }
}

TEST_F(Patterns, padding_by_a_word_does_not_part_two_rows_of_a_warp) {
  EXPECT_EQ(sums(kernel("rows_of_22"), "shared", "load").wavefronts, 2);
  EXPECT_EQ(sums(kernel("rows_of_23"), "shared", "load").wavefronts, 2);
  EXPECT_EQ(sums(kernel("whole_row"), "shared", "load").wavefronts, 1);
}

TEST_F(Patterns, atomics_shuffles_fragments) {
  EXPECT_EQ(sums(kernel("atomics_apart"), "global", "atomic").crowd, 16);
  EXPECT_EQ(sums(kernel("atomics_together"), "global", "atomic").crowd, 16 * 32);
  EXPECT_EQ(kernel("atomics_apart").same_address, 4);
  EXPECT_EQ(kernel("atomics_together").same_address, 512);
  EXPECT_EQ(kernel("shuffles").shuffles, 5);
  EXPECT_EQ(kernel("fragments").fragments, 1);
  // Pairs: 16 x 16 halves of a and b by words, 16 x 16 floats of c by 8 bytes.
  EXPECT_EQ(sums(kernel("fragments"), "global", "load").requests, 8);
  EXPECT_EQ(sums(kernel("fragments"), "global", "store").requests, 4);
}

TEST_F(Patterns, arithmetic_and_idle_threads) {
  EXPECT_EQ(kernel("stride_1").of_float, (ProfileArithmetic{.add = 512}));
  EXPECT_EQ(kernel("stride_8").of_float, (ProfileArithmetic{.add = 512}));
  EXPECT_EQ(kernel("divergent").of_float, (ProfileArithmetic{.add = 256, .multiply = 256}));
  EXPECT_EQ(kernel("partial_warp").idle, 12);
  EXPECT_EQ(kernel("stride_1").idle, 0);
}

TEST_F(Patterns, words_that_threads_exchange_in_shared_memory) {
  // Lane l loads word 2 l, which lane 2 l modulo 32 stored: lane 0 loads its own.
  EXPECT_EQ(kernel("conflict_2").exchanged, 31);
  EXPECT_EQ(kernel("stride_1").exchanged, 0);
}

TEST_F(Patterns, elements_that_blocks_and_grids_load) {
  const ProfileCountRow row = kernel("uniform");
  ASSERT_EQ(row.arrays.size(), 1u);
  EXPECT_EQ(row.arrays[0],
            (ProfileArrayRow{.bytes = 1 << 20, .loads = 512, .of_blocks = 4, .of_grids = 4}));
}

std::vector<std::string> rung_flags(const char* file) {
  const std::string number = std::string(file).substr(0, 2);
  return {"-DOPGRADE_RUNG=rung" + number, "-include",
          OPGRADE_SOURCE_DIR "/kernels/" + std::string(file) + ".cu"};
}

struct Rung {
  const char* file;
  const char* advice;  ///< first rule: the step that the next rung takes; null: none at all
};

constexpr Rung kRungs[] = {
    {"01_naive", "constant_memory"},
    {"02_constant", "shared_tile"},
    {"03_shared_tile", "register_tile"},
    {"04_unroll_matmul", "fused_copy"},
    {"05_fused_matmul", "register_tile"},
    {"06_register_tile", "vector_loads"},
    {"07_vector_double_buffer", "needless_arithmetic"},
    {"08_direct_registers", "idle_lanes"},
    {"09_many_images", nullptr},
};

void PrintTo(const Rung& rung, std::ostream* out) { *out << rung.file; }

/// The two layers that rung.cu runs.
std::vector<ProfiledLayer> layers() {
  return {{.name = "conv1", .flops = 2.0 * 2 * 4 * 80 * 80 * 49},
          {.name = "conv2", .flops = 2.0 * 2 * 16 * 34 * 34 * 4 * 49}};
}

class Ladder : public testing::TestWithParam<Rung> {};

TEST_P(Ladder, first_advice_is_the_next_rung) {
  const auto report = counts_of(record_of("rung", rung_flags(GetParam().file)), layers());
  const auto advice = advise(report);
  std::string all;
  for (const ProfileAdvice& a : advice)
    all += a.rule + " " + a.kernel + ":" + std::to_string(a.line) + " " +
           std::to_string(a.counted) + " " + std::to_string(a.least) + " " +
           std::to_string(a.saving) + "\n";
  EXPECT_LE(advice.size(), 3u);
  if (GetParam().advice == nullptr) {
    EXPECT_TRUE(advice.empty()) << all;
    return;
  }
  ASSERT_FALSE(advice.empty());
  EXPECT_EQ(advice.front().rule, GetParam().advice) << all;
}

INSTANTIATE_TEST_SUITE_P(Rungs, Ladder, testing::ValuesIn(kRungs),
                         [](const auto& test) { return std::string(test.param.file); });

/// The record without the sites, which are places in a compiler's code.
std::string without_sites(const std::string& record) {
  static const std::regex kSite(R"((access .*) \d+ (\S+)\n)");
  return std::regex_replace(record, kSite, "$1 $2\n");
}

class Compilers : public testing::TestWithParam<const char*> {};

TEST_P(Compilers, count_the_same) {
  if (std::system("clang++ --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no clang++";
  const std::string name = GetParam();
  const bool rung = name.starts_with("0");
  auto flags = rung ? rung_flags(GetParam()) : std::vector<std::string>();
  const std::string with_gcc = record_of(rung ? "rung" : name, flags);
  flags.insert(flags.end(), {"--compiler", "clang++"});
  EXPECT_EQ(without_sites(with_gcc), without_sites(record_of(rung ? "rung" : name, flags)));
  EXPECT_NE(with_gcc, "");
}

INSTANTIATE_TEST_SUITE_P(Kernels, Compilers,
                         testing::Values("patterns", "legal", "narrow", "01_naive",
                                         "03_shared_tile", "04_unroll_matmul",
                                         "08_direct_registers"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace opgrade::emulation_test
