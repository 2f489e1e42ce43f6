/// What the program of the session tests does; the first element of its input says it.
#pragma once

namespace opgrade::test {

enum class ProgramAct {
  honest,        ///< y[0] = x[1] and 2 more: one of `main`, which counts its runs, one of an end
  returns_one,   ///< a failed main
  crashes,       ///< SIGSEGV
  vanishes,      ///< ends the process without a handler
  leaves_child,  ///< forks a sleeper
  helper_ends_first,  ///< a process that it forks calls exit(0) before it has its output
};

}  // namespace opgrade::test
