#include "grader/grading/device/gpu_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "grader/base/core/error.hpp"
#include "grader/base/core/parallel.hpp"
#include "tests/support/fake_referee.hpp"

namespace opgrade {
namespace {

using test::FakeReferee;
using testing::HasSubstr;
using testing::IsEmpty;

/// Fake devices with UUIDs of this process's own, because their locks are the machine's.
class GpuPoolTest : public testing::Test {
 protected:
  void SetUp() override { ::alarm(120); }  // instead of waiting for a device for ever
  void TearDown() override {
    ::alarm(0);
    for (const auto& [uuid, referee] : referees) ::unlink(DeviceLock::path_of(uuid).c_str());
  }

  static std::string uuid(int device) {
    return "test-" + std::to_string(::getpid()) + "-" + std::to_string(device);
  }

  /// `models` one letter a device; those in `unusable` cannot be made.
  GpuPool::Search devices(const std::string& models, const std::string& unusable = "") {
    std::vector<GpuPool::Candidate> found;
    for (std::size_t i = 0; i < models.size(); ++i) {
      const std::string id = uuid(static_cast<int>(i));
      referees[id] = nullptr;
      const bool good = unusable.find(std::to_string(i)) == std::string::npos;
      found.push_back({{std::string("model ") + models[i], id}, [this, id, good] {
                         if (!good) throw Error("no context on " + id, "a hint");
                         auto referee = std::make_unique<FakeReferee>(id);
                         const std::scoped_lock lock(guard);
                         EXPECT_EQ(referees[id], nullptr) << "made twice";
                         referees[id] = referee.get();
                         return referee;
                       }});
    }
    return [found] { return found; };
  }

