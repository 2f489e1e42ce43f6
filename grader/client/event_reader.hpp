/// Reads server-sent events from pieces of any size.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace opgrade::client {

struct SentEvent {
  std::string id, kind, data;
};

class EventReader {
 public:
  explicit EventReader(std::function<void(const SentEvent&)> take) : take_(std::move(take)) {}

  /// False: the events are longer than any that the service sends.
  bool read(std::string_view piece);

 private:
  void line(std::string_view text);

  std::function<void(const SentEvent&)> take_;
  std::string left_;  ///< the begin of a line
  SentEvent event_;
};

}  // namespace opgrade::client
