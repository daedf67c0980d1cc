/** Finds the run id for the calls in a graph. */

/**
 * Returns the id of a step of a graph in its thread. The id is the same when the graph is resumed, also in another
 * process. Null outside a graph.
 */
export function runIdOf(runtime: { configurable?: object | undefined }): string | null {
  const { thread_id, checkpoint_ns } = (runtime.configurable ?? {}) as Record<string, unknown>;
  if (typeof checkpoint_ns !== 'string' || checkpoint_ns === '') return null;
  return typeof thread_id === 'string' ? `${thread_id}/${checkpoint_ns}` : checkpoint_ns;
}
