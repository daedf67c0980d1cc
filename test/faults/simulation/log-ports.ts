/** How a process reaches the log. */
export type LogPorts = {
  /** Identifies the process in the groups that its members belong to. */
  owner?: unknown;
  /** `effect` happens at some time, atomically, and its answer comes later. `what` describes the call. */
  call<T>(what: LogCall, effect: () => T): Promise<T>;
  /** Runs something in the process, at some time. */
  post(run: () => void): void;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export type LogCall =
  | { do: 'append'; topic: string; partition: number | null; named: boolean; urgent: boolean }
  | { do: 'commit' | 'heartbeat' | 'fetch' | 'look' | 'join' | 'attend' };
