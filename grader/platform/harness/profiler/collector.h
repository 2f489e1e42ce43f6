/* What a collector of profile events exports. libopgrade_profiler.so does it with CUPTI; a
 * submission that was built for the emulated device brings one that counts launches. The harness
 * looks the functions up by name, so that it needs neither. */
#ifndef OPGRADE_COLLECTOR_H
#define OPGRADE_COLLECTOR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Starts recording. Returns 0, or why that is not possible. */
const char* opgrade_profiler_start(void);

/* Marks the begin of a step (kind: "prolog", "conv" or "epilog"), or its end if kind is 0. */
void opgrade_profiler_step(const char* kind, int layer);

/* Ends recording and writes all events to the file, as grader/grading/profile/events.hpp describes.
 * Returns 0, or why that is not possible. */
const char* opgrade_profiler_stop(int file);

#ifdef __cplusplus
}
#endif

#endif
