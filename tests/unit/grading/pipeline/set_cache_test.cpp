// Sets of large calls serve a class's other submissions, and none that could know them.
#include "grader/grading/pipeline/set_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/pipeline/set_file.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::system_clock;
using testing::Each;
using testing::ElementsAreArray;

constexpr SetCache::Limits kKeepAll{.seconds = 0,
                                    .bytes_a_second = std::numeric_limits<double>::infinity()};
constexpr std::size_t kWords = 4 << 20;  // several pieces of a file
const Coordinates kSizes{{"n", 5}, {"m", 7}};

std::span<const std::byte> bytes_of(const std::vector<float>& words) {
  return std::as_bytes(std::span(words));
}

/// Outputs and two inputs that follow from the seed. The second half of the outputs is blank.
StaffOutput set_of(std::uint64_t seed) {
  struct Memory {
    std::vector<float> words = std::vector<float>(kWords), first = std::vector<float>(300000),
                       second = std::vector<float>(1);
  };
  const auto memory = std::make_shared<Memory>();
  const auto value = static_cast<float>(seed % 1000);
  for (std::size_t i = 0; i < kWords; ++i) memory->words[i] = value + static_cast<float>(i);
  std::memset(memory->words.data() + kWords / 2, 0xff, kWords / 2 * sizeof(float));
  for (std::size_t i = 0; i < memory->first.size(); ++i)
    memory->first[i] = static_cast<float>(i % 1000) - value;
  memory->second[0] = value;
  return {bytes_of(memory->words), memory, {bytes_of(memory->first), bytes_of(memory->second)}};
}

bool are_same(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::ranges::equal(a, b);
}

bool are_same(const StaffOutput& a, const StaffOutput& b) {
  return are_same(a.bytes, b.bytes) &&
         std::ranges::equal(a.inputs, b.inputs,
                            [](const auto& x, const auto& y) { return are_same(x, y); });
}

class SetCacheTest : public testing::Test {
 protected:
  SetCache cache(Clock::time_point handed_in = {}, const std::string& task = "task") const {
    return {folder_, task, handed_in, kKeepAll};
  }

  /// The seeds of the next fresh sets.
  std::vector<std::uint64_t> seeds(CallSets& sets, int count, const Coordinates& sizes = kSizes) {
    std::vector<std::uint64_t> all;
    for (int i = 0; i < count; ++i) {
      const auto set = sets.fresh(sizes, make_, 2);
      float value;
      std::memcpy(&value, set.inputs[1].data(), sizeof value);
      all.push_back(static_cast<std::uint64_t>(value));
      EXPECT_TRUE(are_same(set, set_of(all.back())));
    }
    return all;
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(folder_, missing))
      if (entry.path().extension() == ".set") all.push_back(entry.path());
    return all;
  }

  const TempDir place_{"opgrade-test-"};
  const fs::path folder_ = place_.path() / "cache/opgrade/sets";
  std::atomic<int> made_ = 0;
  const CallSets::Make make_ = [this](std::uint64_t seed) {
    ++made_;
    return set_of(seed);
  };
};

TEST_F(SetCacheTest, ASecondSubmissionHasTheSetsOfTheFirst) {
  SetCache all = cache();
  const auto first = seeds(*all.for_submission("gpu"), 3);
  EXPECT_EQ(made_, 3);
  EXPECT_THAT(seeds(*all.for_submission("gpu"), 3), ElementsAreArray(first));
  EXPECT_EQ(made_, 3);
  EXPECT_EQ(files().size(), 3U);
}

TEST_F(SetCacheTest, ASubmissionHasNoSetTwice) {
  SetCache all = cache();
  const auto sets = all.for_submission("gpu");
  std::vector<std::uint64_t> had;
  for (int i = 0; i < 4; ++i)
    sets->fresh(
        kSizes, [&](std::uint64_t seed) { return had.push_back(seed), set_of(seed); }, 1);
  std::ranges::sort(had);
  EXPECT_EQ(std::ranges::unique(had).size(), 0U);
  EXPECT_EQ(had.size(), 4U);
}

TEST_F(SetCacheTest, AnotherStageHasOtherSets) {
  SetCache all = cache();
  seeds(*all.for_submission("gpu"), 2);
  seeds(*all.for_submission("cpu"), 2);
  EXPECT_EQ(made_, 4) << "the process of one could leave its outputs for the other's";
}

TEST_F(SetCacheTest, OtherProcessesHaveTheRoundThatBeganAfterTheHandIn) {
  const auto handed_in = Clock::now();
  SetCache one = cache(handed_in), other = cache(handed_in);
  const auto first = seeds(*one.for_submission("gpu"), 2);
  EXPECT_THAT(seeds(*other.for_submission("gpu"), 2), ElementsAreArray(first));
  EXPECT_EQ(made_, 2);
}

