// How one output is held against the reference, and what is said of a wrong one.
#include "grader/task/folder/output_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "grader/base/core/poison.hpp"
#include "grader/task/folder/distribution.hpp"
#include "grader/task/folder/output_advice.hpp"

namespace opgrade {
namespace {

using Kind = BufferDescription::Error;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// An output y whose reference gives `want`.
struct Output {
  BufferDescription buffer{.name = "y", .role = BufferDescription::Role::out, .extents = {"n"}};
  std::vector<std::byte> got, before;
  std::vector<double> expected;
  ExpectedSlot slot;
  Coordinates sizes;

  Output(const char* type, const std::vector<double>& values, const std::vector<double>& want,
         double scale = kNan) {
    buffer.type = find_element_type(type);
    got.resize(values.size() * buffer.type->bytes);
    store(values, *buffer.type, got);
    if (buffer.type->floating) {
      expected = want;
      expected.insert(expected.end(), want.size(), scale);
    } else {
      expected.resize(want.size());
      for (std::size_t i = 0; i < want.size(); ++i) {
        const auto whole = static_cast<std::int64_t>(want[i]);
        std::memcpy(&expected[i], &whole, 8);
      }
    }
    slot = {.values = 0, .scales = want.size(), .elements = count()};
    sizes = {{"n", static_cast<int>(want.size())}};
  }

