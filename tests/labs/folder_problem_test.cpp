// A problem with a reference that the test gives.
#include "grader/task/folder/folder_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/poison.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade {
namespace {

using Role = BufferDescription::Role;
using testing::HasSubstr;

/// `void f(const float* x, float* y, unsigned char* count, int n)`, with 256 counts.
TaskDescription two_outputs() {
  TaskDescription task;
  task.name = "two";
  task.function = parse_prototype("void f(const float* x, float* y, uint8_t* count, int n)");
  task.sizes = {{.name = "n", .from = 0, .to = 1000, .random = 100}};
  task.buffers = {
      {.name = "x",
       .type = find_element_type("float"),
       .extents = {"n"},
       .values = {"uniform(-1, 1)"}},
      {.name = "y", .type = find_element_type("float"), .role = Role::out, .extents = {"n"}},
      {.name = "count", .type = find_element_type("uint8_t"), .role = Role::out, .extents = {"3"}}};
  check(task);
  return task;
}

StaffOutput output_of(std::vector<std::byte> bytes) {
  const auto memory = std::make_shared<std::vector<std::byte>>(std::move(bytes));
  return {*memory, memory};
}

std::span<const float> floats_in(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

/// With room for all bytes of the shape.
std::vector<float> floats_for(const BufferShape& shape) {
  return std::vector<float>((shape.size().bytes() + sizeof(float) - 1) / sizeof(float));
}

/// y = 2 x with a scale, and counts 1, 2, 3.
class Doubling final : public ReferenceCode {
 public:
  explicit Doubling(double scale) : scale_(scale) {}

  StaffOutput run(Step, const Coordinates& sizes, StaffInputs inputs, std::size_t bytes) override {
    std::vector<std::byte> expected(bytes);
    const auto n = static_cast<std::size_t>(value_of(sizes, "n"));
    std::vector<double> reals;
    for (std::size_t i = 0; i < n; ++i) reals.push_back(2.0 * floats_in(inputs[0])[i]);
    reals.insert(reals.end(), n, scale_);
    const std::int64_t counts[] = {1, 2, 3};
    std::memcpy(expected.data(), reals.data(), reals.size() * 8);
    std::memcpy(expected.data() + reals.size() * 8, counts, sizeof counts);
    return output_of(std::move(expected));
  }

 private:
  double scale_;
};

struct Call {
  TaskDescription task;
  FolderProblem problem;
  std::vector<std::vector<float>> memory;
  Values values;

  explicit Call(int n, double scale = std::numeric_limits<double>::quiet_NaN(),
                TaskDescription of = two_outputs())
      : task(std::move(of)), problem(task, {{"n", n}}, std::make_shared<Doubling>(scale)) {
    for (const auto& buffer : problem.buffers()) memory.push_back(floats_for(buffer));
    for (auto& buffer : memory) values.emplace_back(buffer);
    std::memset(memory[0].data(), kPoisonByte, memory[0].size() * sizeof(float));
    std::mt19937_64 random(1);
    problem.fill(values, random);
  }

  float* y() { return memory[0].data(); }
  unsigned char* count(int n) {
    const auto bytes = (static_cast<std::size_t>(n) * 4 + 64 + 255) / 256 * 256;
    return reinterpret_cast<unsigned char*>(memory[0].data()) + bytes;
  }
  void answer(int n) {
    for (int i = 0; i < n; ++i) y()[i] = 2 * memory[1][static_cast<std::size_t>(i)];
    for (int i = 0; i < 3; ++i) count(n)[i] = static_cast<unsigned char>(i + 1);
  }
  CheckReport checked(double tolerance = 1e-6) {
    CheckReport report = problem.check(values, tolerance, {}, 1);
    if (!report.passed() && report.hint.empty()) report.set(problem.explain(values, report));
    return report;
  }
};

TEST(FolderProblem, ARightAnswerPasses) {
  for (const int n : {1, 16, 17, 1000}) {
    Call call(n);
    call.answer(n);
    const auto report = call.checked();
    EXPECT_TRUE(report.passed()) << n;
    EXPECT_EQ(report.checked, n + 3);
  }
}

TEST(FolderProblem, NoElementsAreRight) {
  Call call(0);
  call.answer(0);
  EXPECT_TRUE(call.checked().passed());
  call.y()[0] = 1;
  EXPECT_THAT(call.checked().hint, HasSubstr("behind y was overwritten"));
}

TEST(FolderProblem, AnErrorHasTheScaleOfTheWrongOutput) {
  Call call(17), scaled(17, 8.0);
  for (Call* const one : {&call, &scaled}) {
    one->answer(17);
    one->y()[3] += 1;
  }
  EXPECT_EQ(call.checked().error_scale, ErrorScale::output);
  EXPECT_EQ(scaled.checked().error_scale, ErrorScale::terms);
  EXPECT_EQ(scaled.checked().worst_error, 0.125);
  scaled.answer(17);
  scaled.count(17)[2] = 4;
  EXPECT_EQ(scaled.checked().error_scale, ErrorScale::none);
  EXPECT_EQ(scaled.checked().worst_error, 1);
}

TEST(FolderProblem, ZerosExplainNothingWhereAllOutputsHoldThem) {
  EXPECT_TRUE(Call(1).problem.poisons_output());
  TaskDescription task = two_outputs();
  for (auto& buffer : task.buffers) buffer.initial = BufferDescription::Initial::zero;
  EXPECT_FALSE(FolderProblem(task, {{"n", 1}}, nullptr).poisons_output());
}

TEST(FolderProblem, EachOutputIsCheckedToItsEnd) {
  Call call(17);
  call.answer(17);
  call.count(17)[2] = 4;
  auto report = call.checked();
  EXPECT_EQ(report.mismatches, 1);
  EXPECT_EQ(report.place, (Coordinates{{"i", 2}}));
  EXPECT_EQ(report.got, 4);
  EXPECT_EQ(report.want, 3);
  EXPECT_THAT(report.hint, HasSubstr("count[2]"));
  call.y()[16] += 1;
  report = call.checked();
  EXPECT_EQ(report.mismatches, 2);
  EXPECT_EQ(report.place, (Coordinates{{"i", 16}})) << "the first";
}

TEST(FolderProblem, AWriteBehindAnyOutputIsSeen) {
  for (const int n : {16, 64}) {  // 64: whole multiples of 256 bytes
    Call call(n);
    call.problem.set_output(call.values, false, 1);
    call.answer(n);
    EXPECT_TRUE(call.checked().passed());
    call.y()[n] = 0;
    EXPECT_EQ(call.checked().hint, "memory right behind y was overwritten");
    call.problem.set_output(call.values, true, 1);
    call.answer(n);
    call.count(n)[3] = 0;
    EXPECT_EQ(call.checked().hint, "memory right behind count was overwritten");
  }
}

TEST(FolderProblem, WhatIsNotWrittenIsSaid) {
  Call none(20);
  EXPECT_THAT(none.checked().hint, HasSubstr("nothing of y is written"));
  Call tail(20);
  tail.answer(20);
  std::memset(tail.y() + 16, kPoisonByte, 4 * sizeof(float));
  EXPECT_THAT(tail.checked().hint, HasSubstr("y is not written from y[16] on"));
  Call hole(20);
  hole.answer(20);
  std::memset(hole.y() + 3, kPoisonByte, sizeof(float));
  EXPECT_THAT(hole.checked().hint, HasSubstr("1 of 20 elements of y are not written"));
}

TEST(FolderProblem, WholeNumbersThatAreNotWrittenAreSaid) {
  Call call(20);
  call.problem.set_output(call.values, false, 1);
  call.answer(20);
  call.problem.set_output(call.values, false, 1);
  for (int i = 0; i < 20; ++i) call.y()[i] = 2 * call.memory[1][static_cast<std::size_t>(i)];
  EXPECT_THAT(call.checked().hint, HasSubstr("nothing of count is written"));
}

TEST(FolderProblem, ThePoisonOfWholeNumbersChangesWithTheInputs) {
  std::set<std::string> seen;
  for (int i = 0; i < 8; ++i) {
    Call call(20);
    call.memory[1][7] = static_cast<float>(i);
    call.problem.set_output(call.values, false, 1);
    seen.emplace(reinterpret_cast<const char*>(call.count(20)), 3);
  }
  EXPECT_GE(seen.size(), 7U) << "three bytes are seldom equal by chance";
}

TEST(FolderProblem, AnOutputHoldsWhatTheTaskSaysBeforeACall) {
  TaskDescription task;
  task.name = "mixed";
  task.function = parse_prototype("void f(int* grid, int* sum, int n)");
  task.sizes = {{.name = "n", .from = 1, .to = 100, .random = 10}};
  task.buffers = {{.name = "grid",
                   .type = find_element_type("int"),
                   .role = Role::inout,
                   .extents = {"n"},
                   .values = {"count_from(5)"}},
                  {.name = "sum",
                   .type = find_element_type("int"),
                   .role = Role::out,
                   .extents = {"1"},
                   .initial = BufferDescription::Initial::zero}};
  check(task);
  const FolderProblem problem(task, {{"n", 3}}, nullptr);
  std::vector<float> output = floats_for(problem.buffers()[0]), given(3);
  const Values values{output, given};
  std::mt19937_64 random(1);
  problem.fill(values, random);
  problem.set_output(values, false, 1);
  int grid[3], sum = -1;
  std::memcpy(grid, output.data(), sizeof grid);
  std::memcpy(&sum, output.data() + 64, sizeof sum);
  EXPECT_THAT(grid, testing::ElementsAre(5, 6, 7));
  EXPECT_EQ(sum, 0);
}

TEST(FolderProblem, OnADeviceEachBufferIsAlignedAndValuesStayOnTheHost) {
  TaskDescription task;
  task.name = "scaled";
  task.function = parse_prototype("float f(const float* x, float* y, float a, int n)");
  task.sizes = {{.name = "n", .from = 1, .to = 100, .random = 10}};
  const auto* const real = find_element_type("float");
  task.buffers = {
      {.name = "x", .type = real, .extents = {"n"}},
      {.name = "y", .type = real, .role = Role::out, .extents = {"n"}},
      {.name = "a", .type = real, .scalar = true},
      {.name = std::string(kReturned), .type = real, .role = Role::out, .scalar = true}};
  check(task);
  const auto arena = FolderProblem(task, {{"n", 70}}, nullptr).arena().value();
  // y: 280 bytes and a guard of 64 in 512; what is returned: 256; x: 512; a: 256, and 256 behind.
  EXPECT_THAT(arena.starts, testing::ElementsAre(0U, 768U, 1280U));
  EXPECT_EQ(arena.bytes, 768U + 512 + 256 + 256);
  EXPECT_THAT(arena.host_inputs, testing::ElementsAre(2));
  EXPECT_THAT(arena.host_output, testing::ElementsAre(testing::Pair(512, 4)));
}

TEST(FolderProblem, ErrorsAreInTheReferencesScale) {
  Call narrow(100, 1.0);
  narrow.answer(100);
  narrow.y()[5] += 1e-3F;
  EXPECT_FALSE(narrow.checked(1e-4).passed());
  Call wide(100, 100.0);
  wide.answer(100);
  wide.y()[5] += 1e-3F;
  EXPECT_TRUE(wide.checked(1e-4).passed());
}

TEST(FolderProblem, NotANumberIsWrong) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Call call(4, 1e30);
    call.answer(4);
    call.y()[1] = bad;
    EXPECT_FALSE(call.checked().passed());
  }
}

