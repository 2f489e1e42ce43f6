#include "grader/core/fault_hint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <system_error>

#include "grader/core/error.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;

std::string hint_of_code(std::errc code) {
  return hint_for(std::filesystem::filesystem_error("copy", std::make_error_code(code)));
}

TEST(HintFor, AnErrorHasItsOwn) { EXPECT_EQ(hint_for(Error("what", "do this")), "do this"); }

TEST(HintFor, WhatTheMachineLacks) {
  EXPECT_THAT(hint_of_code(std::errc::no_space_on_device), HasSubstr("free space"));
  EXPECT_THAT(hint_of_code(std::errc::io_error), HasSubstr("free space"));
  EXPECT_THAT(hint_of_code(std::errc::permission_denied), HasSubstr("who may read"));
  EXPECT_THAT(hint_of_code(std::errc::too_many_files_open), HasSubstr("--jobs"));
  EXPECT_THAT(hint_for(std::bad_alloc()), HasSubstr("memory"));
}

TEST(HintFor, AnythingElseIsOurs) {
  EXPECT_THAT(hint_for(std::out_of_range("at")), HasSubstr("fault of opgrade"));
  EXPECT_THAT(hint_of_code(std::errc::invalid_argument), HasSubstr("fault of opgrade"));
}

}  // namespace
}  // namespace opgrade