  std::int64_t count() const { return static_cast<std::int64_t>(got.size() / buffer.type->bytes); }
  Expected wanted() const { return {std::as_bytes(std::span(expected)), slot, *buffer.type}; }
  OutputCheck check(double tolerance, std::int64_t may_differ = 0) const {
    return check_output(buffer, got, wanted(), count(), tolerance, may_differ);
  }
  std::string advice(double tolerance = 1e-5) const {
    const auto wrong = check(tolerance);
    EXPECT_GT(wrong.mismatches, 0);
    Poison poison;
    poison.fill(std::byte{kPoisonByte});
    return advice_on({buffer, buffer.name, got, before, poison, wanted(), count(), wrong.first,
                      tolerance, sizes})
        .text;
  }
};

TEST(OutputCheck, EachKindOfError) {
  struct Row {
    Kind error;
    std::vector<double> got, want;
    double tolerance;
    std::int64_t wrong;
  };
  for (const auto& row : std::vector<Row>{
           {Kind::scaled, {100.5, 1}, {100, 1}, 0.01, 0},
           {Kind::scaled, {100, 1.9}, {100, 1}, 0.01, 0},  // in units of the largest
           {Kind::absolute, {100, 1.9}, {100, 1}, 0.01, 1},
           {Kind::absolute, {100.005, 1}, {100, 1}, 0.01, 0},
           {Kind::relative, {100.5, 1}, {100, 1}, 0.01, 0},
           {Kind::relative, {100, 1.5}, {100, 1}, 0.01, 1},
           {Kind::relative, {0, 1e-30}, {0, 0}, 0.01, 1},  // of zero, nothing is allowed
           {Kind::mixed, {100.5, 0.005}, {100, 0}, 0.01, 0},
           {Kind::mixed, {100, 0.02}, {100, 0}, 0.01, 1},
           {Kind::norm, {3, 4.04}, {3, 4}, 0.01, 0},
           {Kind::norm, {3, 4.06}, {3, 4}, 0.01, 1},
           {Kind::norm, {0, 0}, {0, 0}, 0.01, 0},
       })
    for (const char* type : {"float", "double"}) {
      Output output(type, row.got, row.want);
      output.buffer.error = row.error;
      EXPECT_EQ(output.check(row.tolerance).mismatches, row.wrong)
          << static_cast<int>(row.error) << " " << row.got[0] << " " << row.got[1];
    }
}

TEST(Advice, NamesNanAndInfinityWhereTheReferenceHasNumbers) {
  std::vector<double> want(100);
  for (int i = 0; i < 100; ++i) want[static_cast<std::size_t>(i)] = 1 + i % 7;
  const auto advice = [&](const char* type, double value, int from) {
    auto got = want;
    for (int i = from; i < 100; i += 2) got[static_cast<std::size_t>(i)] = value;
    return Output(type, got, want).advice();
  };
  EXPECT_THAT(advice("float", kNan, 3),
              AllOf(HasSubstr("49 of 100 elements of y are NaN where the reference has numbers"),
                    HasSubstr("the first is y[3]"), HasSubstr("exp overflows from 88.7"),
                    HasSubstr("infinity / infinity")));
  EXPECT_THAT(advice("half", kInf, 0),
              AllOf(HasSubstr("50 of 100 elements of y are infinite"), HasSubstr("65504"),
                    HasSubstr("from 11.1"), Not(HasSubstr("0 / 0"))));
  EXPECT_THAT(advice("double", -kInf, 98), HasSubstr("exp overflows from 709.8"));
  EXPECT_THAT(Output("float", std::vector<double>(100, kNan), want).advice(),
              HasSubstr("100 of 100 elements of y are NaN"));
  auto both = want;
  both[4] = kNan;
  both[5] = kInf;
  EXPECT_THAT(Output("float", both, want).advice(), HasSubstr("2 of 100 elements of y are NaN or"));
}

TEST(Advice, BlamesNoNanThatTheReferenceHasToo) {
  std::vector<double> want(100, 2);
  want[3] = kNan;
  want[4] = kInf;
  auto got = want;
  for (std::size_t i = 10; i < 30; ++i) got[i] = 7;
  EXPECT_THAT(Output("float", got, want).advice(), Not(HasSubstr("where the reference")));
  got = want;
  got[3] = 1;  // a number where the reference has none
  EXPECT_THAT(Output("float", got, want).advice(), Not(HasSubstr("where the reference")));
  EXPECT_THAT(Output("int", {7, 2}, {2, 2}).advice(), Not(HasSubstr("where the reference")));
}

TEST(OutputCheck, ANormDoesNotOverflow) {
  for (const double unit : {1e-200, 1e154, 3e307})
    for (const auto& [got, wrong] : {std::pair(4.04, 0), std::pair(4.08, 1)}) {
      Output output("double", {3 * unit, got * unit}, {3 * unit, 4 * unit});
      output.buffer.error = Kind::norm;
      EXPECT_EQ(output.check(0.01).mismatches, wrong) << unit;
    }
}

TEST(OutputCheck, NanAndInfinityEqualThemselvesAlone) {
  const std::vector<double> values{kNan, kInf, -kInf, 1};
  for (const Kind kind : {Kind::scaled, Kind::absolute, Kind::relative, Kind::mixed, Kind::norm})
    for (const double got : values)
      for (const double want : values) {
        Output output("float", {got, 2}, {want, 2}, 1e30);
        output.buffer.error = kind;
        const bool same = got == want || (std::isnan(got) && std::isnan(want));
        EXPECT_EQ(output.check(0.5).mismatches == 0, same)
            << static_cast<int>(kind) << " " << got << " for " << want;
      }
}

TEST(OutputCheck, WholeNumbersAreExact) {
  Output far("long long", {9007199254740992.0}, {9007199254740992.0});
  EXPECT_EQ(far.check(0).mismatches, 0);
  far.got[0] = std::byte{1};  // 2^53 + 1, which no double holds
  EXPECT_EQ(far.check(0).mismatches, 1);
  EXPECT_EQ(far.check(1).mismatches, 0);
  Output wraps("unsigned long long", {0}, {-1});  // -1: as staff's code stores 2^64 - 1
  EXPECT_EQ(wraps.check(1).mismatches, 1);
  std::memset(wraps.got.data(), 0xff, 8);
  EXPECT_EQ(wraps.check(0).mismatches, 0);
  for (const char* type : {"short", "unsigned short", "signed char", "unsigned char", "int"}) {
    EXPECT_EQ(Output(type, {100, 7}, {100, 9}).check(1).mismatches, 1) << type;
    EXPECT_EQ(Output(type, {100, 8}, {100, 9}).check(1).mismatches, 0) << type;
  }
}

TEST(OutputCheck, NarrowTypesRoundAsTheHardwareDoes) {
  EXPECT_EQ(Output("half", {1 + 0x1p-11}, {1}).check(0).mismatches, 0) << "to even";
  EXPECT_EQ(Output("half", {1 + 0x1p-10}, {1}).check(0).mismatches, 1);
  EXPECT_EQ(Output("half", {1e6}, {kInf}).check(0).mismatches, 0);
  EXPECT_EQ(Output("__nv_bfloat16", {1 + 0x1p-8}, {1}).check(0).mismatches, 0) << "to even";
  EXPECT_EQ(Output("__nv_bfloat16", {1 + 0x1p-7}, {1}).check(0).mismatches, 1);
}

TEST(OutputCheck, SeveralThreadsFindWhatOneFinds) {
  std::vector<double> want(1 << 19, 1), got = want;
  got[300000] = 2, got[400000] = 3, got[5] = 1.25;
  const Output output("float", got, want);
  const auto check =
      check_output(output.buffer, output.got, output.wanted(), output.count(), 0.5, 0, 4);
  EXPECT_EQ(check.mismatches, 2);
  EXPECT_EQ(check.first, 300000);
  EXPECT_EQ(check.got, 2);
  EXPECT_EQ(check.worst, 2);
}

TEST(OutputCheck, ManyElementsAreHeldToTheRuleOfFew) {
  // Beside right ones, more than a thread looks at in one go, each bad one decides alone.
  constexpr std::size_t kMany = 3 << 18;
  for (const Kind kind : {Kind::scaled, Kind::absolute, Kind::relative, Kind::mixed, Kind::norm})
    for (const auto& [got, want] : std::vector<std::pair<double, double>>{{2, 1},
                                                                          {kNan, 1},
                                                                          {1, kNan},
                                                                          {kNan, kNan},
                                                                          {kInf, 1},
                                                                          {kInf, kInf},
                                                                          {1e-30, 0},
                                                                          {0, 0}}) {
      const auto mismatches = [&, got = got, want = want](std::size_t count) {
        std::vector<double> wanted(count, 1), values = wanted;
        values[count / 2] = got, wanted[count / 2] = want;
        Output output("float", values, wanted, 0.5);
        output.buffer.error = kind;
        return check_output(output.buffer, output.got, output.wanted(), output.count(), 1e-6, 0, 3)
            .mismatches;
      };
      EXPECT_EQ(mismatches(kMany), mismatches(3))
          << static_cast<int>(kind) << " " << got << " " << want;
    }
}

TEST(OutputCheck, SomeElementsMayDiffer) {
  const Output output("int", {1, 2, 9, 9}, {1, 2, 3, 4});
  EXPECT_EQ(output.check(0, 1).mismatches, 2);
  EXPECT_EQ(output.check(0, 1).first, 2);
  EXPECT_EQ(output.check(0, 2).mismatches, 0);
}

TEST(OutputCheck, InAnyOrderCountsHowOftenEachComes) {
  for (const char* type : {"int", "float"}) {
    Output output(type, {3, 1, 2, 2}, {2, 2, 1, 3});
    output.buffer.any_order = true;
    EXPECT_EQ(output.check(0).mismatches, 0) << type;
    Output twice(type, {3, 1, 1, 2}, {2, 2, 1, 3});
    twice.buffer.any_order = true;
    EXPECT_EQ(twice.check(0).mismatches, 1) << type;
    EXPECT_EQ(twice.check(0).first, 2) << type;
  }
}

TEST(OutputCheck, InAnyOrderZerosAndNansAreTheirLike) {
  Output output("float", {kNan, -0.0, 2, 1}, {0, 1, -kNan, 2});
  output.buffer.any_order = true;
  EXPECT_EQ(output.check(0).mismatches, 0);
  Output near("float", {3, 1.1, 2}, {2, 1, 3}, 1);
  near.buffer.any_order = true;
  EXPECT_EQ(near.check(0.2).mismatches, 0);
  EXPECT_EQ(near.check(0.05).mismatches, 1);
  EXPECT_EQ(near.check(0.05).first, 1);
}

TEST(OutputCheck, ManyInAnyOrder) {
  std::vector<double> want(300000), got(want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    want[i] = static_cast<double>(i % 1000), got[i] = static_cast<double>((want.size() - i) % 1000);
  Output output("int", got, want);
  output.buffer.any_order = true;
  const auto check = [&] {
    return check_output(output.buffer, output.got, output.wanted(), output.count(), 0, 0, 4);
  };
  EXPECT_EQ(check().mismatches, 0);
  const std::int32_t other = 5000;
  std::memcpy(&output.got[4], &other, sizeof other);  // in place of 999
  EXPECT_EQ(check().mismatches, 1);
  EXPECT_EQ(check().got, 5000);
  EXPECT_EQ(check().want, 999);
  EXPECT_EQ(check().first, 1);
}

std::vector<double> numbers(int count, auto value) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i) all.push_back(value(i));
  return all;
}
double scrambled(int i) { return (i * 37) % 101 + 0.25; }

TEST(OutputAdvice, SaysWhatTheWrongElementsHaveInCommon) {
  const auto want = numbers(100, scrambled);
  EXPECT_THAT(Output("float", numbers(100, [](int i) { return scrambled(i + 1); }), want).advice(),
              HasSubstr("one element too early: y[0] has the value of y[1]"));
  EXPECT_THAT(Output("float", numbers(100, [](int i) { return scrambled(i - 1); }), want).advice(),
              HasSubstr("one element too late: y[1] has the value of y[0]"));
  EXPECT_THAT(Output("float", numbers(100, [](int i) { return scrambled(99 - i); }), want).advice(),
              HasSubstr("in reverse order"));
  EXPECT_THAT(Output("float", numbers(100, [](int) { return 7; }), want).advice(),
              HasSubstr("every element of y is 7"));
  EXPECT_THAT(
      Output("float", numbers(100, [](int i) { return i < 96 ? scrambled(i) : 1000; }), want)
          .advice(),
      HasSubstr("wrong from there on: the 4 elements behind the last whole tile of 32"));
  EXPECT_THAT(
      Output("float", numbers(100, [](int i) { return i < 37 ? scrambled(i) : 1000 + i; }), want)
          .advice(),
      HasSubstr("the first wrong element is y[37], the 37 before it are right"));
  EXPECT_THAT(
      Output("float", numbers(100, [](int i) { return scrambled(i) * (1 + 4e-4 * (i % 2)); }), want)
          .advice(),
      HasSubstr("rounds reduced precision"));
  EXPECT_THAT(Output("float", numbers(100, [](int i) { return i == 5 ? -1 : scrambled(i); }), want)
                  .advice(),
              HasSubstr("only y[5] is wrong"));
}

TEST(OutputAdvice, AConstantOffsetIsNoRounding) {
  const auto large = [](int i) { return 900 + scrambled(i); };
  const auto want = numbers(100, large);
  const auto off_by = [&](auto by) {
    return Output("float", numbers(100, [&](int i) { return large(i) + by(i); }), want).advice();
  };
  EXPECT_THAT(off_by([](int) { return 1; }), HasSubstr("every element of y is too large by 1"));
  EXPECT_THAT(off_by([](int) { return -0.5; }),
              HasSubstr("every element of y is too small by 0.5"));
  EXPECT_THAT(Output("int", numbers(100, [&](int i) { return std::floor(large(i)) + 3; }),
                     numbers(100, [&](int i) { return std::floor(large(i)); }))
                  .advice(),
              HasSubstr("every element of y is too large by 3"));
  for (const auto& other : {off_by([&](int i) { return large(i) * 4e-4; }),
                            off_by([](int i) { return i % 2 == 0 ? 1 : -1; }),
                            off_by([](int i) { return i < 50 ? 1 : 0; })})
    EXPECT_THAT(other, testing::Not(HasSubstr("every element"))) << other;
}

TEST(OutputAdvice, AnErrorNearTheOutputItselfIsNoRounding) {
  const auto want = numbers(100, scrambled);
  const auto advice = [&](double factor) {
    return Output("float", numbers(100, [=](int i) { return scrambled(i) * factor; }), want, 1e6)
        .advice(1e-9);
  };
  EXPECT_THAT(advice(1 + 4e-4), HasSubstr("rounds reduced precision"));
  EXPECT_THAT(advice(0.4), HasSubstr("the first wrong element is y[0]"));
}

TEST(OutputAdvice, KnowsRowsAndColumns) {
  const auto at = [](int r, int c) { return scrambled(r * 10 + c); };
  const auto want = numbers(120, [&](int i) { return at(i / 10, i % 10); });
  const auto advice = [&](auto value) {
    Output output("float", numbers(120, value), want);
    output.buffer.extents = {"12", "10"};
    return output.advice();
  };
  EXPECT_THAT(advice([&](int i) { return at(i % 12, i / 12); }), HasSubstr("but transposed"));
  EXPECT_THAT(advice([&](int i) { return at(i / 10 + 1, i % 10); }),
              HasSubstr("one row too early: y[0][0] has the value of y[1][0]"));
  EXPECT_THAT(advice([&](int i) { return i == 25 ? -1 : at(i / 10, i % 10); }),
              HasSubstr("only y[2][5] is wrong"));
}

TEST(OutputAdvice, ChanceIsNoPattern) {
  // Half of the elements are 0 in any order.
  const auto bit = [](int i) { return static_cast<double>((i * 2654435761U >> 13) & 1); };
  const Output output("int", numbers(200, [&](int i) { return bit(i + 500); }), numbers(200, bit));
  EXPECT_THAT(output.advice(), HasSubstr("the first wrong element"));
}

TEST(OutputAdvice, AnInoutThatIsAsBefore) {
  Output output("int", {1, 2, 3}, {4, 5, 6});
  output.before = output.got;
  EXPECT_THAT(output.advice(), HasSubstr("y still holds what it held before the call"));
}

TEST(OutputAdvice, WhatIsMissingFromASet) {
  Output output("int", {1, 2, 7}, {2, 1, 3});
  output.buffer.any_order = true;
  EXPECT_THAT(output.advice(), HasSubstr("y[2] = 7 is not among the expected"));
}

}  // namespace
}  // namespace opgrade
