/**
 * A store for snapshots of computed state, as lines of text (`writeSnapshot`). The log contains everything that a
 * snapshot contains. A snapshot only saves reading the log from its start. So a missing or broken snapshot costs only
 * time.
 */
export type Snapshots = {
  /** Yields the complete snapshots, the newest first. Reads their content only on demand. */
  newestFirst(): AsyncIterable<StoredSnapshot>;
  /**
   * Saves a new snapshot completely or not at all. Existing snapshots stay readable meanwhile. While the store reads
   * the lines, the caller must not change the data from which the lines are made. `signal` ends the save early.
   */
  save(lines: Iterable<string>, signal?: AbortSignal): Promise<SavedSnapshot>;
};

/** A stored snapshot. `head` and `lines` throw SNAPSHOT_UNREADABLE if its data was deleted or changed. */
export type StoredSnapshot = {
  /** Names the place where the snapshot is stored, for messages to people. */
  name: string;
  /** Returns the first line, and reads no other line. */
  head(): Promise<string>;
  lines(): AsyncIterable<string>;
};

/** `bytes`: the size of the stored snapshot. */
export type SavedSnapshot = { name: string; bytes: number };
