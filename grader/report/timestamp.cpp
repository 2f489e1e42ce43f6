#include "grader/report/timestamp.hpp"

#include <string_view>

#include "grader/core/whole_number.hpp"

namespace opgrade::report {
namespace {

/// Reads a text from the left; `good` stays true while it fits.
struct TimeReader {
  std::string_view rest;
  bool good = true;

  int number(std::size_t digits, int minimum, int maximum) {
    const std::string_view text = rest.substr(0, digits);
    const int value = whole_number<int>(text).value_or(minimum - 1);
    good = good && text.size() == digits && text[0] != '-' && value >= minimum && value <= maximum;
    rest.remove_prefix(text.size());
    return value;
  }
  void expect(char wanted) {
    good = good && rest.starts_with(wanted);
    if (good) rest.remove_prefix(1);
  }
};

int days_in(int year, int month) {
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (month == 2) return leap ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/// Days since 1970-01-01. Years are counted from March, so that the leap day is their last.
std::int64_t days_since_1970(int year, int month, int day) {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t march = (month + 9) % 12;
  constexpr std::int64_t kUpTo1970 = 719468;
  return 365 * y + y / 4 - y / 100 + y / 400 + (153 * march + 2) / 5 + day - 1 - kUpTo1970;
}

/// Minutes east of Greenwich: "Z", "+02:00" or "-07:00".
int offset_minutes(TimeReader& reader) {
  if (reader.rest == "Z" || reader.rest == "z") {
    reader.rest = {};
    return 0;
  }
  const bool west = reader.rest.starts_with('-');
  reader.expect(west ? '-' : '+');
  const int hours = reader.number(2, 0, 23);
  reader.expect(':');
  const int minutes = hours * 60 + reader.number(2, 0, 59);
  return west ? -minutes : minutes;
}

}  // namespace

std::optional<std::int64_t> timestamp_ms(const std::string& text) {
  TimeReader reader{text};
  const int year = reader.number(4, 1, 9999);
  reader.expect('-');
  const int month = reader.number(2, 1, 12);
  reader.expect('-');
  const int day = reader.number(2, 1, 31);
  reader.expect('T');
  const int hour = reader.number(2, 0, 23);
  reader.expect(':');
  const int minute = reader.number(2, 0, 59);
  reader.expect(':');
  const int second = reader.number(2, 0, 60);
  int thousandths = 0;
  if (reader.good && reader.rest.starts_with('.')) {
    reader.expect('.');
    for (int scale = 100; !reader.rest.empty() && reader.rest[0] >= '0' && reader.rest[0] <= '9';
         scale /= 10) {
      thousandths += scale * (reader.rest[0] - '0');
      reader.rest.remove_prefix(1);
    }
  }
  const int offset = offset_minutes(reader);
  if (!reader.good || !reader.rest.empty() || day > days_in(year, month)) return std::nullopt;
  return ((days_since_1970(year, month, day) * 24 + hour) * 60 + minute - offset) * 60'000 +
         second * 1000 + thousandths;
}

}  // namespace opgrade::report
