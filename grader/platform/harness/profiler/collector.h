/* What a collector of profile events exports. libopgrade_profiler.so does it with CUPTI; a
 * submission that was built for the emulated device brings one that counts launches. The harness
 * looks the functions up by name, so that it needs neither. */
#ifndef OPGRADE_COLLECTOR_H
#define OPGRADE_COLLECTOR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Starts recording. 0, or why it cannot be done. */
const char* opgrade_profiler_start(void);

/* Says that a step begins (kind: "prolog", "conv" or "epilog") or, with 0, that it has ended. */
void opgrade_profiler_step(const char* kind, int layer);

/* Ends recording and writes all events to the file, as grader/grading/profile/events.hpp describes.
 * 0, or why it cannot be done. */
const char* opgrade_profiler_stop(int file);

#ifdef __cplusplus
}
#endif

#endif
