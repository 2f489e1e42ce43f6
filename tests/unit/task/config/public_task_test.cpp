#include "grader/task/config/public_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PublicTask, HasNeitherCommentsNorHiddenCasesNorLimitsOfTheSolution) {
  EXPECT_EQ(public_task(R"(# of the course
opgrade: 1
pass_mark: 30 # of all
stages:
  - name: cpu
    # known to all
    random_shapes: {count: 1, points: 10}
    cases:
      - {name: one, points: 5}   # shown
      # what students guess wrong
      - {name: two, points: 5, hidden: true}
      - name: three
        sizes: {n: 3}
        visibility: after deadline

      - {name: four, visibility: name}
    op_times:
      - {case: one, points: 5, limit: 3 x reference}
      - {case: one, points: 5, full: 0.1 x serial, zero: 1 x serial, between: speed}
      - {case: one, points: 5, limit: 70 ms}
      - {cases: [one, three], together: sum, points: 5, limit: 70 ms}
      - {cases: [one, four], together: sum, points: 5, limit: 70 ms}
      - {cases: [one, four], slope: {over: n, full: 1, zero: 2, below: 2 x reference}, points: 5}
  - name: gpu
    fixed_shapes:
      shapes: [{n: 1}]
      hidden: true
    cases:
      - {name: five, hidden: true}
    device: cuda
)",
                        20),
            R"(opgrade: 1
pass_mark: 20
stages:
  - name: cpu
    random_shapes: {count: 1, points: 10}
    cases:
      - {name: one, points: 5}
      - {name: four, visibility: name}
    op_times:
      - {case: one, points: 5, limit: 70 ms}
      - {cases: [one, four], together: sum, points: 5, limit: 70 ms}
  - name: gpu
    device: cuda
)");
}

TEST(PublicTask, WhatRefersToHiddenCasesGoesWithThem) {
  const std::string text = public_task(R"(stages:
  - name: cpu
    cases:
      - {name: one, group: a}
      - {name: two, group: b, hidden: true}
    groups:
      - {name: b, score: all, points: 3}
      - {name: a, requires: b}
    constructs:
      - {forbid: x, case: two}
      - {forbid: y, case: one}
)",
                                       0);
  EXPECT_EQ(text, R"(stages:
  - name: cpu
    cases:
      - {name: one, group: a}
    groups:
      - {name: a}
    constructs:
      - {forbid: y, case: one}
)");
}

TEST(PublicTask, CasesInBracketsAreHiddenToo) {
  const std::string text =
      public_task("stages: [{name: cpu, cases: [{name: one}, {name: two, hidden: true}]}]\n", 0);
  EXPECT_THAT(text, HasSubstr("one"));
  EXPECT_THAT(text, Not(HasSubstr("two")));
}

}  // namespace
}  // namespace opgrade
