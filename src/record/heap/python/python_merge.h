/* SPDX-License-Identifier: MIT */
/*
 * The stack of the thread with its Python frames: as walk.h has it for native stacks, and the
 * same where there are no Python frames.  These take the place of the evaluator's:
 *
 *	native              Python        merged
 *	malloc                            malloc
 *	PyList_Append                     PyList_Append
 *	the evaluator       handle        handle
 *	                    serve         serve
 *	method_vectorcall                 method_vectorcall
 *	the evaluator       <module>      <module>
 *	main                              main
 *
 * From the inside out: a greenlet's native stack ends on that of the code that started it, and its
 * Python stack at its own root.  What is further out is not its own, and is cut off.  If the native
 * walk was lost, the other Python frames come at the outer end.
 */
#ifndef SEEP_RECORD_HEAP_PYTHON_PYTHON_MERGE_H
#define SEEP_RECORD_HEAP_PYTHON_PYTHON_MERGE_H

#include "record/heap/thread.h"

/* As seep_walk_again and seep_walk_node.  Slow. */
void seep_python_merge_again(struct seep_thread *thread, const void *frame_address);
uint32_t seep_python_merge_node(struct seep_thread *thread, uint32_t n, bool create);

#endif
