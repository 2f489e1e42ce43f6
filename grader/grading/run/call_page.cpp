#include "grader/grading/run/call_page.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "grader/base/core/error.hpp"

namespace opgrade {

SharedPage::SharedPage() {
  const auto fail = [](const char* step) {
    throw Error(fmt::format("no shared page for timed calls ({}: {})", step, std::strerror(errno)),
                "use a machine with more memory");
  };
  file_ = Fd(::memfd_create("opgrade-calls", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file_) fail("memfd_create");
  if (::ftruncate(file_.get(), sizeof(protocol::CallPage)) != 0) fail("ftruncate");
  if (::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    fail("seal");
  void* const range = ::mmap(nullptr, sizeof(protocol::CallPage), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_POPULATE, file_.get(), 0);
  if (range == MAP_FAILED) fail("mmap");
  page_ = new (range) protocol::CallPage{};
}

SharedPage::~SharedPage() {
  if (page_ != nullptr) ::munmap(page_, sizeof(protocol::CallPage));
}

}  // namespace opgrade
