// Large tensors for one submission after another.
#include "grader/grading/cases/layer/tensor_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "grader/base/core/poison.hpp"

namespace opgrade {
namespace {

/// Two layers: sizes, and elements of y, x and k.
std::vector<CallShape> shapes(int batch) {
  return {{{batch, 1}, {batch * 80L, batch * 40L, 9}}, {{batch, 2}, {batch * 60L, batch * 20L, 4}}};
}

TEST(TensorStore, TheNextSubmissionGetsTheSameMemory) {
  TensorStore store;
  auto first = store.take(shapes(10));
  const float* const y = first->now().output().as<float>().data();
  const float* const x = first->now().input(0).as<float>().data();
  first->advance();
  const float* const next_x = first->now().input(0).as<float>().data();
  EXPECT_NE(next_x, x);
  for (float& value : first->now().output().as<float>()) value = 1;
  store.give_back(std::move(first));

  const auto second = store.take(shapes(10));
  second->wait_for_memory();
  EXPECT_EQ(second->now().sizes, shapes(10)[0].sizes) << "back at the first layer";
  EXPECT_EQ(second->now().output().as<float>().size(), 800U);
  EXPECT_EQ(second->now().output().as<float>().data(), y);
  EXPECT_TRUE(std::ranges::all_of(second->now().output().as<float>(), is_poison))
      << "another submission's output";
  EXPECT_EQ(second->now().input(0).as<float>().data(), x);
  EXPECT_EQ(second->now().input(1).as<float>().size(), 9U);
  second->advance();
  EXPECT_EQ(second->now().input(0).as<float>().data(), next_x);
  EXPECT_EQ(second->now().output().as<float>().size(), 600U);
}

TEST(TensorStore, TwoAtOnceHaveTheirOwn) {
  TensorStore store;
  const auto one = store.take(shapes(10)), two = store.take(shapes(10));
  EXPECT_NE(one->now().output().as<float>().data(), two->now().output().as<float>().data());
}

TEST(TensorStore, OtherShapesGetOthers) {
  TensorStore store;
  store.give_back(store.take(shapes(10)));
  const auto other = store.take(shapes(20));
  other->wait_for_memory();
  EXPECT_EQ(other->now().output().as<float>().size(), 1600U);
}

TEST(TensorStore, PreparesShapesOnce) {
  TensorStore store;
  store.prepare(shapes(10));
  store.prepare(shapes(10));
  const auto one = store.take(shapes(10)), two = store.take(shapes(10));
  EXPECT_NE(one.get(), two.get());
  store.prepare(shapes(10));  // both are out: they will come back
}

}  // namespace
}  // namespace opgrade