TEST(FolderProblem, EachCallHasOtherInputs) {
  Call call(50);
  const auto before = call.memory[1];
  call.problem.refresh(call.values, 1);
  EXPECT_NE(before, call.memory[1]);
}

/// `void f(const float* x, float* y, int n)`, with so many elements that outputs are kept and made
/// ahead.
constexpr int kLarge = 1 << 18;

TaskDescription large_task() {
  TaskDescription task;
  task.name = "large";
  task.function = parse_prototype("void f(const float* x, float* y, int n)");
  task.sizes = {{.name = "n", .from = 1, .to = kLarge, .random = 100}};
  const auto* const real = find_element_type("float");
  task.buffers = {{.name = "x", .type = real, .extents = {"n"}, .values = {"uniform(-1, 1)"}},
                  {.name = "y", .type = real, .role = Role::out, .extents = {"n"}}};
  check(task);
  return task;
}

/// y = 2 x. Counts its calls, and fails in those that it is told.
class CountedDoubling final : public ReferenceCode {
 public:
  StaffOutput run(Step, const Coordinates&, StaffInputs inputs, std::size_t bytes) override {
    if (++calls == failing) throw Error("the reference failed", "mend it");
    struct Memory {
      std::vector<std::byte> input, output;
    };
    const auto memory = std::make_shared<Memory>();
    memory->input.assign(inputs[0].begin(), inputs[0].end());
    memory->output.resize(bytes);
    std::vector<double> reals(bytes / sizeof(double), std::numeric_limits<double>::quiet_NaN());
    const auto x = floats_in(inputs[0]);
    for (std::size_t i = 0; i < x.size(); ++i) reals[i] = 2.0 * x[i];
    std::memcpy(memory->output.data(), reals.data(), bytes);
    if (calls == 1) first = memory;
    return {memory->output, memory, {memory->input}};
  }

