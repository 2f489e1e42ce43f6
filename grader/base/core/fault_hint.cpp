#include "grader/base/core/fault_hint.hpp"

#include <new>
#include <system_error>

#include "grader/base/core/error.hpp"

namespace opgrade {

std::string hint_for(const std::exception& failure) {
  if (const auto* const error = dynamic_cast<const Error*>(&failure)) return error->hint;
  if (const auto* const system = dynamic_cast<const std::system_error*>(&failure)) {
    // On a full tmpfs the library's copy_file reports EIO.
    for (const auto full : {std::errc::no_space_on_device, std::errc::io_error}) {
      if (system->code() == full)
        return "check the free space where the results go, and of TMPDIR or /tmp";
    }
    for (const auto short_of : {std::errc::not_enough_memory, std::errc::too_many_files_open,
                                std::errc::resource_unavailable_try_again}) {
      if (system->code() == short_of)
        return "this machine ran out of memory, processes or descriptors; end other programs, or "
               "grade fewer submissions at a time";
    }
    for (const auto denied : {std::errc::permission_denied, std::errc::operation_not_permitted,
                              std::errc::read_only_file_system}) {
      if (system->code() == denied) return "check who may read and write the path that is named";
    }
  }
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr)
    return "this machine ran out of memory; end other programs, or grade fewer submissions at a "
           "time";
  return "this is a fault of opgrade; please report it";
}

}  // namespace opgrade
