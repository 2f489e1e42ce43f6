/// What staying_submission.cpp does; the width of x says it. Its output is right for M=C=K=1.
#pragma once

namespace opgrade::test {

enum class Staying {
  right = 11,
  right_once,        ///< in the first call of its process
  wrong,             ///< in every call
  exits_later,       ///< in the second call
  fails_at_the_end,  ///< right, and prints without an end when its process is to end
  copies_later,      ///< in the second call: its output is there a second after its function's end
  works_on,          ///< in the second call: its device works for a second after its function's end
  answers_from_memory,  ///< each call with the output of the first one
};

}  // namespace opgrade::test
