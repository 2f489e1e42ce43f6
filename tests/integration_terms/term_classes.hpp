/// A made-up class of each term: its times, and the table that its published rubric gives, worked
/// out by hand.
#pragma once

#include <vector>

#include "grader/base/core/statistics.hpp"

namespace opgrade::test {

/// Sums of Op Times in ms.
struct Times {
  double early = 0;   ///< of the cases with an Op Time rule in the stages before the last
  double rule = 0;    ///< of the last stage's case with an Op Time rule
  double ranked = 0;  ///< of the case that is ranked
};

enum class Slip {
  none,
  hidden_case,   ///< wrong in the last stage's hidden model
  not_credible,  ///< the ranked case's times contradict the grader's clock
};

struct Row {
  const char* name;
  int rank;  ///< 0: none
  double rank_points, graded, staff, open, total;
};

struct Term {
  const char* name;
  Times ann, bob, dan, eve, gus;  ///< cid's are bob's but for cid_early
  double cid_early = 0;
  int between_ann_and_bob = 0;  ///< others of the class, to move the ranks
  int between_bob_and_dan = 0;
  Statistic take = Statistic::median;  ///< of the ranked case
  std::vector<Row> table;
};

/* In each class ann is the fastest, bob and cid take the same time, dan is the slowest; eve is
 * wrong in a hidden case of the last stage, gus's times are not credible, fay handed nothing in.
 * Staff gave ann all open points, bob half of each, and have not yet looked at the others. */

/* 2017fa. Right outputs 25 = M2 2+2+2+2+2, M3 1+2+1+1, final 3+2+3+2; open 50 = 5 + 10 + 35.
 * Rank, fastest of 10, 20, 20, 30 ms: the median is 20, the mean too, the deviation
 * sqrt((100 + 0 + 0 + 100) / 4) = 7.0711, so ann is 1.414214 deviations below. Two deviations give
 * all of 25: ann 25 (1.414214 / 4 + 1/2) = 21.338835, bob and cid 12.5, dan 25 (1/2 - 0.353553)
 * = 3.661165. eve loses the hidden model's 3. */
inline const Term k2017fa{.name = "2017fa",
                          .ann = {.ranked = 10},
                          .bob = {.ranked = 20},
                          .dan = {.ranked = 30},
                          .eve = {.ranked = 15},
                          .gus = {.ranked = 12},
                          .take = Statistic::fastest,
                          .table = {{"ann", 1, 21.3388348, 25, 50, 0, 96.3388348},
                                    {"bob", 2, 12.5, 25, 25, 0, 62.5},
                                    {"cid", 2, 12.5, 25, 0, 50, 37.5},
                                    {"dan", 4, 3.6611652, 25, 0, 50, 28.6611652},
                                    {"eve", 0, 0, 22, 0, 50, 22},
                                    {"gus", 0, 0, 25, 0, 50, 25},
                                    {"fay", 0, 0, 0, 0, 0, 0}}};

/* 2018sp to 2020fa. Right outputs 46 = M2 5, M3 5, M4 60 % of 30, final 60 % of 30; open 54 =
 * reports of M1 to M3 5 each, 40 % of 30 twice, style 5, extra credit 10. Rank as in 2017fa, of 10
 * points: ann 10 * 0.8535534, bob and cid 5, dan 10 * 0.1464466. eve loses the final's hidden 5. */
inline Term years_of_ranking(const char* name) {
  return {.name = name,
          .ann = {.ranked = 10},
          .bob = {.ranked = 20},
          .dan = {.ranked = 30},
          .eve = {.ranked = 15},
          .gus = {.ranked = 12},
          .take = Statistic::fastest,
          .table = {{"ann", 1, 8.5355339, 46, 54, 0, 108.5355339},
                    {"bob", 2, 5, 46, 27, 0, 78},
                    {"cid", 2, 5, 46, 0, 54, 51},
                    {"dan", 4, 1.4644661, 46, 0, 54, 47.4644661},
                    {"eve", 0, 0, 41, 0, 54, 41},
                    {"gus", 0, 0, 46, 0, 54, 46},
                    {"fay", 0, 0, 0, 0, 0, 0}}};
}

/* 2021sp. Right outputs 50, half of each milestone's 20, 20, 40, 20; open the other half and 3
 * extra optimisations of 2. The ranking was shown, not graded. eve loses the final's hidden 5. */
inline const Term k2021sp{.name = "2021sp",
                          .ann = {.ranked = 10},
                          .bob = {.ranked = 20},
                          .dan = {.ranked = 30},
                          .eve = {.ranked = 15},
                          .gus = {.ranked = 12},
                          .table = {{"ann", 1, 0, 50, 56, 0, 106},
                                    {"bob", 2, 0, 50, 28, 0, 78},
                                    {"cid", 2, 0, 50, 0, 56, 50},
                                    {"dan", 4, 0, 50, 0, 56, 50},
                                    {"eve", 0, 0, 45, 0, 56, 45},
                                    {"gus", 0, 0, 50, 0, 56, 50},
                                    {"fay", 0, 0, 0, 0, 0, 0}}};

/* 2021fa. Right outputs 25 = M1 15, M2 10; open 65 = reports 5 + 10, ten points of optimisations 30
 * + 20. Op Time 10 up to 70 ms, none from 170: ann 60 ms 10, bob and cid 120 ms 10 * 50 / 100 = 5,
 * dan 170 ms 0, eve 95 ms 10 * 75 / 100 = 7.5, gus open. Rank: 5, 3, 1 for the first 10, 30, 50.
 * Nine others before bob make him 11th, 18 more make dan 1 + 9 + 2 + 18 + 1 = 31st. */
inline const Term k2021fa{.name = "2021fa",
                          .ann = {.rule = 60, .ranked = 60},
                          .bob = {.rule = 120, .ranked = 120},
                          .dan = {.rule = 170, .ranked = 170},
                          .eve = {.rule = 95, .ranked = 95},
                          .gus = {.rule = 65, .ranked = 65},
                          .between_ann_and_bob = 9,
                          .between_bob_and_dan = 18,
                          .table = {{"ann", 1, 5, 35, 65, 0, 105},
                                    {"bob", 11, 3, 30, 32.5, 0, 65.5},
                                    {"cid", 11, 3, 30, 0, 65, 33},
                                    {"dan", 31, 1, 25, 0, 65, 26},
                                    {"eve", 0, 0, 32.5, 0, 65, 32.5},
                                    {"gus", 0, 0, 25, 0, 75, 25},
                                    {"fay", 0, 0, 0, 0, 0, 0}}};

/* 2022fa, 2023sp. Right outputs 25 = M1 15, M2 10; M2's time 10 up to 340 ms (bob 340.0 has them,
 * cid 344 has not); M3's time as in 2021fa; open 60 = 5 + 10 + 20 + 20 and 5 extra. Rank 1, 0.6,
 * 0.2 for the first 20, 50, 80: 19 others make bob 21st, 58 more make dan 1 + 19 + 2 + 58 + 1 =
 * 81st. */
inline Term years_of_340_ms(const char* name) {
  return {.name = name,
          .ann = {100, 60, 60},
          .bob = {340, 120, 120},
          .dan = {200, 170, 170},
          .eve = {100, 95, 95},
          .gus = {100, 65, 65},
          .cid_early = 344,
          .between_ann_and_bob = 19,
          .between_bob_and_dan = 58,
          .table = {{"ann", 1, 1, 45, 60, 0, 106},
                    {"bob", 21, 0.6, 40, 30, 0, 70.6},
                    {"cid", 21, 0.6, 30, 0, 60, 30.6},
                    {"dan", 81, 0, 35, 0, 60, 35},
                    {"eve", 0, 0, 42.5, 0, 60, 42.5},
                    {"gus", 0, 0, 35, 0, 70, 35},
                    {"fay", 0, 0, 0, 0, 0, 0}}};
}

/* 2023fa. As 2022fa, but M3's time is at batch 5000: 10 up to 40 ms, none from 100 (bob and cid 70
 * ms 10 * 30 / 60 = 5, eve 55 ms 7.5, gus 70 ms 5), and the competition at 10000, by the mean of
 * the runs. Only there are gus's times in doubt, so no graded points are open. */
inline const Term k2023fa{.name = "2023fa",
                          .ann = {100, 40, 80},
                          .bob = {340, 70, 140},
                          .dan = {200, 100, 200},
                          .eve = {100, 55, 90},
                          .gus = {100, 70, 100},
                          .cid_early = 344,
                          .between_ann_and_bob = 19,
                          .between_bob_and_dan = 58,
                          .take = Statistic::mean,
                          .table = {{"ann", 1, 1, 45, 60, 0, 106},
                                    {"bob", 21, 0.6, 40, 30, 0, 70.6},
                                    {"cid", 21, 0.6, 30, 0, 60, 30.6},
                                    {"dan", 81, 0, 35, 0, 60, 35},
                                    {"eve", 0, 0, 42.5, 0, 60, 42.5},
                                    {"gus", 0, 0, 40, 0, 60, 40},
                                    {"fay", 0, 0, 0, 0, 0, 0}}};

/* 2024sp. Right outputs 25 = M1 15, M2 10; M2's time 10 up to 360 ms; M3's 8 up to 65 ms, none from
 * 120: bob and cid 98 ms 8 * 22 / 55 = 3.2, eve 87 ms 8 * 33 / 55 = 4.8. Open 67 = 5 + 10 + streams
 * 12 + 30 and 10 extra. Rank 1, 0.6, 0.2 for the first 5, 15, 30: 4 others make bob 6th, 23 more
 * dan 31st. */
inline const Term k2024sp{.name = "2024sp",
                          .ann = {120, 65, 65},
                          .bob = {360, 98, 98},
                          .dan = {200, 120, 120},
                          .eve = {120, 87, 87},
                          .gus = {120, 70, 70},
                          .cid_early = 364,
                          .between_ann_and_bob = 4,
                          .between_bob_and_dan = 23,
                          .table = {{"ann", 1, 1, 43, 67, 0, 111},
                                    {"bob", 6, 0.6, 38.2, 33.5, 0, 72.3},
                                    {"cid", 6, 0.6, 28.2, 0, 67, 28.8},
                                    {"dan", 31, 0, 35, 0, 67, 35},
                                    {"eve", 0, 0, 39.8, 0, 67, 39.8},
                                    {"gus", 0, 0, 35, 0, 75, 35},
                                    {"fay", 0, 0, 0, 0, 0, 0}}};

/* 2024fa. Right outputs 13 = CPU 5, GPU 3, M2 5; times before M3: GPU 2 up to 210 ms, M2 5 up to
 * 1200 (bob 210.0 both, cid 214 only the second, dan 1220 none). M3's time 12 up to 80 ms, none
 * from 200: bob and cid 140 ms 6, eve 110 ms 12 * 90 / 120 = 9, gus 140 ms 6. Open 72 = 10 + 10 +
 * 15 + 15 + 10 + 8 and 4 extra. Rank at batch 5000: 1, 0.5, 0.25 for the first 3, 10, 30 and 0.25
 * below 22 ms, which ann's 21 is and bob's 22 is not: 2 others make bob 4th, 5 more dan 11th. */
inline const Term k2024fa{.name = "2024fa",
                          .ann = {70, 80, 21},
                          .bob = {210, 140, 22},
                          .dan = {1220, 200, 60},
                          .eve = {70, 110, 30},
                          .gus = {70, 140, 30},
                          .cid_early = 214,
                          .between_ann_and_bob = 2,
                          .between_bob_and_dan = 5,
                          .table = {{"ann", 1, 1.25, 32, 72, 0, 105.25},
                                    {"bob", 4, 0.5, 26, 36, 0, 62.5},
                                    {"cid", 4, 0.5, 24, 0, 72, 24.5},
                                    {"dan", 11, 0.25, 13, 0, 72, 13.25},
                                    {"eve", 0, 0, 29, 0, 72, 29},
                                    {"gus", 0, 0, 26, 0, 72, 26},
                                    {"fay", 0, 0, 0, 0, 0, 0}}};

/* 2025sp. Right outputs 15 = CPU 3, GPU 2, unroll 5, fused 5; times before M3: GPU 2 up to 300 ms,
 * unroll 5 up to 1200, fused 5 up to 200 (ann 100 and bob 200 all 12, cid 304 only unroll's 5,
 * dan 1220 none). M3's time 25 up to 50 ms, none from 75: bob and cid 65 ms 10, eve 60 ms 15, gus
 * 65 ms 10. Open 48 = 8 + 10 + 10 + 10 +
 * 10. Rank as 2024fa without the bonus. */
inline const Term k2025sp{.name = "2025sp",
                          .ann = {100, 50, 21},
                          .bob = {200, 65, 22},
                          .dan = {1220, 75, 60},
                          .eve = {100, 60, 30},
                          .gus = {100, 65, 30},
                          .cid_early = 304,
                          .between_ann_and_bob = 2,
                          .between_bob_and_dan = 5,
                          .table = {{"ann", 1, 1, 52, 48, 0, 101},
                                    {"bob", 4, 0.5, 37, 24, 0, 61.5},
                                    {"cid", 4, 0.5, 30, 0, 48, 30.5},
                                    {"dan", 11, 0.25, 15, 0, 48, 15.25},
                                    {"eve", 0, 0, 42, 0, 48, 42},
                                    {"gus", 0, 0, 37, 0, 48, 37},
                                    {"fay", 0, 0, 0, 0, 0, 0}}};

/* 2025fa, 2026sp. Right outputs 18 = CPU 5, GPU 3, unroll 5, fused 5; times before M3 as in 2025sp.
 * M3's time 25 up to 60 ms, none from 100: bob and cid 84 ms 25 * 16 / 40 = 10, eve 70 ms 25 * 30 /
 * 40 = 18.75, gus 84 ms 10. Open 45 = quiz 15 + 10 + 10 + 10. Rank as 2025sp. */
inline Term years_of_the_quiz(const char* name) {
  return {.name = name,
          .ann = {100, 60, 21},
          .bob = {200, 84, 22},
          .dan = {1220, 100, 60},
          .eve = {100, 70, 30},
          .gus = {100, 84, 30},
          .cid_early = 304,
          .between_ann_and_bob = 2,
          .between_bob_and_dan = 5,
          .table = {{"ann", 1, 1, 55, 45, 0, 101},
                    {"bob", 4, 0.5, 40, 22.5, 0, 63},
                    {"cid", 4, 0.5, 33, 0, 45, 33.5},
                    {"dan", 11, 0.25, 18, 0, 45, 18.25},
                    {"eve", 0, 0, 48.75, 0, 45, 48.75},
                    {"gus", 0, 0, 40, 0, 45, 40},
                    {"fay", 0, 0, 0, 0, 0, 0}}};
}

}  // namespace opgrade::test
