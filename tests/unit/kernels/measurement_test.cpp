// What counts as right, what counts as fastest, and what the tables show. Needs no device.
#include "kernels/bench/measurement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace opgrade::kernels {
namespace {

using testing::HasSubstr;
using testing::Not;

const NetworkLayer& kFirst = kNetworkLayers[std::size(kNetworkLayers) - 2];
const NetworkLayer& kSecond = kNetworkLayers[std::size(kNetworkLayers) - 1];

Measurement measured(const NetworkLayer& layer, const Rung* rung, double ms, double error) {
  Measurement m;
  m.layer = &layer, m.shape = layer.shape, m.shape.B = 10000, m.rung = rung;
  m.how = rung == nullptr ? "NCHW fp32 fft" : std::string(rung->name);
  m.ms = {ms, ms, ms, 15};
  m.difference.worst = error, m.difference.largest = 1.0;
  return m;
}

UnitRates ceilings() {
  UnitRates c;
  c.device = "some device", c.clock_hz = 1.98e9, c.bytes = 4e12, c.write = 4e12;
  c.fp32 = 60e12, c.half2 = 66e12, c.tensor_tf32 = 320e12, c.tensor_fp16 = 640e12;
  return c;
}

TEST(Difference, IsWithinOnlyWhenEveryOutputIsFiniteAndNear) {
  EXPECT_TRUE((Difference{1e-6, 1.0, 0}.within(1e-6)));
  EXPECT_FALSE((Difference{1.1e-6, 1.0, 0}.within(1e-6)));
  EXPECT_TRUE((Difference{1.1e-6, 2.0, 0}.within(1e-6)));
  EXPECT_FALSE((Difference{0.0, 1.0, 1}.within(1e-6)));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE((Difference{nan, 1.0, 0}.within(1e-6)));
  EXPECT_FALSE((Difference{0.0, 1.0, 0}.within(nan)));
  EXPECT_TRUE((Difference{0.0, 0.0, 0}.within(1e-6)));  // all outputs are exactly zero
  EXPECT_FALSE((Difference{1e-3, 0.0, 0}.within(1e-6)));
}

TEST(Fastest, LooksOnlyAmongResultsOfTheAskedAccuracyAndKind) {
  const std::vector<Measurement> all = {
      measured(kSecond, find_rung(15), 0.7, 1e-6), measured(kSecond, find_rung(14), 0.4, 2e-4),
      measured(kSecond, find_rung(8), 3.0, 1e-6),  measured(kFirst, find_rung(1), 0.1, 1e-6),
      measured(kSecond, nullptr, 4.0, 1e-6),       measured(kSecond, nullptr, 2.0, 2e-4),
      measured(kSecond, nullptr, 0.1, 1.0)};
  EXPECT_EQ(fastest(all, kSecond, 10000, false, true)->rung->number, 15);
  EXPECT_EQ(fastest(all, kSecond, 10000, false, false)->rung->number, 14);
  EXPECT_EQ(fastest(all, kSecond, 10000, true, true)->ms.median, 4.0);
  EXPECT_EQ(fastest(all, kSecond, 10000, true, false)->ms.median, 2.0);  // not the wrong 0.1
  EXPECT_EQ(fastest(all, kSecond, 100, false, true), nullptr);
}

TEST(Fastest, LeavesOutWaysThatNeedHalfPrecisionTensors) {
  std::vector<Measurement> all = {measured(kSecond, nullptr, 1.0, 2e-4),
                                  measured(kSecond, nullptr, 2.0, 2e-4)};
  all[0].halves = true;
  EXPECT_EQ(fastest(all, kSecond, 10000, true, false)->ms.median, 2.0);
}

TEST(Floors, AreBytesOverBandwidthAndOperationsOverRate) {
  ConvShape s{10000, 16, 4, 40, 40, 7, 1};
  // x, k and y of layer 2: 64e6 + 3136 + 184.96e6 floats.
  EXPECT_NEAR(ceilings().bytes_floor_ms(s), (64e6 + 3136 + 184.96e6) * 4 / 4e12 * 1e3, 1e-12);
  const double operations = 2.0 * 184.96e6 * 196;
  EXPECT_NEAR(ceilings().arithmetic_floor_ms(s, *find_rung(8)), operations / 60e12 * 1e3, 1e-9);
  EXPECT_NEAR(ceilings().arithmetic_floor_ms(s, *find_rung(15)), 3 * operations / 640e12 * 1e3,
              1e-9);
}

TEST(RungTable, ShowsBothLayersTheirSumAndTheFloorsForEveryRung) {
  const std::vector<Measurement> all = {
      measured(kFirst, find_rung(8), 1.125, 3e-7), measured(kSecond, find_rung(8), 3.5, 7e-7),
      measured(kFirst, nullptr, 6.2, 3e-7), measured(kSecond, nullptr, 4.0, 3e-7)};
  const std::string table = rung_table(all, ceilings(), 10000);
  EXPECT_THAT(table,
              HasSubstr("| 8 direct_registers | no matrix: a row of inputs in registers | fp32 | "
                        "1.125 | 3.500 | 4.625 | 7.0e-07 |"));
  EXPECT_THAT(table, HasSubstr("sum by bytes is 0.579."));
  EXPECT_THAT(table, HasSubstr("| 0 cudnn |"));
  EXPECT_THAT(table, HasSubstr("10.200"));
  EXPECT_THAT(table,
              HasSubstr("| 1 naive | one thread an output | fp32 | - | - | - | - | 1.627 |"));
}

TEST(LayerTable, ShowsBothAccuraciesAndHowManyTimesFasterThanCudnn) {
  const std::vector<Measurement> all = {
      measured(kSecond, find_rung(15), 0.5, 1e-6), measured(kSecond, find_rung(14), 0.25, 2e-4),
      measured(kSecond, nullptr, 4.0, 1e-6), measured(kSecond, nullptr, 2.0, 2e-4)};
  const std::string table = layer_table(all, ceilings());
  EXPECT_THAT(table, HasSubstr("| 2020fa | conv2 | 10000 | 15 | 0.500 | 4.000 | 8.0 | 14 | 0.250 | "
                               "2.000 | 8.0 |"));
  EXPECT_THAT(table, Not(HasSubstr("2017fa")));
}

TEST(Csv, HasOneLineForEachMeasurement) {
  const std::vector<Measurement> all = {measured(kSecond, find_rung(15), 0.5, 1e-6),
                                        measured(kSecond, nullptr, 4.0, 1e-6)};
  const std::string text = csv(all, ceilings());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, HasSubstr("2020fa,conv2,10000,15,mma_split,0.500000,"));
  EXPECT_THAT(text, HasSubstr("2020fa,conv2,10000,0,NCHW fp32 fft,4.000000,"));
}

}  // namespace
}  // namespace opgrade::kernels
