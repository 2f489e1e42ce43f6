#include "grader/grading/profile/advice.hpp"

#include <gtest/gtest.h>

#include "grader/grading/profile/costs.hpp"
#include "grader/grading/profile/events.hpp"

namespace opgrade {
namespace {

ProfileAccessRow access(const char* space, const char* use, std::int64_t requests,
                        std::int64_t sectors, std::int64_t least_sectors) {
  ProfileAccessRow row;
  row.space = space;
  row.use = use;
  row.file = "a.cu";
  row.line = 7;
  row.requests = requests;
  row.lanes = 32 * requests;
  row.bytes = 4 * row.lanes;
  row.sectors = sectors;
  row.least_sectors = least_sectors;
  row.wavefronts = row.least_wavefronts = requests;
  row.crowd = requests;
  return row;
}

/// A copy without a fault: each element is loaded once, by full warps, in whole sectors.
ProfileReport clean() {
  ProfileCountRow row;
  row.name = "kernel";
  row.step = "conv";
  row.launches = 1;
  row.threads = 32000;
  row.of_float.add = 32000;
  row.arrays = {{.bytes = 128000, .loads = 32000, .of_blocks = 32000, .of_grids = 32000}};
  row.accesses = {access("global", "load", 1000, 4000, 4000),
                  access("global", "store", 1000, 4000, 4000)};
  row.accesses[0].array = 1;
  ProfileReport report;
  report.layers = {{.layer = "all"}};
  report.counts = {row};
  return report;
}

std::vector<std::string> rules(const ProfileReport& report) {
  std::vector<std::string> names;
  for (const ProfileAdvice& advice : advise(report)) names.push_back(advice.rule);
  return names;
}

TEST(Advice, is_silent_without_counts_and_without_a_fault) {
  EXPECT_TRUE(advise({}).empty());
  EXPECT_EQ(rules(clean()), std::vector<std::string>());
}

TEST(Advice, names_the_line_with_few_bytes_of_each_sector) {
  ProfileReport report = clean();
  report.counts[0].accesses[0].sectors = 32000;
  const auto advice = advise(report);
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].rule, "uncoalesced");
  EXPECT_EQ(advice[0].line, 7);
  EXPECT_EQ(advice[0].counted, 32);
  EXPECT_EQ(advice[0].least, 4);
}

