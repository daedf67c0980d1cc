/** Messages between the main thread and the control thread. Each call gets one or more answers. */
import type { FedReplica, ReplicaChange } from '@mandate/control-log/replica';
import type { ControlJob, JobResult } from './control-jobs.ts';

export type Call = { id: number } & (
  | { call: 'addLines'; lines: readonly string[] }
  | { call: 'restore' }
  | { call: 'apply'; changes: readonly ReplicaChange[] }
  /** The job begins when the replica contains `revision` records. */
  | { call: 'do'; job: ControlJob; revision: number }
);

/** The result of a call. Null if the call has no result. */
export type Result = Awaited<ReturnType<FedReplica['restore']>> | JobResult | null;

export type Answer = { id: number } & (
  | { kind: 'begun' }
  | { kind: 'done'; result: Result }
  | { kind: 'failed'; message: string }
);
