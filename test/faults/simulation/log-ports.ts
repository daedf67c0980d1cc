/** The functions through which a process uses the log. */
export type LogPorts = {
  /** Identifies the process to which a member of a group belongs. */
  owner?: unknown;
  /**
   * Calls the log. `effect` happens at some later time, atomically, and the answer comes after it. `what` describes
   * the call.
   */
  call<T>(what: LogCall, effect: () => T): Promise<T>;
  /** Runs a function in the process, at some later time. */
  post(run: () => void): void;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export type LogCall =
  | { do: 'append'; topic: string; partition: number | null; named: boolean; urgent: boolean }
  | { do: 'commit' | 'heartbeat' | 'fetch' | 'look' | 'join' | 'attend' };