  std::atomic<int> calls = 0;
  std::weak_ptr<void> first;  ///< the output of the first call
  int failing = 0;
};

struct LargeCall {
  CallSets* sets = nullptr;
  TaskDescription task = large_task();
  std::shared_ptr<CountedDoubling> reference = std::make_shared<CountedDoubling>();
  FolderProblem problem{task, {{"n", kLarge}}, reference, sets};
  std::vector<float> y = floats_for(problem.buffers()[0]), x = std::vector<float>(kLarge);
  Values values{y, x};

  CheckReport checked_answer() {
    problem.set_output(values, false, 1);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = 2 * x[i];
    return problem.check(values, 1e-6, {}, 2);
  }
};

TEST(FolderProblem, AnImageHasWhatItsFileCanHold) {
  TaskDescription task = two_outputs();
  task.program = "x.ppm y.raw count.raw";
  task.buffers[0].extents = {"n", "1", "3"};
  const Call call(100, 1, task);
  std::set<float> levels;
  for (const float value : call.memory[1]) {
    EXPECT_EQ(value, std::round(255 * value) / 255);
    EXPECT_TRUE(value >= 0 && value <= 1) << value;
    levels.insert(value);
  }
  EXPECT_GT(levels.size(), 50U);
}

TEST(FolderProblem, WhyManyAreWrongNeedsNoOtherRunOfTheReference) {
  LargeCall call;
  call.problem.refresh(call.values, 2);
  call.checked_answer();
  call.y[7] = 9;
  call.reference->calls = 0;
  const auto wrong = call.problem.check(call.values, 1e-6, {}, 1);
  EXPECT_THAT(call.problem.explain(call.values, wrong).text, HasSubstr("only y[7] is wrong"));
  EXPECT_EQ(call.reference->calls, 1);
  call.x[5] += 1;
  EXPECT_TRUE(call.checked_answer().passed()) << "other inputs have other outputs";
  EXPECT_EQ(call.reference->calls, 2);
}