/// Each multiply-add loads `words` words of shared memory, in accesses of `bytes`.
ProfileReport loading(int words, int bytes) {
  ProfileReport report = clean();
  report.counts[0].of_float = {.fused = 32 * 100'000};
  report.counts[0].accesses.push_back(access("shared", "load", words * 100'000, 0, 0));
  report.counts[0].accesses[2].bytes = bytes * report.counts[0].accesses[2].lanes;
  return report;
}

/// A load of so few sectors is one pass in any case.
TEST(Advice, of_uncoalesced_loads_is_silent_about_two_rows_of_one_word) {
  ProfileReport report = loading(1, 4);
  report.counts[0].of_float = {.add = 32 * 50'000};
  report.counts[0].accesses.push_back(access("global", "load", 100'000, 200'000, 100'000));
  report.counts[0].accesses[3].array = 1;
  EXPECT_EQ(rules(report), std::vector<std::string>());
}

/// An operand of a product of two matrices has their size, whatever it is in this case.
TEST(Advice, of_constant_memory_is_for_the_smaller_array) {
  ProfileReport report = clean();
  report.counts[0].accesses.push_back(access("global", "load", 100'000, 100'000, 100'000));
  report.counts[0].accesses[2].crowd = 3'200'000;
  report.counts[0].accesses[2].array = 2;
  report.counts[0].arrays.push_back(
      {.bytes = 32000, .loads = 3'200'000, .of_blocks = 8000, .of_grids = 8000});
  EXPECT_EQ(rules(report), std::vector<std::string>{"constant_memory"});
  report.counts[0].arrays[0].bytes = 60000;
  EXPECT_EQ(rules(report), std::vector<std::string>());
}

TEST(Advice, finds_bank_conflicts_and_constants_one_after_another) {
  ProfileReport report = clean();
  report.counts[0].accesses.push_back(access("shared", "store", 1000, 0, 0));
  report.counts[0].accesses[2].wavefronts = 32000;
  EXPECT_EQ(rules(report), std::vector<std::string>{"bank_conflicts"});
  report.counts[0].accesses[2].use = "atomic";  // of bins that the data choose
  EXPECT_EQ(rules(report), std::vector<std::string>());
  report.counts[0].accesses[2] = access("constant", "load", 1000, 0, 0);
  report.counts[0].accesses[2].wavefronts = 32000;
  EXPECT_EQ(rules(report), std::vector<std::string>{"constant_order"});
}

TEST(Advice, finds_atomics_on_one_address) {
  ProfileReport report = clean();
  report.counts[0].accesses.push_back(access("global", "atomic", 1000, 1000, 1000));
  EXPECT_EQ(rules(report), std::vector<std::string>());
  report.counts[0].accesses[2].crowd = 32000;
  EXPECT_EQ(rules(report), std::vector<std::string>{"crowded_atomics"});
}

TEST(Advice, finds_idle_lanes) {
  ProfileReport report = loading(1, 4);
  report.counts[0].of_float = {.add = 32 * 50'000};
  report.counts[0].accesses[0].lanes = report.counts[0].accesses[2].lanes = 0;
  report.counts[0].accesses[2].lanes = 16 * 101'000;
  ASSERT_EQ(rules(report), std::vector<std::string>{"idle_lanes"});
  EXPECT_NEAR(advise(report)[0].saving, 0.5, 0.01);
  // In the last steps of a tree of sums few threads have work.
  report.counts[0].exchanged = 1000;
  EXPECT_EQ(rules(report), std::vector<std::string>());
}

TEST(Advice, of_idle_lanes_is_silent_where_device_memory_limits) {
  ProfileReport report = clean();
  report.counts[0].accesses[0].lanes = 16 * 1000;
  EXPECT_EQ(rules(report), std::vector<std::string>());
}

TEST(Advice, finds_double_precision_where_arithmetic_limits) {
  ProfileReport report = clean();
  report.counts[0].of_double.fused = 1000;
  EXPECT_EQ(rules(report), std::vector<std::string>());
  report.counts[0].of_double.fused = 100'000'000;
  EXPECT_EQ(rules(report), std::vector<std::string>{"double_arithmetic"});
}

/// The units that load wait for arithmetic: fewer passes save nothing.
TEST(Advice, is_silent_about_memory_where_arithmetic_limits) {
  ProfileReport report = clean();
  report.counts[0].accesses[0].sectors = 32000;
  report.counts[0].of_float.fused = 100'000'000;
  EXPECT_EQ(rules(report), std::vector<std::string>());
}

TEST(Advice, gives_three_at_most_the_largest_saving_first) {
  ProfileReport report = clean();
  auto& accesses = report.counts[0].accesses;
  accesses.push_back(access("shared", "load", 1000, 0, 0));
  accesses.push_back(access("global", "atomic", 1000, 1000, 1000));
  accesses.push_back(access("constant", "load", 1000, 0, 0));
  accesses[0].sectors = 12000;
  accesses[2].wavefronts = 16000;
  accesses[3].crowd = 32000;
  accesses[4].wavefronts = 13000;
  const auto advice = advise(report);
  ASSERT_EQ(advice.size(), 3u);
  EXPECT_EQ(advice[0].rule, "crowded_atomics");
  EXPECT_GE(advice[0].saving, advice[1].saving);
  EXPECT_GE(advice[1].saving, advice[2].saving);
}

TEST(Advice, of_register_tiles_promises_what_four_by_four_outputs_save) {
  const auto advice = advise(loading(2, 4));
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].rule, "register_tile");
  EXPECT_EQ(advice[0].counted, 2);
  EXPECT_EQ(advice[0].least, 0.5);
  EXPECT_NEAR(advice[0].saving, 0.75, 0.01);
  EXPECT_EQ(advise(loading(1, 4))[0].least, 0.5);
  EXPECT_NEAR(advise(loading(1, 4))[0].saving, 0.5, 0.01);
  // The tile serves an operand that all lanes read in global memory, too.
  ProfileReport both = loading(1, 4);
  both.counts[0].accesses.push_back(access("global", "load", 100'000, 100'000, 100'000));
  both.counts[0].accesses[3].crowd = 3'200'000;
  EXPECT_EQ(advise(both)[0].counted, 2);
  EXPECT_NEAR(advise(both)[0].saving, 0.75, 0.01);
}

/// Operands that the threads of a block load again and again, from the cache of global memory.
ProfileReport loading_globally() {
  ProfileReport report = clean();
  ProfileCountRow& row = report.counts[0];
  row.of_float = {.fused = 32 * 100'000};
  row.accesses[0] = access("global", "load", 100'000, 400'000, 400'000);
  row.accesses[0].array = 1;
  row.arrays = {{.bytes = 128000, .loads = 3'200'000, .of_blocks = 320'000, .of_grids = 3200}};
  return report;
}

TEST(Advice, of_register_tiles_sees_operands_of_global_memory) {
  ASSERT_EQ(rules(loading_globally()), std::vector<std::string>{"register_tile"});
  EXPECT_EQ(advise(loading_globally())[0].counted, 1);
  EXPECT_NEAR(advise(loading_globally())[0].saving, 0.5, 0.01);
  ProfileReport once = loading_globally();
  once.counts[0].arrays[0].of_blocks = once.counts[0].arrays[0].loads;
  EXPECT_EQ(rules(once), std::vector<std::string>());
  // Where the other operand is the same for all lanes, constant memory comes first.
  ProfileReport uniform = loading_globally();
  uniform.counts[0].accesses.push_back(access("global", "load", 100'000, 100'000, 100'000));
  uniform.counts[0].accesses[2].crowd = 3'200'000;
  uniform.counts[0].accesses[2].array = 2;
  uniform.counts[0].arrays.push_back(
      {.bytes = 784, .loads = 3'200'000, .of_blocks = 196, .of_grids = 196});
  EXPECT_EQ(rules(uniform), (std::vector<std::string>{"constant_memory", "register_tile"}));
  EXPECT_EQ(advise(uniform)[1].counted, 2);
  // Some warps have threads of two outputs with different weights.
  uniform.counts[0].accesses[2].sectors = 105'000;
  EXPECT_EQ(rules(uniform), (std::vector<std::string>{"constant_memory", "register_tile"}));
}

/// Each step of a tree of sums loads two words for one operation.
TEST(Advice, of_tiles_is_silent_about_reductions) {
  ProfileReport tree = loading(2, 4);
  tree.counts[0].of_float = {.add = 32 * 100'000};
  tree.layers[0].flops = 32 * 50'000;
  EXPECT_EQ(rules(tree), std::vector<std::string>());
}

/// A kernel that moves data, with an operation now and then.
TEST(Advice, of_register_tiles_is_silent_where_loads_feed_no_arithmetic) {
  EXPECT_EQ(rules(loading(3, 4)), std::vector<std::string>{"register_tile"});
  EXPECT_EQ(rules(loading(4, 4)), std::vector<std::string>());
}

TEST(Advice, of_register_tiles_comes_after_the_steps_that_change_the_loads) {
  ProfileReport report = loading_globally();
  auto& accesses = report.counts[0].accesses;
  accesses[0].sectors = accesses[0].least_sectors = 500'000;  // a tile saves a little
  report.counts[0].arrays[0].of_blocks = 64'000;
  ASSERT_EQ(rules(report), (std::vector<std::string>{"shared_tile", "register_tile"}));
  EXPECT_LT(advise(report)[0].saving, advise(report)[1].saving);

  report = loading(2, 4);
  ProfileCountRow copy = clean().counts[0];
  copy.name = "unroll";
  copy.copies = true;
  for (ProfileAccessRow& access : copy.accesses) access.sectors = access.least_sectors *= 8;
  copy.accesses[1].bytes = 4 * 32000;
  report.counts.push_back(copy);
  ASSERT_EQ(rules(report), (std::vector<std::string>{"fused_copy", "register_tile"}));
  EXPECT_LT(advise(report)[0].saving, advise(report)[1].saving);
}

/// `sums[t] += a * b` loads and stores the sum: both go if it is a local variable.
TEST(Advice, of_register_tiles_counts_sums_in_shared_memory) {
  ProfileReport report = loading(1, 4);
  report.counts[0].accesses.push_back(access("shared", "store", 100'000, 0, 0));
  EXPECT_NEAR(advise(report)[0].saving, 0.75, 0.01);
  report.counts[0].accesses[3].line = 6;  // not of the line that loads
  EXPECT_NEAR(advise(report)[0].saving, 0.25, 0.01);
}

/// Loads of halves cost as much as those of words.
TEST(Advice, of_register_tiles_sees_halves) {
  EXPECT_EQ(rules(loading(2, 2)), std::vector<std::string>{"register_tile"});
  EXPECT_EQ(advise(loading(2, 2))[0].counted, 2);
}

/// A load of 32 lanes in 16 sectors costs 4 passes; from a tile 1, and the tile is filled by one
/// load and one store.
TEST(Advice, of_shared_tiles_subtracts_what_fills_the_tile) {
  ProfileReport report = clean();
  ProfileCountRow& row = report.counts[0];
  row.accesses[0] = access("global", "load", 100'000, 1'600'000, 1'600'000);
  row.accesses[0].array = 1;
  row.accesses[1] = access("global", "store", 1000, 4000, 4000);
  row.arrays = {{.bytes = 128000, .loads = 3'200'000, .of_blocks = 320'000, .of_grids = 3200}};
  ASSERT_EQ(rules(report), std::vector<std::string>{"shared_tile"});
  EXPECT_NEAR(advise(report)[0].saving, (400'000 - 100'000 - 2 * 10'000) / 401'000.0, 0.001);
  row.accesses[0].sectors = row.accesses[0].least_sectors = 400'000;  // as fast as a tile
  EXPECT_EQ(rules(report), std::vector<std::string>());
}

TEST(Advice, of_needless_arithmetic_sees_loads_and_fragments) {
  ProfileReport report = loading(2, 4);
  report.layers[0].flops = 2 * 32 * 100'000 / 2;
  ASSERT_EQ(rules(report), (std::vector<std::string>{"register_tile", "needless_arithmetic"}));
  EXPECT_NEAR(advise(report)[1].saving, 0.5, 0.01);
  report.counts[0].of_float = {};
  report.counts[0].fragments = 10'000;
  report.layers[0].flops = 2 * 10'000.0 * 4096 / 4;
  ASSERT_EQ(rules(report), std::vector<std::string>{"needless_arithmetic"});
  EXPECT_EQ(advise(report)[0].counted, 10'000 * 4096);
  report.layers[0].flops = 2 * 10'000.0 * 4096;
  EXPECT_EQ(rules(report), std::vector<std::string>());
}

/// Smaller savings stand before it, but do not displace it.
TEST(Advice, of_needless_arithmetic_is_given_if_it_saves_more_than_others) {
  ProfileReport report = loading(2, 4);
  report.layers[0].flops = 2 * 32 * 100'000 / 2;
  auto& accesses = report.counts[0].accesses;
  accesses[2].wavefronts = 220'000;
  accesses[2].lanes = 28 * accesses[2].requests;
  accesses.push_back(access("global", "atomic", 1000, 1000, 1000));
  accesses[3].crowd = 32'000;
  ASSERT_EQ(rules(report),
            (std::vector<std::string>{"register_tile", "idle_lanes", "needless_arithmetic"}));
  const auto advice = advise(report);
  EXPECT_GT(advice[2].saving, advice[1].saving);
}

TEST(Limits, are_those_of_the_named_GPU) {
  ProfileReport report = clean();
  report.counts[0].of_double.fused = 100'000;
  report.roofline = "H200";
  add_limits(report);
  EXPECT_EQ(report.counts[0].limit, "memory");
  // 32 bytes of 8000 sectors at 4.8 TB/s.
  EXPECT_NEAR(report.counts[0].least_ns, 256 / 4.8, 0.1);
  report.counts[0].of_double.fused = 200'000;
  add_limits(report);
  EXPECT_EQ(report.counts[0].limit, "memory");
  report.roofline = "A40";
  add_limits(report);
  EXPECT_EQ(report.counts[0].limit, "arithmetic");
}

TEST(Counts, are_read_with_the_launch_before_them) {
  const auto events = read_events(
      "opgrade-profile 1\ndevice 0 0 0 0 0 0 0 emulated device\n"
      "count 2 conv 1 8 1 1 32 1 1 0 0 kernel\n"
      "did 1 2 3 4 5 6 7 8 9 10 11 12 256 14 15 16 1\n"
      "array 128 512 64 32\n"
      "access global load 24 1 8 256 1024 32 16 0 0 1 7 4711 a b.cu\n"
      "end\n");
  ASSERT_EQ(events.problem, "");
  ASSERT_EQ(events.counts.size(), 1u);
  const ProfileCountRow& did = events.counts[0].did;
  EXPECT_EQ(did.of_float, (ProfileArithmetic{1, 2, 3, 4}));
  EXPECT_EQ(did.of_double, (ProfileArithmetic{5, 6, 7, 8}));
  EXPECT_EQ(did.idle, 14);
  EXPECT_EQ(did.exchanged, 16);
  EXPECT_EQ(did.arrays, (std::vector<ProfileArrayRow>{{128, 512, 64, 32}}));
  ASSERT_EQ(did.accesses.size(), 1u);
  EXPECT_EQ(did.accesses[0].sectors, 32);
  EXPECT_EQ(did.accesses[0].exchanged, 7);
  EXPECT_EQ(did.accesses[0].site, 4711);
  EXPECT_EQ(did.accesses[0].file, "a b.cu");
}

TEST(Counts, of_no_launch_and_of_an_unknown_array_are_a_problem) {
  const std::string head = "opgrade-profile 1\ndevice 0 0 0 0 0 0 0 d\n";
  EXPECT_NE(read_events(head + "array 1 2 3 4\nend\n").problem, "");
  EXPECT_NE(read_events(head + "count 1 conv 0 1 1 1 1 1 1 0 0 k\n"
                               "access global load 1 9 1 1 1 1 1 1 1 1 1 1 f\nend\n")
                .problem,
            "");
}

}  // namespace
}  // namespace opgrade
