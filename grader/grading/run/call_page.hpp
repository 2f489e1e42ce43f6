/// The page in which timed steps start and end, shared with the harness (protocol::CallPage).
#pragma once

#include "grader/base/core/fd.hpp"
#include "grader/platform/harness/protocol.hpp"

namespace opgrade {

/// The page lies in a memory file that can neither shrink nor grow, because the grader reads it
/// while the submission may do anything to the file.
class SharedPage {
 public:
  /// Throws Error if memory is short.
  SharedPage();
  ~SharedPage();
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;

  protocol::CallPage& operator*() const { return *page_; }
  protocol::CallPage* operator->() const { return page_; }
  int fd() const { return file_.get(); }

 private:
  Fd file_;
  protocol::CallPage* page_ = nullptr;
};

}  // namespace opgrade