TEST_F(SetCacheTest, WhatIsHandedInLaterHasOtherSets) {
  SetCache one = cache(Clock::now());
  seeds(*one.for_submission("gpu"), 2);
  SetCache later = cache(Clock::now() + std::chrono::milliseconds(1));
  seeds(*later.for_submission("gpu"), 2);
  EXPECT_EQ(made_, 4) << "its author may have seen the inputs of the first";
}

TEST_F(SetCacheTest, AnotherTaskSizeOrSeedHasOtherSets) {
  SetCache all = cache(), changed = cache({}, "another task");
  const auto sets = all.for_submission("gpu");
  sets->of_seed(kSizes, 1, make_, 1);
  EXPECT_EQ(made_, 1);
  sets->of_seed(kSizes, 1, make_, 1);
  all.for_submission("gpu")->of_seed(kSizes, 1, make_, 1);
  EXPECT_EQ(made_, 1);
  sets->of_seed(kSizes, 2, make_, 1);
  EXPECT_EQ(made_, 2);
  sets->of_seed({{"n", 7}, {"m", 5}}, 1, make_, 1);
  EXPECT_EQ(made_, 3);
  changed.for_submission("gpu")->of_seed(kSizes, 1, make_, 1);
  EXPECT_EQ(made_, 4);
}

TEST_F(SetCacheTest, ADamagedFileIsMadeAnew) {
  SetCache all = cache();
  const auto take = [&] { return all.for_submission("gpu")->of_seed(kSizes, 5, make_, 2); };
  take();
  ASSERT_EQ(files().size(), 1U);
  const fs::path file = files().front();
  const auto size = static_cast<std::int64_t>(fs::file_size(file));
  const auto flip = [&](std::int64_t at) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(at);
    const char byte = static_cast<char>(stream.get() ^ 1);
    stream.seekp(at);
    stream.put(byte);
  };
  const auto call_blank = [&](std::int64_t at) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(at);
    stream << std::string(8, '\xff');
  };
  const std::vector<std::function<void()>> damages{
      [&] { flip(0); },            // the format
      [&] { flip(20); },           // the key
      [&] { flip(8 + 64 + 8); },   // the number of bytes
      [&] { call_blank(344); },    // the first piece
      [&] { flip(size / 3); },     // an output
      [&] { flip(size - 4096); },  // the last input
      [&] { fs::resize_file(file, static_cast<std::uintmax_t>(size - 4096)); },
      [&] { fs::resize_file(file, static_cast<std::uintmax_t>(size + 4096)); },
      [&] { fs::resize_file(file, 0); },
      [&] { fs::permissions(file, fs::perms::others_write, fs::perm_options::add); },
      [&] { fs::remove(file), fs::create_symlink("/dev/zero", file); }};
  for (std::size_t i = 0; i < damages.size(); ++i) {
    made_ = 0;
    damages[i]();
    EXPECT_TRUE(are_same(take(), set_of(5))) << i;
    EXPECT_EQ(made_, 1) << i;
    EXPECT_TRUE(are_same(take(), set_of(5))) << i;
    EXPECT_EQ(made_, 1) << i << ": the new one was kept";
  }
}

TEST_F(SetCacheTest, AFileOfAnotherSetIsNotTaken) {
  SetCache all = cache();
  const auto sets = all.for_submission("gpu");
  sets->of_seed(kSizes, 1, make_, 1);
  const fs::path first = files().front();
  sets->of_seed(kSizes, 2, make_, 1);
  for (const auto& file : files())
    if (file != first) fs::rename(file, first);
  EXPECT_TRUE(are_same(sets->of_seed(kSizes, 1, make_, 1), set_of(1)));
}

TEST_F(SetCacheTest, OnlyTheOwnerReadsThem) {
  SetCache all = cache(Clock::now());
  seeds(*all.for_submission("gpu"), 1);
  struct stat status {};
  ASSERT_EQ(::stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600) << entry.path();
  }
  for (const auto perm : {fs::perms::group_read, fs::perms::others_exec, fs::perms::others_write}) {
    fs::permissions(folder_, perm, fs::perm_options::add);
    made_ = 0;
    seeds(*all.for_submission("gpu"), 1);
    EXPECT_EQ(made_, 1) << "others may reach the folder";
    fs::permissions(folder_, perm, fs::perm_options::remove);
  }
}

