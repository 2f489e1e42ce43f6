// Every rung on the device, on shapes and data it was not made for.
#include <gtest/gtest.h>

#include "kernels/bench/check.hpp"
#include "kernels/bench/layers.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade::kernels {
namespace {

constexpr const char* kNoDevice = "no CUDA device";

TEST(Truth, OfTheDeviceIsConvDirects) {
  OPGRADE_SKIP_UNLESS("gpu", have_gpu(), kNoDevice);
  EXPECT_EQ(check_truth(kOddShapes), "");
}

TEST(Compare, CountsOutputsThatWereNeverWritten) {
  OPGRADE_SKIP_UNLESS("gpu", have_gpu(), kNoDevice);
  const ConvShape s{2, 3, 1, 9, 9, 3, 1};
  DeviceBuffer<float> y(s.y_size());
  DeviceBuffer<double> want(s.y_size());
  CUDA_CHECK(cudaMemset(want.get(), 0, s.y_size() * sizeof(double)));
  CUDA_CHECK(cudaMemset(y.get(), 0xff, s.y_size() * sizeof(float)));
  EXPECT_EQ(compare(y.get(), want.get(), s).broken, s.y_size());
  CUDA_CHECK(cudaMemset(y.get(), 0, (s.y_size() - 1) * sizeof(float)));
  const Difference one_missing = compare(y.get(), want.get(), s);
  EXPECT_EQ(one_missing.broken, 1);
  EXPECT_FALSE(one_missing.within(1e9));
}

class EveryRung : public testing::TestWithParam<int> {};

TEST_P(EveryRung, IsRightOnOddShapesAndAllKindsOfData) {
  OPGRADE_SKIP_UNLESS("gpu", have_gpu(), kNoDevice);
  const Checked checked = check_rung(*find_rung(GetParam()), kOddShapes);
  EXPECT_EQ(checked.complaint, "");
  EXPECT_GE(checked.accepted, 10);
}

std::vector<int> numbers() {
  std::vector<int> all;
  for (const Rung& rung : ladder()) all.push_back(rung.number);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Ladder, EveryRung, testing::ValuesIn(numbers()), [](const auto& number) {
  return std::string(find_rung(number.param)->name);
});

}  // namespace
}  // namespace opgrade::kernels
