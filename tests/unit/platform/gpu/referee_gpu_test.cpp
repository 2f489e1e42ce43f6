// The referee on a GPU: turns of threads, memory, proofs and checks of another process's tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "grader/platform/gpu/referee.hpp"
#include "grader/task/conv/conv_coordinates.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

/// Array x alone has 512 MiB, the most that a case may leave behind unseen; y comes on top.
constexpr ConvShape kLarge{.B = 8192, .M = 1, .C = 1, .H = 128, .W = 128, .K = 7, .S = 1};

/// y is only a size: the referee opens the peer's.
DeviceProblem conv_problem(const ConvShape& shape, std::span<const float> x,
                           std::span<const float> k) {
  const std::span y(x.data(), static_cast<std::size_t>(shape.y_size()));
  return {.truth = "conv", .sizes = sizes_of(shape), .buffers = {y, x, k}};
}

class RefereeOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    OPGRADE_SKIP_UNLESS("gpu", !Referee::devices().empty(), "no GPU answers");
  }
};

TEST_F(RefereeOnGpu, EachDeviceIsItsOwn) {
  std::set<std::string> uuids;
  const auto devices = Referee::devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto referee = Referee::make(static_cast<int>(i));
    EXPECT_EQ(referee->uuid(), devices[i].uuid);
    EXPECT_FALSE(devices[i].name.empty());
    uuids.insert(referee->uuid());
  }
  EXPECT_EQ(uuids.size(), devices.size());
}

TEST_F(RefereeOnGpu, ThreadsTakeTurns) {
  const auto referee = Referee::make(0);
  for (int i = 0; i < 4; ++i) {
    std::thread([&] {
      referee->begin_case();
      EXPECT_TRUE(referee->answers());
      referee->hold();
      referee->release();
      EXPECT_NO_THROW(referee->prove_done());
      EXPECT_NO_THROW(referee->prove_usable());
    }).join();
  }
}

/// The grader's memory on one device does not count on another.
TEST_F(RefereeOnGpu, MemoryIsCountedPerDevice) {
  OPGRADE_SKIP_UNLESS("two-gpus", Referee::devices().size() >= 2, "needs two GPUs");
  const std::vector<float> x(static_cast<std::size_t>(kLarge.x_size()), 1.0F);
  const std::vector<float> k(static_cast<std::size_t>(kLarge.k_size()), 1.0F);
  const auto one = Referee::make(0);
  auto two = Referee::make(1);
  two->begin_case();
  two->load(conv_problem(kLarge, x, k));
  EXPECT_NO_THROW(two->prove_usable()) << "its own arrays are not a submission's";
  one->begin_case();
  two.reset();
  EXPECT_NO_THROW(one->prove_usable()) << "the other device's memory is not this one's";
  EXPECT_TRUE(one->answers());
}