TEST_F(SetCacheTest, WhatIsMadeQuicklyIsNotKept) {
  for (const SetCache::Limits limits :
       {SetCache::Limits{.seconds = 1e6}, SetCache::Limits{.seconds = 0, .bytes_a_second = 1e-6}}) {
    SetCache all(folder_, "task", {}, limits);
    seeds(*all.for_submission("gpu"), 2);
    seeds(*all.for_submission("gpu"), 2);
    EXPECT_TRUE(files().empty());
  }
  EXPECT_EQ(made_, 8);
}

TEST_F(SetCacheTest, TheOldestMakesRoom) {
  SetCache::Limits limits = kKeepAll;
  limits.bytes = 3 * kWords * sizeof(float);
  SetCache before(folder_, "task", Clock::now(), limits);
  seeds(*before.for_submission("gpu"), 2);
  const auto old = files();
  ASSERT_EQ(old.size(), 2U);
  for (std::size_t i = 0; i < old.size(); ++i)
    fs::last_write_time(old[i], fs::file_time_type::clock::now() - std::chrono::hours(2 - i));
  SetCache now(folder_, "task", Clock::now() + std::chrono::milliseconds(1), limits);
  limits.bytes = 2 * kWords * sizeof(float);
  SetCache smaller(folder_, "task", Clock::now() + std::chrono::milliseconds(1), limits);
  seeds(*smaller.for_submission("gpu"), 1);
  EXPECT_FALSE(fs::exists(old[0])) << "the oldest";
  EXPECT_TRUE(fs::exists(old[1]));
  seeds(*smaller.for_submission("gpu"), 6);
  EXPECT_FALSE(fs::exists(old[1]));
  const auto kept = files().size();
  EXPECT_LT(kept, 6U);
  made_ = 0;
  seeds(*smaller.for_submission("gpu"), static_cast<int>(kept));
  EXPECT_EQ(made_, 0) << "the first sets of a round are wanted by each submission";
}

TEST_F(SetCacheTest, NoneStaysForLong) {
  SetCache all = cache();
  seeds(*all.for_submission("gpu"), 2);
  fs::last_write_time(files().front(), fs::file_time_type::clock::now() - std::chrono::hours(25));
  cache();
  EXPECT_EQ(files().size(), 1U);
  fs::last_write_time(files().front(), fs::file_time_type::clock::now() + std::chrono::hours(25));
  cache();
  EXPECT_TRUE(files().empty()) << "made while the clock was wrong, it would take room until then";
}

TEST_F(SetCacheTest, OneOfTwoMakesWhatBothWant) {
  SetCache all = cache();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { seeds(*all.for_submission("gpu"), 2); });
  }
  EXPECT_EQ(made_, 2);
}

TEST_F(SetCacheTest, TwoProcessesMayMakeTheSame) {
  SetCache one = cache(), other = cache();
  {
    std::vector<std::jthread> threads;
    for (SetCache* all : {&one, &other})
      threads.emplace_back([this, all] {
        const auto sets = all->for_submission("gpu");
        for (std::uint64_t seed = 0; seed < 4; ++seed)
          EXPECT_TRUE(are_same(sets->of_seed(kSizes, seed, make_, 2), set_of(seed)));
      });
  }
  EXPECT_EQ(files().size(), 4U);
}

TEST_F(SetCacheTest, MemoryServesSetsWithOtherBlankPieces) {
  const auto memory = std::make_shared<SetMemory>();
  fs::create_directories(folder_);
  std::vector<std::vector<float>> all(4, std::vector<float>(kWords, 3));
  std::memset(all[1].data(), 0xff, kWords / 2 * sizeof(float));
  std::memset(all[2].data() + kWords / 2, 0xff, kWords / 2 * sizeof(float));
  for (std::size_t i = 0; i < all.size(); ++i)
    write_set(folder_ / std::to_string(i), "key", {bytes_of(all[i]), nullptr, {}}, 2);
  for (const std::size_t i : {0, 1, 2, 1, 3, 2, 0})
    EXPECT_TRUE(are_same(read_set(folder_ / std::to_string(i), "key", *memory, 2).value().bytes,
                         bytes_of(all[i])))
        << i;
}

TEST_F(SetCacheTest, BlankScalesTakeNoSpace) {
  SetCache all = cache();
  seeds(*all.for_submission("gpu"), 1);
  struct stat status {};
  ASSERT_EQ(::stat(files().front().c_str(), &status), 0);
  const auto bytes = set_of(0).bytes.size();
  EXPECT_LT(static_cast<std::size_t>(status.st_blocks) * 512, bytes * 3 / 4);
}

}  // namespace
}  // namespace opgrade
