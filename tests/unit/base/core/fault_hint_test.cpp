#include "grader/base/core/fault_hint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <system_error>

#include "grader/base/core/error.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string hint_of_code(std::errc code) {
  return hint_for(std::filesystem::filesystem_error("copy", std::make_error_code(code)));
}

TEST(HintFor, AnErrorHasItsOwn) { EXPECT_EQ(hint_for(Error("what", "do this")), "do this"); }

TEST(HintFor, WhatTheMachineLacks) {
  EXPECT_THAT(hint_of_code(std::errc::no_space_on_device), HasSubstr("free space"));
  EXPECT_THAT(hint_of_code(std::errc::io_error), HasSubstr("free space"));
  EXPECT_THAT(hint_of_code(std::errc::permission_denied), HasSubstr("who may read"));
  EXPECT_THAT(hint_of_code(std::errc::too_many_files_open), HasSubstr("fewer submissions"));
  EXPECT_THAT(hint_for(std::bad_alloc()), HasSubstr("memory"));
  // Not every command that fails so has an option for it.
  for (const auto code : {std::errc::too_many_files_open, std::errc::not_enough_memory,
                          std::errc::no_space_on_device, std::errc::permission_denied})
    EXPECT_THAT(hint_of_code(code), Not(HasSubstr("--")));
  EXPECT_THAT(hint_for(std::bad_alloc()), Not(HasSubstr("--")));
}

TEST(HintFor, AnythingElseIsOurs) {
  EXPECT_THAT(hint_for(std::out_of_range("at")), HasSubstr("fault of opgrade"));
  EXPECT_THAT(hint_of_code(std::errc::invalid_argument), HasSubstr("fault of opgrade"));
}

}  // namespace
}  // namespace opgrade