TEST(FolderProblem, TimedCallsKeepTheOutputsOfTheirInputs) {
  LargeCall call;
  call.problem.refresh(call.values, 2);
  EXPECT_TRUE(call.checked_answer().passed());
  EXPECT_TRUE(call.reference->first.expired()) << "one call is enough for an untimed case";
  call.problem.refresh(call.values, 2);
  EXPECT_TRUE(call.checked_answer().passed());
  const int calls = call.reference->calls;
  EXPECT_TRUE(call.checked_answer().passed());
  EXPECT_EQ(call.reference->calls, calls);
}

TEST(FolderProblem, OutputsMadeAheadAreThoseOfFreshInputs) {
  LargeCall call;
  std::set<std::vector<float>> seen;
  for (int i = 0; i < 12; ++i) {
    call.problem.refresh(call.values, 4);
    seen.emplace(call.x.begin(), call.x.begin() + 8);
    EXPECT_TRUE(call.checked_answer().passed());
    call.y[static_cast<std::size_t>(i)] += 1;
    EXPECT_FALSE(call.problem.check(call.values, 1e-6, {}, 2).passed());
  }
  EXPECT_EQ(seen.size(), 12U);
  EXPECT_LE(call.reference->calls, 12 + 4) << "each output is of some use";
}

TEST(FolderProblem, AFailureAheadIsTold) {
  LargeCall call;
  call.problem.refresh(call.values, 4);
  call.reference->failing = 2;
  EXPECT_THROW(call.problem.refresh(call.values, 4), Error);
  call.problem.refresh(call.values, 4);
  EXPECT_TRUE(call.checked_answer().passed());
}

