// A log that remembers other warps hands over what a new one does.
#include "grader/emulation/runtime/count/warp_log.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace opgrade_emulation {
namespace {

struct Access {
  std::uint64_t path;
  std::uintptr_t site;
  Use use = Use::load;
  LoopRound loop{};
};
using Lanes = std::vector<std::vector<Access>>;
using Requests = std::vector<std::tuple<std::uint64_t, unsigned, std::uint32_t, std::uintptr_t>>;

/// Lane l accesses 64 l, then the word behind it, ...
Requests requests(WarpLog& log, const Lanes& lanes) {
  for (unsigned lane = 0; lane < lanes.size(); ++lane) {
    WarpLog::Cursor cursor;
    std::uintptr_t address = 64 * lane;
    for (const Access& a : lanes[lane]) {
      const AccessSite site{reinterpret_cast<const void*>(a.site), Space::shared, a.use};
      if (!log.add_expected(cursor, lane, a.path, site, address))
        log.add(cursor, lane, a.path, site, 4, address, a.loop);
      address += 4;
    }
  }
  Requests all;
  log.flush([&](const Request& r) {
    const auto first = static_cast<unsigned>(__builtin_ctz(r.mask));
    all.emplace_back(r.site.word(), r.bytes, r.mask, r.address[first]);
  });
  EXPECT_TRUE(log.empty());
  return all;
}

std::vector<Access> rounds(std::uintptr_t site, unsigned n) {
  std::vector<Access> all;
  for (unsigned i = 0; i < n; ++i) all.push_back({LoopRound{7, i}.path(), site, Use::load, {7, i}});
  return all;
}

std::vector<Access> rounds_with_a_store() {
  std::vector<Access> all = rounds(1, 4);
  all.insert(all.begin() + 2, {5, 2, Use::store});
  return all;
}

const std::vector<Lanes> kWarps{
    {{{1, 1}, {2, 1}, {3, 1}}, {{1, 1}, {2, 1}, {3, 1}}},  // a loop's rounds
    {{{1, 1}, {3, 1}, {2, 1}},
     {{1, 1}, {2, 1}, {3, 1}}},                    // another order, and one lane in the first
    {{{1, 1}, {2, 1}}, {{1, 1}, {2, 1}, {3, 1}}},  // the second lane goes on
    {{{1, 1}, {1, 1}, {2, 1}}, {{1, 1}, {2, 1}}},  // the same access twice
    {{{1, 1}, {2, 1}, {1, 1}}, {{1, 1}, {1, 1}, {1, 1}}},  // twice where another one was
    {{{2, 1}, {1, 1}}, {{1, 1}}},
    {rounds(1, 4), rounds(1, 4)},      // merged
    {rounds_with_a_store()},           // in parts
    {rounds(1, 200), rounds(2, 200)},  // more than there were slots
    {{{4, 9}}, {}, {{4, 9}}},
};

TEST(WarpLog, hands_over_the_same_requests_after_any_other_warp) {
  for (const Lanes& before : kWarps)
    for (const Lanes& now : kWarps) {
      WarpLog fresh, used;
      const Requests expected = requests(fresh, now);
      requests(used, before);
      EXPECT_EQ(requests(used, now), expected);
      EXPECT_EQ(requests(used, now), expected);
      requests(used, before);
      EXPECT_EQ(requests(used, now), expected);
    }
}

TEST(WarpLog, forgets_accesses_that_do_not_come_again) {
  WarpLog log;
  for (std::uint64_t i = 1; i < 500; ++i) {
    const Requests all = requests(log, {{{1, 1}, {i + 1, 1}, {i + 500, 1}}});
    EXPECT_EQ(all.size(), 3u);
  }
}

TEST(WarpLog, orders_requests_by_their_first_lane) {
  WarpLog log;
  requests(log, kWarps[0]);
  const Requests all = requests(log, kWarps[2]);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(std::get<2>(all[0]), 3u);
  EXPECT_EQ(std::get<2>(all[1]), 3u);
  EXPECT_EQ(std::get<2>(all[2]), 2u);
}

}  // namespace
}  // namespace opgrade_emulation