  std::map<std::string, FakeReferee*> referees;
  std::mutex guard;
};

TEST_F(GpuPoolTest, DevicesStartBeforeAnybodyTakesOne) {
  std::promise<void> searched;
  const GpuPool pool([&] {
    searched.set_value();
    return devices("A")();
  });
  EXPECT_EQ(searched.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

TEST_F(GpuPoolTest, ThreadsTakeTurnsAndUseEveryDevice) {
  constexpr int kDevices = 3;
  constexpr int kThreads = 8;
  GpuPool pool(devices("AAA"));
  std::array<std::atomic<int>, kDevices> users{}, uses{};
  std::atomic<int> at_once{0};
  std::atomic<bool> two = false;
  parallel_for(60, kThreads, [&](int) {
    const auto lease = pool.take();
    EXPECT_EQ(lease.referee()->uuid(), lease.gpu().uuid);
    const auto at = static_cast<std::size_t>(lease.gpu().uuid.back() - '0');
    if (++users[at] > 1) two = true;
    ++uses[at];
    // Until all devices were in use at once, so that no luck is needed.
    for (++at_once; at_once < kDevices;) ::usleep(100);
    ::usleep(200);
    --users[at];
  });
  EXPECT_FALSE(two);
  for (const auto& count : uses) EXPECT_GT(count, 0);
  EXPECT_EQ(uses[0] + uses[1] + uses[2], 60);
  EXPECT_EQ(pool.count(), kDevices);
}

// Where the lock files cannot be made, other graders are not seen, but other threads are.
TEST_F(GpuPoolTest, WithoutLockFilesThreadsStillTakeTurns) {
  const auto device = [](const std::string& id) {
    return GpuPool::Candidate{{"model", id}, [id] { return std::make_unique<FakeReferee>(id); }};
  };
  GpuPool pool([&] { return std::vector{device("no/folder/0"), device("no/folder/1")}; });
  const auto one = pool.take();
  const auto two = pool.take();
  EXPECT_NE(one.gpu().uuid, two.gpu().uuid);
}

TEST_F(GpuPoolTest, AllComeBackAfterExceptions) {
  GpuPool pool(devices("AA"));
  for (int i = 0; i < 6; ++i) {
    EXPECT_THROW(
        {
          auto lease = pool.take();
          run_on(lease, []() -> bool { throw Error("no memory for the report", "a hint"); });
        },
        Error);
  }
  const auto one = pool.take();
  const auto two = pool.take();
  EXPECT_NE(one.gpu().uuid, two.gpu().uuid);
}

TEST_F(GpuPoolTest, AMovedLeaseIsGivenBackOnce) {
  GpuPool pool(devices("AA"));
  auto one = pool.take();
  auto two = std::move(one);
  EXPECT_EQ(one.referee(), nullptr);
  two = pool.take();  // takes the second, then gives the first back
  EXPECT_EQ(two.gpu().uuid, uuid(1));
  EXPECT_EQ(pool.take().gpu().uuid, uuid(0));
}

TEST_F(GpuPoolTest, TheFirstThatNoOtherGraderHas) {
  GpuPool pool(devices("AA"));
  EXPECT_EQ(pool.count(), 2) << "and it is no more busy with getting ready";
  const auto other = DeviceLock::try_take(uuid(0));
  ASSERT_TRUE(other);
  EXPECT_EQ(pool.take().gpu().uuid, uuid(1));
}

TEST_F(GpuPoolTest, WaitsForADeviceThatAnotherGraderHas) {
  GpuPool pool(devices("A"));
  EXPECT_EQ(pool.count(), 1);
  auto other = DeviceLock::try_take(uuid(0));
  ASSERT_TRUE(other);
  std::atomic<bool> given_back = false;
  std::jthread later([&] {
    ::usleep(50'000);
    given_back = true;
    other.reset();
  });
  const auto lease = pool.take();
  EXPECT_TRUE(given_back);
  EXPECT_FALSE(DeviceLock::try_take(uuid(0))) << "other graders must wait for it now";
}

TEST_F(GpuPoolTest, OnlyTheFirstOnesModel) {
  GpuPool pool(devices("ABA"));
  EXPECT_EQ(pool.count(), 2);
  EXPECT_EQ(pool.model(), "model A");
  EXPECT_THAT(pool.unused(), testing::ElementsAre(GpuId{"model B", uuid(1)}));
  const auto one = pool.take();
  const auto two = pool.take();
  EXPECT_EQ(two.gpu().uuid, uuid(2));
}

TEST_F(GpuPoolTest, NothingToSayAboutEqualDevices) {
  EXPECT_THAT(GpuPool(devices("AA")).unused(), IsEmpty());
}

TEST_F(GpuPoolTest, WithoutDevicesNothingIsLeased) {
  for (GpuPool::Search search : {GpuPool::Search(), devices("")}) {
    GpuPool pool(search);
    auto lease = pool.take();
    EXPECT_EQ(lease.referee(), nullptr);
    EXPECT_EQ(pool.count(), 0);
    EXPECT_EQ(pool.model(), "");
    bool done = false;
    run_on(lease, [&] { return done = true; });
    EXPECT_TRUE(done);
  }
}

TEST_F(GpuPoolTest, AFailedSearchIsAFaultOfTheGrader) {
  GpuPool pool([]() -> std::vector<GpuPool::Candidate> { throw Error("the driver", "a hint"); });
  EXPECT_EQ(pool.count(), 0);
  EXPECT_THROW(pool.take(), Error);
  EXPECT_THROW(pool.take(), Error) << "for every submission";
}

TEST_F(GpuPoolTest, DevicesThatCannotBeUsedAreLeftOut) {
  GpuPool pool(devices("AAA", "01"));
  EXPECT_EQ(pool.take().gpu().uuid, uuid(2));
  EXPECT_EQ(pool.count(), 1);
}

TEST_F(GpuPoolTest, WithNoneLeftTheFaultNamesEach) {
  GpuPool pool(devices("AA", "01"));
  try {
    pool.take();
    FAIL() << "taken";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("no context on " + uuid(0)));
    EXPECT_THAT(e.what(), HasSubstr("no context on " + uuid(1)));
    EXPECT_FALSE(e.hint.empty());
  }
}

// As a class is graded: a fault for the case that the device fails in, and for no other.
TEST_F(GpuPoolTest, ADeviceThatFailsCostsOneCase) {
  GpuPool pool(devices("AAA"));
  {
    const auto all = std::array{pool.take(), pool.take(), pool.take()};
    referees[uuid(1)]->broken = "the GPU computes wrongly";
  }
  std::atomic<int> faults{0}, done{0}, at_once{0};
  std::mutex seen_guard;
  std::map<std::string, int> seen;
  constexpr int kSubmissions = 12;
  constexpr int kCases = 3;
  parallel_for(kSubmissions, 4, [&](int) {
    GpuPool::Lease lease;
    for (int c = 0; c < kCases; ++c) {
      try {
        if (lease.referee() == nullptr) lease = pool.take();
        const std::string mine = lease.gpu().uuid;
        run_on(lease, [&] {
          for (++at_once; at_once < 3;) ::usleep(100);
          const std::scoped_lock lock(seen_guard);
          ++seen[mine];
          return true;
        });
        ++done;
      } catch (const Error& e) {
        EXPECT_THAT(e.what(), HasSubstr("computes wrongly"));
        EXPECT_EQ(lease.referee(), nullptr);
        ++faults;
      }
    }
  });
  EXPECT_EQ(faults, 1);
  EXPECT_EQ(done, kSubmissions * kCases - 1);
  EXPECT_EQ(seen[uuid(1)], 1) << "never again after it failed";
  EXPECT_EQ(pool.count(), 2);
}

TEST_F(GpuPoolTest, ADeviceThatAnswersNoMoreIsRetiredWhateverTheCaseSaid) {
  GpuPool pool(devices("A"));
  auto lease = pool.take();
  referees[uuid(0)]->there = false;
  EXPECT_THROW(run_on(lease, [] { return false; }), Error);
  EXPECT_EQ(lease.referee(), nullptr);
  lease = {};
  EXPECT_EQ(pool.count(), 0);
  try {
    pool.take();
    FAIL() << "taken";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("answers the grader no more"));
  }
}

TEST_F(GpuPoolTest, AFaultOfTheGraderAloneKeepsTheDevice) {
  GpuPool pool(devices("A"));
  auto lease = pool.take();
  EXPECT_THROW(run_on(lease, []() -> bool { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_NE(lease.referee(), nullptr);
  EXPECT_EQ(pool.count(), 1);
}

TEST_F(GpuPoolTest, ADeviceThatCannotBeginIsProvenLikeAnyOther) {
  GpuPool pool(devices("A"));
  auto lease = pool.take();
  referees[uuid(0)]->at_begin = [] { throw Error("cudaMemGetInfo", "a hint"); };
  EXPECT_THROW(run_on(lease, [] { return true; }), Error);
  EXPECT_EQ(pool.count(), 1);
  referees[uuid(0)]->broken = "cudaErrorIllegalAddress";
  EXPECT_THROW(run_on(lease, [] { return true; }), Error);
  EXPECT_EQ(pool.count(), 0);
}

/// What run_on throws, whose hint is part of it.
std::string fault_of(GpuPool::Lease& lease, const std::function<bool()>& work,
                     const std::function<void()>& control) {
  try {
    run_on(lease, work, control);
  } catch (const Error& e) {
    return std::string(e.what()) + " -> " + e.hint;
  }
  return "none";
}

void fails_for_everybody() { throw DeviceFault("not for the reference either", "set a variable"); }

// The device computes for the grader, yet no process of the sandbox can use it.
TEST_F(GpuPoolTest, ADeviceThatWorksForNobodyIsRetiredAndTheOthersGoOn) {
  GpuPool pool(devices("AAA"));
  std::map<std::string, int> seen;
  int faults = 0;
  for (int i = 0; i < 8; ++i) {
    GpuPool::Lease lease = pool.take();
    const std::string mine = lease.gpu().uuid;
    ++seen[mine];
    const bool bad = mine == uuid(0);
    const auto fault = fault_of(
        lease, [&] { return !bad; },
        [&] {
          if (bad) fails_for_everybody();
        });
    EXPECT_EQ(fault != "none", bad);
    EXPECT_EQ(lease.referee() == nullptr, bad);
    if (!bad) continue;
    ++faults;
    EXPECT_THAT(fault, HasSubstr("not for the reference either -> set a variable; "));
    EXPECT_THAT(fault, HasSubstr("no longer uses the device"));
    EXPECT_THAT(fault, HasSubstr("CUDA_VISIBLE_DEVICES"));
  }
  EXPECT_EQ(faults, 1);
  EXPECT_EQ(seen[uuid(0)], 1) << "never given out again";
  EXPECT_EQ(seen[uuid(1)], 7);
  EXPECT_EQ(pool.count(), 2);
}

TEST_F(GpuPoolTest, WithAllOfThemRetiredTheFaultSaysWhatToDoAboutEach) {
  GpuPool pool(devices("AA"));
  for (int i = 0; i < 2; ++i) {
    auto lease = pool.take();
    EXPECT_NE(fault_of(
                  lease, [] { return false; }, fails_for_everybody),
              "none");
  }
  try {
    pool.take();
    FAIL() << "taken";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr(uuid(0) + ": not for the reference either; " + uuid(1)));
    EXPECT_THAT(e.hint, HasSubstr("set a variable"));
    EXPECT_THAT(e.hint, HasSubstr("nvidia-smi"));
  }
}

TEST_F(GpuPoolTest, AControlThatCannotBeTriedKeepsTheDevice) {
  GpuPool pool(devices("A"));
  auto lease = pool.take();
  const auto fault = fault_of(
      lease, [] { return false; }, [] { throw Error("the disk is full", "make room"); });
  EXPECT_EQ(fault, "the disk is full -> make room");
  EXPECT_NE(lease.referee(), nullptr);
  EXPECT_EQ(pool.count(), 1);
}

TEST_F(GpuPoolTest, TheControlComesLastAndOnlyOnADeviceProvenUsable) {
  GpuPool pool(devices("AA"));
  auto lease = pool.take();
  int controls = 0;
  EXPECT_THROW(run_on(
                   lease, []() -> bool { throw std::bad_alloc(); }, [&] { ++controls; }),
               std::bad_alloc);
  run_on(
      lease, [&] { return controls == 0; }, [&] { ++controls; });
  EXPECT_EQ(controls, 1);
  referees[lease.gpu().uuid]->broken = "the GPU computes wrongly";
  EXPECT_THROW(run_on(
                   lease, [] { return false; }, [&] { ++controls; }),
               Error);
  EXPECT_EQ(controls, 1);
  GpuPool::Lease nothing;
  run_on(
      nothing, [] { return false; }, [&] { ++controls; });
  EXPECT_EQ(controls, 2) << "the emulated device is controlled as well";
}

// Another program that takes device memory looks like a submission whose memory stays away.
TEST_F(GpuPoolTest, ADeviceTakenByAnotherProgramSaysHowToChooseAnother) {
  GpuPool pool(devices("A"));
  auto lease = pool.take();
  referees[uuid(0)]->broken = "device memory of this submission did not come back";
  EXPECT_THAT(fault_of(lease, [] { return true; }, {}),
              HasSubstr("-> a hint; this run no longer uses the device: "
                        "CUDA_VISIBLE_DEVICES chooses others for the next one"));
}

TEST_F(GpuPoolTest, SeveralTogetherAreInTheOrderOfTheirUuids) {
  GpuPool pool(devices("AAA"));
  const auto first = pool.take();
  const auto others = pool.take_together(2);
  ASSERT_EQ(others.size(), 2U);
  EXPECT_EQ(others[0].gpu().uuid, uuid(1));
  EXPECT_EQ(others[1].gpu().uuid, uuid(2));
}

TEST_F(GpuPoolTest, SeveralTogetherWaitForTheLastOne) {
  GpuPool pool(devices("AA"));
  EXPECT_EQ(pool.count(), 2);
  auto other = DeviceLock::try_take(uuid(1));
  ASSERT_TRUE(other);
  std::atomic<bool> given_back = false;
  std::jthread later([&] {
    ::usleep(50'000);
    given_back = true;
    other.reset();
  });
  const auto both = pool.take_together(2);
  EXPECT_TRUE(given_back);
  EXPECT_EQ(both.size(), 2U);
}

// Two graders on one machine, with threads that want one device and threads that want two or all.
TEST_F(GpuPoolTest, ManyLeasesOfOneAndOfSeveralNeverWaitForEachOther) {
  constexpr int kDevices = 3;
  std::vector<GpuPool::Candidate> found;
  for (int i = 0; i < kDevices; ++i) {
    referees[uuid(i)] = nullptr;
    found.push_back(
        {{"model", uuid(i)}, [id = uuid(i)] { return std::make_unique<FakeReferee>(id); }});
  }
  GpuPool one([&] { return found; }), another([&] { return found; });
  std::array<std::atomic<int>, kDevices> users{};
  std::atomic<bool> two = false;
  parallel_for(120, 9, [&](int i) {
    GpuPool& pool = i % 2 == 0 ? one : another;
    GpuPool::Leases leases;
    if (i % 3 == 0)
      leases.push_back(pool.take());
    else
      leases = pool.take_together(1 + i % 3);
    for (const auto& lease : leases)
      if (++users.at(static_cast<std::size_t>(lease.gpu().uuid.back() - '0')) > 1) two = true;
    ::usleep(300);
    for (const auto& lease : leases)
      --users.at(static_cast<std::size_t>(lease.gpu().uuid.back() - '0'));
  });
  EXPECT_FALSE(two);
}

// One device would be given to another thread as soon as it is free, if who wants both held none.
TEST_F(GpuPoolTest, SeveralTogetherAreNotOvertakenForEver) {
  GpuPool pool(devices("AA"));
  std::atomic<bool> done = false;
  std::atomic<int> at_work = 0;
  std::vector<std::jthread> others;
  for (int i = 0; i < 5; ++i)
    others.emplace_back([&] {
      while (!done) {
        const auto lease = pool.take();
        ++at_work;
        ::usleep(1000);
        --at_work;
      }
    });
  while (at_work == 0) ::usleep(100);
  const auto both = pool.take_together(2);
  EXPECT_EQ(at_work, 0);
  done = true;
}

TEST_F(GpuPoolTest, TooFewTogetherAreAFault) {
  GpuPool few(devices("AB"));
  EXPECT_THAT([&] { few.take_together(2); },
              testing::ThrowsMessage<Error>(HasSubstr("2 GPUs of one model are needed, and "
                                                      "opgrade sees 1")));
}

TEST_F(GpuPoolTest, TogetherWithOneThatFailsNobodyKeepsTheOther) {
  GpuPool pool(devices("AA", "1"));
  EXPECT_THAT([&] { pool.take_together(2); },
              testing::ThrowsMessage<Error>(HasSubstr("too few GPUs are left")));
  EXPECT_EQ(pool.take().gpu().uuid, uuid(0));
}

TEST_F(GpuPoolTest, EachOfSeveralIsNotedAndProven) {
  GpuPool pool(devices("AA"));
  auto both = pool.take_together(2);
  int noted = 0;
  for (const int i : {0, 1}) referees[uuid(i)]->at_begin = [&] { ++noted; };
  bool done = false;
  run_on(both, [&] { return done = true; });
  EXPECT_TRUE(done);
  EXPECT_EQ(noted, 2);
  referees[uuid(1)]->broken = "memory did not come back";
  EXPECT_THROW(run_on(both, [] { return true; }), Error);
  EXPECT_NE(both[0].referee(), nullptr);
  EXPECT_EQ(both[1].referee(), nullptr);
  EXPECT_EQ(pool.count(), 1);
}

TEST_F(GpuPoolTest, TryTakeWaitsForNobody) {
  GpuPool pool(devices("A"));
  auto lease = pool.try_take();
  ASSERT_TRUE(lease);
  EXPECT_FALSE(pool.try_take());
  lease.reset();
  EXPECT_TRUE(pool.try_take());
}

// Its memory is taken until it has ended.
TEST_F(GpuPoolTest, MemoryIsNeitherNotedNorWaitedForWhileAProcessStays) {
  GpuPool pool(devices("A"));
  auto lease = pool.take();
  FakeReferee& referee = *referees.at(uuid(0));
  int noted = 0;
  referee.at_begin = [&] { ++noted; };
  bool there = false;
  const auto stays = [&] { return there; };
  run_on(
      lease, [&] { return there = true; }, {}, stays);
  EXPECT_EQ(noted, 1);
  referee.broken = "memory did not come back";
  run_on(
      lease, [] { return true; }, {}, stays);
  EXPECT_EQ(noted, 1);
  EXPECT_THROW(run_on(
                   lease, [&] { return !(there = false); }, {}, stays),
               Error);
}

}  // namespace
}  // namespace opgrade
