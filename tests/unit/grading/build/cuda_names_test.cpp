#include "grader/grading/build/cuda_names.hpp"

#include <gtest/gtest.h>

namespace opgrade {
namespace {

std::string successor(const std::string& messages) {
  const auto removed = find_removed_name(messages);
  return removed ? removed->name + " -> " + removed->successor : "";
}

TEST(CudaNames, WhatCudaHasNoMoreHasASuccessor) {
  EXPECT_EQ(
      successor(
          "a.cu:6:10: error: ‘__shfl’ was not declared in this scope; did you mean ‘__sinl’?\n"),
      "__shfl -> __shfl_sync");
  EXPECT_EQ(successor("a.cu(6): error: identifier \"__shfl_down\" is undefined\n"),
            "__shfl_down -> __shfl_down_sync");
  EXPECT_EQ(successor("a.cu:3:3: error: use of undeclared identifier '__ballot'\n"),
            "__ballot -> __ballot_sync");
  EXPECT_EQ(successor("a.cu(9): error: class \"cudaDeviceProp\" has no member \"deviceOverlap\"\n"),
            "deviceOverlap -> asyncEngineCount");
  EXPECT_EQ(successor("a.cu:1:1: error: x\na.cu:2:1: error: ‘cudaThreadSynchronize’ was not "
                      "declared in this scope\n"),
            "cudaThreadSynchronize -> cudaDeviceSynchronize");
}

TEST(CudaNames, OtherNamesHaveNone) {
  EXPECT_EQ(successor("a.cu:6:10: error: ‘__shfl_sync’ was not declared in this scope\n"), "");
  EXPECT_EQ(
      successor("a.cu:6:10: error: ‘x’ was not declared in this scope; did you mean ‘__shfl’?\n"),
      "");
  EXPECT_EQ(successor("a.cu:6:10: error: expected ‘;’ before ‘__shfl’\n"), "");
  EXPECT_EQ(successor("a.cu:6:10: warning: ‘__shfl’ was not declared in this scope\n"), "");
  EXPECT_EQ(successor("a.cu:6:10: error: ‘my__shfl’ was not declared in this scope\n"), "");
  EXPECT_EQ(successor(""), "");
}

TEST(CudaNames, ReservedNamesAreNotSuggested) {
  EXPECT_EQ(
      without_reserved_suggestions(
          "a.cu:6:10: error: ‘__shfl’ was not declared in this scope; did you mean ‘__sinl’?\n"
          "    6 |   mine = __shfl(mine, 1);\n      |          ^~~~~~\n      |          __sinl\n"
          "a.cu:7:1: error: y\n"),
      "a.cu:6:10: error: ‘__shfl’ was not declared in this scope\n"
      "    6 |   mine = __shfl(mine, 1);\n      |          ^~~~~~\na.cu:7:1: error: y\n");
  EXPECT_EQ(without_reserved_suggestions("error: ‘_Fl’ was not declared; did you mean ‘_Float’?"),
            "error: ‘_Fl’ was not declared");
  EXPECT_EQ(without_reserved_suggestions("error: x; did you mean ‘opgrade_s_tile’?\n"),
            "error: x\n");
}

TEST(CudaNames, OtherSuggestionsStay) {
  for (const std::string text :
       {"error: ‘__syncthread’ was not declared in this scope; did you mean ‘__syncthreads’?\n",
        "error: ‘cudaMaloc’ was not declared in this scope; did you mean ‘cudaMalloc’?\n      |   "
        "cudaMalloc\n",
        "error: ‘__shared’ does not name a type; did you mean ‘__shared__’?\n",
        "error: ‘_x’ was not declared; did you mean ‘_y’?", "", "\n\n"})
    EXPECT_EQ(without_reserved_suggestions(text), text);
}

}  // namespace
}  // namespace opgrade
