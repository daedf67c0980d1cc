/**
 * A store for snapshots of a fold, as lines of text (`writeSnapshot`). A snapshot only makes the next fold shorter,
 * because the log has everything that is in it. So a missing or broken snapshot costs only time.
 */
export type Snapshots = {
  /** Yields the complete snapshots, the newest first. Their content is read only on demand. */
  newestFirst(): AsyncIterable<StoredSnapshot>;
  /**
   * Saves a new snapshot, whole or not at all. Existing snapshots stay readable meanwhile. While the store takes the
   * lines, the caller must not change the data behind them. `signal` ends the save early.
   */
  save(lines: Iterable<string>, signal?: AbortSignal): Promise<SavedSnapshot>;
};

/** A stored snapshot. `head` and `lines` throw SNAPSHOT_UNREADABLE if its data is gone or has changed. */
export type StoredSnapshot = {
  /** The place of the snapshot, for people. */
  name: string;
  /** Returns the first line, without reading the others. */
  head(): Promise<string>;
  lines(): AsyncIterable<string>;
};

/** `bytes`: the size of the stored snapshot. */
export type SavedSnapshot = { name: string; bytes: number };
