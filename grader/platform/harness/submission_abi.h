/* What an adapter exports from a built submission: plain C, so that any compiler of any interface
 * can provide it. The harness calls these functions; an adapter turns them into the student's. */
#ifndef OPGRADE_SUBMISSION_ABI_H
#define OPGRADE_SUBMISSION_ABI_H

#define OPGRADE_ABI_VERSION 6
#define OPGRADE_MAX_BUFFERS 8
#define OPGRADE_MAX_SIZES 16

/* One computation. The task says which sizes and buffers it has, and in which order; the output is
 * the first buffer, the others are inputs. Elements are float32. The device pointers are the
 * adapter's to fill in its prolog and to use afterwards. */
typedef struct opgrade_call {
  float* buffer[OPGRADE_MAX_BUFFERS];
  int size[OPGRADE_MAX_SIZES];
  float* device[OPGRADE_MAX_BUFFERS];
  float device_ms; /* of the last forward, by device events; 0 where there are none */
  int events;      /* not 0: forward records them. They lengthen a short call by some us */
  /* Of a program: to be called where it ends its process without the handlers of exit(). Returns in
   * another process than the program's own, and if the harness wants no output. */
  void (*over)(int status);
} opgrade_call;

/* A device tensor that another process can open: CUDA's IPC handle of the allocation, and where in
 * it the tensor starts. */
typedef struct opgrade_shared {
  char handle[64];
  unsigned long long offset;
} opgrade_shared;

typedef struct opgrade_submission {
  int abi_version;
  /* What Layer Time has beside Op Time; null where the interface has no such step. */
  void (*prolog)(opgrade_call*);
  void (*forward)(opgrade_call*); /* what Op Time times */
  void (*epilog)(opgrade_call*);
  /* Waits for the device; 0, or an error number whose text goes to *error. A text with 0 is that of
   * a call that failed and neither was a launch nor stops the device. Null on the CPU. */
  int (*synchronize)(const char** error);
  /* Runs a little device work, so that no timed call includes the switch to this process. Null on
   * the CPU. */
  void (*touch)(void);
  /* Fills handles for the output and for the input that the grader makes fresh on the device, after
   * the prolog; 0 when both can be shared. Null where the device has no such thing. */
  int (*share)(const opgrade_call*, opgrade_shared shared[2]);
  /* Sends the grader the findings not sent yet (kFindingsFd in protocol.hpp); returns all of them
   * as a JSON list. Null where the device has no findings. */
  const char* (*findings)(void);
  /* Called before each forward and not timed; null where the interface has no such step. */
  void (*prepare)(opgrade_call*);
  /* Called after each epilog, untimed: undoes the submission's changes to its host tensors, such
   * as a registration. Null where there is nothing to undo. */
  void (*release)(const opgrade_call*);
  /* Of a program, whose forward does not return but ends the process with what main returned: reads
   * its output file. Called when its last handler has run. Null for a function. */
  void (*collect)(opgrade_call*, int status);
} opgrade_submission;

#ifdef __cplusplus
extern "C"
#endif
    const opgrade_submission*
    opgrade_get_submission(void);

/* The harness exports a `const opgrade_call*` by this name: the call that a program's process is
 * for. The adapter writes the input files before the program's own constructors run. */
#define OPGRADE_PROGRAM_CALL "opgrade_program_call"

/* Defines it in an adapter. */
#define OPGRADE_EXPORT(submission)                                            \
  extern "C" __attribute__((visibility("default"))) const opgrade_submission* \
  opgrade_get_submission(void) {                                              \
    return &submission;                                                       \
  }

#endif