/// Keeps all sets in memory, for every submission the same ones.
class SharedSets {
 public:
  class OfOne final : public CallSets {
   public:
    explicit OfOne(SharedSets& all) : all_(all) {}
    StaffOutput fresh(const Coordinates&, const Make& make, int) override {
      return all_.take(1000 + next_++, make);
    }
    StaffOutput of_seed(const Coordinates&, std::uint64_t seed, const Make& make, int) override {
      return all_.take(seed, make);
    }

   private:
    SharedSets& all_;
    std::atomic<std::uint64_t> next_ = 0;
  };

  std::map<std::uint64_t, StaffOutput> sets;

 private:
  StaffOutput take(std::uint64_t seed, const CallSets::Make& make) {
    const std::scoped_lock lock(guard_);
    if (!sets.contains(seed)) sets[seed] = make(seed);
    return sets[seed];
  }
  std::mutex guard_;
};

TEST(FolderProblem, ASecondSubmissionTakesTheSetsOfTheFirst) {
  SharedSets all;
  std::vector<std::set<std::vector<float>>> seen(2);
  for (auto& inputs : seen) {
    SharedSets::OfOne own(all);
    LargeCall call{&own};
    const bool is_first = all.sets.empty();
    for (int i = 0; i < 7; ++i) {
      call.problem.refresh(call.values, 4);
      inputs.emplace(call.x.begin(), call.x.begin() + 8);
      EXPECT_TRUE(call.checked_answer().passed());
    }
    EXPECT_EQ(call.reference->calls, is_first ? 7 : 0);
  }
  EXPECT_EQ(seen[0].size(), 7U) << "no call has the inputs of another";
  EXPECT_EQ(seen[0], seen[1]);
}

TEST(FolderProblem, InputsOfASeedHaveTheirOutputsFromTheSets) {
  SharedSets all;
  for (const std::uint64_t seed : {3U, 3U, 4U}) {
    SharedSets::OfOne own(all);
    LargeCall call{&own};
    const auto before = all.sets.size();
    std::mt19937_64 random(seed);
    call.problem.fill(call.values, random);
    EXPECT_TRUE(call.checked_answer().passed());
    EXPECT_EQ(static_cast<std::size_t>(call.reference->calls), all.sets.size() - before);
    call.x[5] += 1;
    EXPECT_TRUE(call.checked_answer().passed()) << "other inputs have other outputs";
  }
  EXPECT_EQ(all.sets.size(), 2U);
}

TEST(FolderProblem, SetsOfOthersDoNotChangeTheInputsOfASeed) {
  SharedSets all;
  SharedSets::OfOne own(all);
  LargeCall alone, with_others{&own};
  std::mt19937_64 one(5), other(5);
  alone.problem.fill(alone.values, one);
  with_others.problem.fill(with_others.values, other);
  EXPECT_EQ(alone.x, with_others.x);
}

/// `void f(int* a, int* b, int n)`: a counts up n times, and lies in b after an odd number.
TaskDescription two_buffers() {
  TaskDescription task;
  task.name = "swap";
  task.function = parse_prototype("void f(int* a, int* b, int n)");
  task.sizes = {{.name = "n", .from = 1, .to = 1000, .random = 100}};
  const auto* const type = find_element_type("int");
  task.buffers = {{.name = "a", .type = type, .role = Role::inout, .extents = {"2"}},
                  {.name = "b", .type = type, .role = Role::scratch, .extents = {"2"}}};
  task.buffers[0].or_in = "b";
  task.buffers[0].or_when = "n % 2";
  check(task);
  return task;
}

/// Adds n to both elements.
class Adding final : public ReferenceCode {
 public:
  StaffOutput run(Step, const Coordinates& sizes, StaffInputs inputs, std::size_t bytes) override {
    std::vector<std::byte> expected(bytes);
    std::int32_t before[2];
    std::memcpy(before, inputs[0].data(), sizeof before);
    const std::int64_t after[] = {before[0] + value_of(sizes, "n"),
                                  before[1] + value_of(sizes, "n")};
    std::memcpy(expected.data(), after, sizeof after);
    return output_of(std::move(expected));
  }
};

