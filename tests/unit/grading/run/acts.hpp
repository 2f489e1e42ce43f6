/// What the submission of the session tests does; the first element of k says it.
#pragma once

namespace opgrade::test {

enum class Act {
  honest,           ///< y[i] = 2 x[i], after 20 ms
  throws,           ///< lets an exception out
  exits,            ///< _exit(7)
  forges_reply,     ///< sends a reply over the channel first, then works
  shortens_prolog,  ///< works in the prolog and says that it took a microsecond
  done_early,       ///< writes "done" into the page before it works
  forges_page,      ///< fills the page's reply with other bytes when it is done
  works_in_wait,    ///< works in the wait for its device, if it is done by then
  exits_in_wait,    ///< _exit(7) there
  works_later,      ///< a thread works 100 ms later
  sends_garbage,    ///< writes text into the grader's channel
  hangs_up,         ///< closes the channel and sleeps
  ends_slowly,      ///< closes the channel and, half a second later, aborts
  hides_in_vfork,   ///< goes on in the child of a vfork
  writes_input,     ///< x[0] = 5, then works
  leaves_child,     ///< forks a sleeper of its own session
  leaves_worker,    ///< forks one that spins, and says that the call took a microsecond
  fills_tables,     ///< a thread is in one system call for half a minute
  hundred_threads,  ///< 100 threads at once, then works; an exception when one cannot start
  endless_threads,  ///< the same without an end
  aborts_for_want_of_threads,  ///< as a terminating library does: the words on stderr, then abort()
};

}  // namespace opgrade::test
