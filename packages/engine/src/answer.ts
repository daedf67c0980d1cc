/** The input and output of the engine, as plain values. */
import type { Ledger, Operation } from '@mandate/ledger';
import type { MandatesInForce } from '@mandate/policy';
import type { ContentFinders } from '@mandate/policy/governance';
import type { Span } from '@mandate/runtime';
import type {
  Action,
  ActionDecided,
  ActionSettled,
  DeadLetter,
  LogPosition,
  Pinned,
  WrittenRecord,
} from '@mandate/schemas';

/** A record of an actions topic. */
export type Incoming = {
  source: LogPosition;
  appendedAtMs: number;
  key: string | null;
  value: Uint8Array;
  /** The object that this process wrote as `value`. If present, it is used, and `value` is not parsed. */
  written?: WrittenRecord | undefined;
  /** Set if this entry is not a record, but a batch that cannot be split into records. */
  unreadable?: { reason: string; lastOffset: number } | undefined;
  /** The fingerprint of the values that redaction removed from the action before it was published. */
  fingerprint?: string | null;
  /** The fields of the action that an API key fixed. The headers of the record state them. */
  pinned?: Pinned | null;
  /** The span of the work on this record, if it is traced. */
  span?: Span | undefined;
};

export type AnswerContext = {
  ledger: Ledger;
  control(): MandatesInForce;
  /** Redacts the action for publishing. The checks use the original action. */
  redact(action: Action, tenant: string): Action;
  /**
   * Returns the estimated time of the ledger. Plans are made for this time. If the ledger's time differs, a plan may
   * be made again.
   */
  clock(): number;
  /** What finds personal data and profane words. Without it, answers that a policy filters are blocked. */
  finders?: ContentFinders;
  /** Returns how many deliveries of a tenant the ledger may remember. Default: the number of the plane. */
  maxRemembered?(tenant: string): number;
  /** If false, no request is ever too late. Offline evaluation uses false. */
  deadlines: boolean;
};

/** The answer to a record. `published`: the log already contains the answer. */
export type Answer =
  | { kind: 'record'; key: string; record: ActionDecided | ActionSettled }
  | { kind: 'dead-letter'; key: string | null; record: DeadLetter }
  | { kind: 'published' };

export type Answered = {
  answers: readonly Answer[];
  /**
   * The operations to confirm to the ledger. The caller confirms them after it has written the answers to the log.
   */
  operations: readonly Pick<Operation, 'tenant' | 'agentId' | 'source'>[];
};
