/// The CHECK and LOG macros of the MXNet terms. A failed check throws, as MXNet's own did; the
/// harness passes the text on.
#ifndef DMLC_LOGGING_H_
#define DMLC_LOGGING_H_

#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace dmlc {

struct Error : public std::runtime_error {
  explicit Error(const std::string& text) : std::runtime_error(text) {}
};

class FatalMessage {
 public:
  FatalMessage(const char* file, int line) { text_ << file << ":" << line << ": "; }
  std::ostream& stream() { return text_; }
  ~FatalMessage() noexcept(false) { throw Error(text_.str()); }

 private:
  std::ostringstream text_;
};

class LogMessage {
 public:
  std::ostream& stream() { return std::cerr; }
  ~LogMessage() { std::cerr << '\n'; }
};

/// Makes a streamed message an operand of ?: so that CHECK is one expression and causes no dangling
/// else.
struct Voidify {
  void operator&(std::ostream&) const {}
};

}  // namespace dmlc

#define CHECK(condition)                                                              \
  (condition) ? (void)0                                                               \
              : ::dmlc::Voidify() & ::dmlc::FatalMessage(__FILE__, __LINE__).stream() \
                                        << "Check failed: " #condition " "
#define OPGRADE_CHECK_OP(a, op, b) CHECK((a)op(b))
#define CHECK_EQ(a, b) OPGRADE_CHECK_OP(a, ==, b)
#define CHECK_NE(a, b) OPGRADE_CHECK_OP(a, !=, b)
#define CHECK_LT(a, b) OPGRADE_CHECK_OP(a, <, b)
#define CHECK_LE(a, b) OPGRADE_CHECK_OP(a, <=, b)
#define CHECK_GT(a, b) OPGRADE_CHECK_OP(a, >, b)
#define CHECK_GE(a, b) OPGRADE_CHECK_OP(a, >=, b)

#define LOG_INFO ::dmlc::LogMessage()
#define LOG_WARNING ::dmlc::LogMessage()
#define LOG_ERROR ::dmlc::LogMessage()
#define LOG_FATAL ::dmlc::FatalMessage(__FILE__, __LINE__)
#define LOG(severity) LOG_##severity.stream()

#endif