TEST(FolderProblem, TheResultLiesInOneOfTwoBuffers) {
  const auto task = two_buffers();
  for (const int n : {6, 7}) {
    const FolderProblem problem(task, {{"n", n}}, std::make_shared<Adding>());
    std::vector<float> outputs = floats_for(problem.buffers()[0]), input(2);
    const Values values{outputs, input};
    std::mt19937_64 random(3);
    problem.fill(values, random);
    std::int32_t right[2];
    std::memcpy(right, input.data(), sizeof right);
    for (auto& one : right) one += n;
    const auto passes = [&](std::size_t place) {
      std::memset(outputs.data(), kPoisonByte, outputs.size() * sizeof(float));
      std::memcpy(outputs.data() + place, right, sizeof right);
      return problem.check(values, 0, {}, 1).passed();
    };
    EXPECT_EQ(passes(0), n % 2 == 0) << "a";
    EXPECT_EQ(passes(256 / sizeof(float)), n % 2 == 1) << "b";
    std::memset(outputs.data(), 0, outputs.size() * sizeof(float));
    const auto zeros = problem.check(values, 0, {}, 1);
    EXPECT_EQ(problem.explain(values, zeros).text,
              n % 2 == 1 ? "the first wrong element is b[0]" : "the first wrong element is a[0]");
  }
}

TEST(FolderTask, RandomSizesCoverEachKindOfInputs) {
  TaskDescription description = two_outputs();
  description.sizes.push_back({.name = "kind", .from = 1, .to = 3, .random = 3});
  description.buffers[0].values = {"constant(1)", "constant(2)", "constant(3)"};
  description.buffers[0].values_by = "kind";
  const FolderTask task(description, "two-1");
  std::mt19937_64 random(1);
  std::set<std::int64_t> kinds, ns;
  for (const auto& sizes : task.random_sizes(10, task.interfaces().front(), random)) {
    EXPECT_EQ(task.complaint(sizes), "");
    kinds.insert(value_of(sizes, "kind"));
    ns.insert(value_of(sizes, "n"));
  }
  EXPECT_EQ(kinds, (std::set<std::int64_t>{1, 2, 3}));
  EXPECT_TRUE(ns.contains(0) && ns.contains(100)) << "the smallest and the largest";
  EXPECT_GT(ns.size(), 5U);
}

TEST(Prototype, IsReadAsC) {
  const auto prototype = parse_prototype("void f( const  unsigned char * a,int64_t* b , float c);");
  EXPECT_EQ(prototype.name, "f");
  ASSERT_EQ(prototype.parameters.size(), 3U);
  EXPECT_EQ(prototype.parameters[0].type->c_name, "unsigned char");
  EXPECT_TRUE(prototype.parameters[0].constant && prototype.parameters[0].pointer);
  EXPECT_EQ(prototype.parameters[1].type->c_name, "long long");
  EXPECT_FALSE(prototype.parameters[2].pointer);
}

TEST(Prototype, ReferencesAndReturnedValues) {
  const auto prototype = parse_prototype("size_t f(const float& a, int32_t& count, size_t n)");
  ASSERT_NE(prototype.returns, nullptr);
  EXPECT_EQ(prototype.returns->c_name, "unsigned long long");
  EXPECT_EQ(prototype.returns_spelled, "size_t");
  EXPECT_TRUE(prototype.parameters[0].reference && prototype.parameters[0].constant);
  EXPECT_TRUE(prototype.parameters[1].reference && !prototype.parameters[1].constant);
  EXPECT_EQ(prototype.parameters[1].spelled, "int32_t");
}

TEST(Prototype, SaysWhatIsWrong) {
  for (const auto& [text, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "must read as"},
           {"node f(int n)", "what it returns has the type 'node'"},
           {"void f(int)", "a type and a name"},
           {"void f(complex* x)", "known are float"},
           {"void f(int a, , int b)", "a type and a name"},
           {"void f(float** x)", "known are float"},
           {"void f(int n", "must read as"},
       }) {
    try {
      parse_prototype(text);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& e) {
      EXPECT_THAT(e.what(), HasSubstr(why)) << text;
    }
  }
}

}  // namespace
}  // namespace opgrade
