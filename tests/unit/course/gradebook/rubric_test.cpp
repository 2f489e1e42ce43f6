#include "grader/course/gradebook/rubric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "grader/course/gradebook/marks.hpp"
#include "grader/course/gradebook/rubric_fields.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/key_schema.hpp"
#include "tests/unit/course/sample_report.hpp"

namespace opgrade::course {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string problems_of(const std::string& text) {
  return to_text(parse_rubric(text, "rubric.yaml").problems);
}

double points(const Marks& marks) {
  const Rubric rubric = test::sample_rubric();
  return points_of(rubric, marks).points;
}

TEST(Rubric, ReadsEveryKey) {
  const Rubric rubric = test::sample_rubric();
  ASSERT_EQ(rubric.groups.size(), 2u);
  EXPECT_EQ(rubric.groups[0].title, "Figures");
  EXPECT_EQ(rubric.groups[0].begins, RubricGroup::Begins::all);
  EXPECT_EQ(rubric.groups[0].takes, RubricGroup::Takes::several);
  EXPECT_EQ(rubric.groups[1].title, "analysis") << "the name unless given";
  EXPECT_EQ(rubric.groups[1].begins, RubricGroup::Begins::none);
  EXPECT_EQ(rubric.groups[1].takes, RubricGroup::Takes::one);
  EXPECT_EQ(rubric.groups[1].items.at(1).points, 5);
  EXPECT_EQ(rubric.maximum(), 20);
  EXPECT_EQ(rubric.find_item("units").second->text, "The axes have no units.");
  EXPECT_EQ(rubric.find_item("nothing").second, nullptr);
}

TEST(Rubric, EachMistakeHasItsLineAndSaysWhatToDo) {
  const std::string head = "opgrade_rubric: 1\ngroups:\n";
  const auto group = [&](const std::string& rest) {
    return problems_of(head + "  - {name: g, points: 4, " + rest + "}\n");
  };
  EXPECT_THAT(problems_of("groups: []\n"), HasSubstr("needs the key 'opgrade_rubric'"));
  EXPECT_THAT(problems_of("opgrade_rubric: 1\ngroups: []\n"), HasSubstr("'groups' is empty"));
  EXPECT_THAT(group("items: [{name: g, points: 1, text: t}]"),
              HasSubstr("rubric.yaml:3:12: two groups or items are named 'g'"));
  EXPECT_THAT(group("items: [{name: a, points: -1, text: t}]"),
              HasSubstr("begin with all of them (begins_with: all)"));
  EXPECT_THAT(group("begins_with: all, items: [{name: a, points: 1, text: t}]"),
              HasSubstr("an item must take some off"));
  EXPECT_THAT(group("takes: two, items: []"), HasSubstr("'takes' must be several or one"));
  EXPECT_THAT(group("items: [{name: a b, points: 1, text: t}]"), HasSubstr("'name' must be"));
  EXPECT_THAT(group("items: [{name: a, points: 1e9, text: t}]"), HasSubstr("'points'"));
  EXPECT_THAT(group("items: [{name: a, points: 1}]"), HasSubstr("needs the key 'text'"));
  EXPECT_THAT(problems_of("a: [\n"), HasSubstr("is not closed"));
}

TEST(Rubric, ItemsAddAndTakeOffWithinTheGroup) {
  EXPECT_EQ(points({}), 10) << "figures begin with all of 10, the analysis with none";
  EXPECT_EQ(points({.items = {"units"}}), 8);
  EXPECT_EQ(points({.items = {"units", "none"}}), 0) << "no group goes below 0";
  EXPECT_EQ(points({.items = {"full"}}), 20);
  EXPECT_EQ(points({.items = {"gone"}}), 10) << "an item that the rubric lacks";
  EXPECT_EQ(points({.free = {{"figures", {-1.5, "blurred"}}}}), 8.5);
  EXPECT_EQ(points({.items = {"full"}, .free = {{"analysis", {3, "more than asked"}}}}), 20)
      << "no group goes above its points";
}

TEST(Rubric, OfAGroupThatTakesOneTheFirstApplies) {
  const Rubric rubric = test::sample_rubric();
  const RubricPoints both = points_of(rubric, {.items = {"half", "full"}});
  EXPECT_EQ(both.points, 20);
  EXPECT_EQ(both.groups.at(1).items.size(), 1u);
}

TEST(Rubric, PointsStayWithinTheirBoundsWhateverIsMarked) {
  std::mt19937 random(7);
  const auto any = [&](double low, double high) {
    return std::uniform_real_distribution(low, high)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    Rubric rubric;
    Marks marks;
    for (int g = 0; g < 4; ++g) {
      RubricGroup& group = rubric.groups.emplace_back();
      group.name = "g" + std::to_string(g);
      group.points = any(0, 20);
      group.begins = static_cast<RubricGroup::Begins>(random() % 2);
      group.takes = static_cast<RubricGroup::Takes>(random() % 2);
      for (int i = 0; i < 5; ++i) {
        group.items.push_back({group.name + "i" + std::to_string(i), any(-30, 30), "t"});
        if (random() % 2 == 0) marks.items.insert(group.items.back().name);
      }
      if (random() % 3 == 0)
        marks.free[group.name] = {
            random() % 8 == 0 ? std::numeric_limits<double>::infinity() : any(-99, 99), "f"};
    }
    const RubricPoints all = points_of(rubric, marks);
    double sum = 0;
    for (const GroupPoints& part : all.groups) {
      EXPECT_GE(part.points, 0);
      EXPECT_LE(part.points, part.group->points);
      sum += part.points;
    }
    EXPECT_EQ(sum, all.points);
    EXPECT_LE(all.points, rubric.maximum() + 1e-9);
  }
}

TEST(Rubric, TheOrderOfDecisionsAboutDifferentThingsIsIrrelevant) {
  const Rubric rubric = test::sample_rubric();
  std::vector<Mark> decisions{{.kind = Mark::Kind::item, .name = "units"},
                              {.kind = Mark::Kind::item, .name = "half"},
                              {.kind = Mark::Kind::free, .name = "figures", .points = -1},
                              {.kind = Mark::Kind::comment, .name = "", .text = "good"},
                              {.kind = Mark::Kind::done}};
  const auto by_kind = [](const Mark& a, const Mark& b) {
    return std::pair(a.kind, a.name) < std::pair(b.kind, b.name);
  };
  std::ranges::sort(decisions, by_kind);
  const double wanted = points_of(rubric, marks_in(decisions, rubric)).points;
  EXPECT_EQ(wanted, 12);
  do {
    const Marks marks = marks_in(decisions, rubric);
    EXPECT_EQ(points_of(rubric, marks).points, wanted);
    EXPECT_TRUE(marks.done);
    EXPECT_EQ(marks.comments.at(""), "good");
  } while (std::next_permutation(decisions.begin(), decisions.end(), by_kind));
}

TEST(Rubric, OfOneThingTheLastDecisionHolds) {
  const Rubric rubric = test::sample_rubric();
  const auto after = [&](const std::vector<Mark>& decisions) {
    return marks_in(decisions, rubric);
  };
  EXPECT_THAT(after({{.name = "half"}, {.name = "full"}}).items, ElementsAre("full"))
      << "a group that takes one";
  EXPECT_THAT(after({{.name = "units"}, {.name = "none"}}).items, ElementsAre("none", "units"));
  EXPECT_THAT(after({{.name = "units"}, {.name = "units", .is_on = false}}).items, IsEmpty());
  EXPECT_FALSE(
      after({{.kind = Mark::Kind::done}, {.kind = Mark::Kind::done, .is_on = false}}).done);
}

TEST(Rubric, DifferencesNameEachItem) {
  Rubric after = test::sample_rubric();
  after.groups[0].items[0].points = -1;
  after.groups[1].items.pop_back();
  after.groups[1].items.push_back({"new", 2, "A new one."});
  EXPECT_THAT(differences(test::sample_rubric(), after),
              ElementsAre("analysis/half is removed: 5 points: Half of it is explained.",
                          "analysis/new is new: 2 points: A new one.",
                          "figures/units: -2 points: The axes have no units. -> -1 points: The "
                          "axes have no units."));
  EXPECT_THAT(differences(after, after), IsEmpty());
}

TEST(RubricSchema, IsThatOfTheFields) {
  opgrade::test::expect_golden(
      OPGRADE_SOURCE_DIR "/configs/rubric.schema.json",
      opgrade::test::key_schema("opgrade-rubric-1", "The rubric.yaml of opgrade, version 1",
                                "For completion in editors; `opgrade course check DIR` reports "
                                "every problem.",
                                opgrade::test::KeySchema<>::entry(Rubric{})));
}

}  // namespace
}  // namespace opgrade::course
