/**
 * Where snapshots of the fold live, as lines of text (`writeSnapshot`). They only make the next fold shorter: the log has
 * everything that is in them, so one that is missing or broken costs time and nothing else.
 */
export type Snapshots = {
  /** Those that were written whole, the newest first; what they hold is looked at when it is asked for. */
  newestFirst(): AsyncIterable<StoredSnapshot>;
  /**
   * Keeps a new one, whole or not at all; existing ones stay readable meanwhile. The caller that draws the lines must not
   * change what they are drawn from. `signal` ends it early.
   */
  save(lines: Iterable<string>, signal?: AbortSignal): Promise<SavedSnapshot>;
};

/** Either throws SNAPSHOT_UNREADABLE where what was written is no longer there, or no longer the same. */
export type StoredSnapshot = {
  /** Where it lies, for people. */
  name: string;
  /** The first of its lines, without reading the others. */
  head(): Promise<string>;
  lines(): AsyncIterable<string>;
};

/** `bytes`: what it takes there. */
export type SavedSnapshot = { name: string; bytes: number };