/// A process with the tensors of a convolution on the device: referee_peer.cu.
class Peer {
 public:
  Peer(const ConvShape& s, std::span<const float> k) {
    std::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> questions{}, answers{};
    if (pipe(questions.data()) != 0 || pipe(answers.data()) != 0) return;
    // The peer lies beside this program: a build folder may have been copied.
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    std::vector<std::string> words = {here / "referee_peer"};
    for (const int size : {s.B, s.M, s.C, s.H, s.W, s.K, s.S})
      words.push_back(std::to_string(size));
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    child_ = fork();
    if (child_ == 0) {
      dup2(questions[0], STDIN_FILENO);
      dup2(answers[1], STDOUT_FILENO);
      for (const int end : {questions[0], questions[1], answers[0], answers[1]}) ::close(end);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    ::close(questions[0]);
    ::close(answers[1]);
    to_ = questions[1];
    from_ = answers[0];
    const auto bytes = std::as_bytes(k);
    if (write(to_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return;
    for (auto& handle : handles_) started_ = take(handle.data(), handle.size());
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() {
    ::close(to_);
    ::close(from_);
    if (child_ > 0) waitpid(child_, nullptr, 0);
  }

  bool started() const { return started_; }
  SharedDeviceTensor y() const { return {handles_[0], 0}; }
  SharedDeviceTensor x() const { return {handles_[1], 0}; }

  /// Computes y from its x and k, with element `spoiled` wrong; -1: none.
  bool compute(std::int64_t spoiled) {
    char done = 0;
    return write(to_, &spoiled, sizeof spoiled) == sizeof spoiled && take(&done, 1);
  }

 private:
  bool take(char* to, std::size_t count) const {
    while (count > 0) {
      const ssize_t got = read(from_, to, count);
      if (got <= 0) return false;
      to += got;
      count -= static_cast<std::size_t>(got);
    }
    return true;
  }

  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
  bool started_ = false;
  std::array<std::array<char, 64>, 2> handles_{};
};

/// Writes the input as before a call. No call follows.
void write_input(Referee& referee, std::uint64_t signs) {
  referee.prepare(signs, Referee::Start::poison);
  referee.hold();
  referee.release();
}

/// The referee is attached to a convolution's tensors, which another process has on the device.
class RefereeTimes : public RefereeOnGpu {
 protected:
  void SetUp() override {
    RefereeOnGpu::SetUp();
    if (IsSkipped()) return;
    x.assign(static_cast<std::size_t>(shape.x_size()), 1.0F);
    k.assign(static_cast<std::size_t>(shape.k_size()), 1.0F);
    referee = Referee::make(0);
    peer.emplace(shape, k);
    ASSERT_TRUE(peer->started());
    referee->load(conv_problem(shape, x, k));
    ASSERT_TRUE(referee->attach(peer->y(), peer->x()));
  }

  const ConvShape shape{.B = 10, .M = 4, .C = 1, .H = 86, .W = 86, .K = 7};
  std::vector<float> x, k;
  std::unique_ptr<Referee> referee;
  std::optional<Peer> peer;
};

TEST_F(RefereeTimes, WhatIsWrittenAfterTheProofIsSeen) {
  write_input(*referee, 1);
  referee->prove_done();
  ASSERT_TRUE(peer->compute(-1));
  EXPECT_TRUE(referee->check(1e-6, 1).passed());
  EXPECT_FALSE(referee->output_stayed()) << "it was poison when the call was reported done";
}

TEST_F(RefereeTimes, WhatIsThereByThenStays) {
  write_input(*referee, 2);
  ASSERT_TRUE(peer->compute(-1));
  referee->prove_done();
  EXPECT_TRUE(referee->check(1e-6, 2).passed());
  EXPECT_TRUE(referee->output_stayed());
}

TEST_F(RefereeTimes, NothingOfAnotherProcessRunsWhileTheDeviceIsHeld) {
  referee->prepare(3, Referee::Start::poison);
  referee->hold();
  std::atomic<bool> done{false};
  std::thread other([&] { done = peer->compute(-1); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const bool early = done;
  referee->release();
  other.join();
  EXPECT_TRUE(done);
  EXPECT_TRUE(!early || referee->intrusion().count() > 0) << "or it is seen";
}

/// The tiled kernel checks the first five shapes, the general one the rest:
/// task/conv/device/truth_plan.hpp. Scratch memory holds fewer than 1400 or 3000 images at a time.
class RefereeFinds : public RefereeOnGpu, public testing::WithParamInterface<ConvShape> {};

TEST_P(RefereeFinds, OneWrongElementWhereverItIs) {
  const ConvShape s = GetParam();
  constexpr double kBound = 1e-6;  // a float's rounding is 6e-8 of it
  std::mt19937 random(1);
  std::uniform_real_distribution<float> real(-1.0F, 1.0F);
  std::vector<float> x(static_cast<std::size_t>(s.x_size()));
  std::vector<float> k(static_cast<std::size_t>(s.k_size()));
  for (float& v : x) v = real(random);
  for (float& v : k) v = real(random);
  const auto referee = Referee::make(0);
  Peer peer(s, k);
  ASSERT_TRUE(peer.started());
  referee->load(conv_problem(s, x, k));
  ASSERT_TRUE(referee->attach(peer.y(), peer.x()));

  for (const std::uint64_t signs : {Referee::kAsLoaded, std::uint64_t{77}}) {
    write_input(*referee, signs);
    ASSERT_TRUE(peer.compute(-1));
    const CheckReport right = referee->check(kBound, signs);
    EXPECT_EQ(right.checked, s.y_size());
    EXPECT_EQ(right.mismatches, 0) << "signs " << signs << ", first " << right.first;
    EXPECT_LE(right.worst_error, 0x1p-24);
  }
  const std::int64_t row = s.W_out(), map = row * s.H_out(), image = s.y_image();
  std::uint64_t signs = 1;
  for (const std::int64_t at : {std::int64_t{0}, row - 1, map - row, map - 1, image - 1,
                                s.y_size() / 2, (s.B / 2) * image + map / 2 / row * row,
                                s.y_size() - image, s.y_size() - row, s.y_size() - 1}) {
    write_input(*referee, ++signs);
    ASSERT_TRUE(peer.compute(at));
    const CheckReport found = referee->check(kBound, signs);
    EXPECT_EQ(found.mismatches, 1) << "spoiled " << at;
    EXPECT_EQ(found.first, at);
    EXPECT_NEAR(found.got - found.want, s.C * s.K * s.K, 1e-3) << "spoiled " << at;
  }
  referee->detach();
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RefereeFinds,
    testing::Values(ConvShape{1400, 16, 1, 86, 86, 7, 1}, ConvShape{90, 16, 4, 40, 40, 7, 1},
                    ConvShape{257, 6, 3, 12, 11, 5, 1}, ConvShape{65, 5, 2, 28, 28, 3, 1},
                    ConvShape{1, 1, 1, 7, 7, 7, 1}, ConvShape{3000, 16, 1, 58, 57, 4, 1},
                    ConvShape{50, 7, 2, 33, 35, 7, 2}, ConvShape{20, 3, 1, 9, 300, 5, 1}));

}  // namespace
}  // namespace opgrade
