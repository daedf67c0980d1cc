/** The input and output of the engine, as plain values. */
import type { Ledger, Operation } from '@mandate/ledger';
import type { MandatesInForce } from '@mandate/policy';
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
  /** The object from which this process wrote `value`. If present, `value` is not parsed. */
  written?: WrittenRecord | undefined;
  /** Set if this is a batch that cannot be split into records. */
  unreadable?: { reason: string; lastOffset: number } | undefined;
  /** The fingerprint of the parts that were redacted before the action was published. */
  fingerprint?: string | null;
  /** The parts of the action that an API key fixed, from the headers of the record. */
  pinned?: Pinned | null;
  /** The span of the work on this record, if it is traced. */
  span?: Span | undefined;
};

export type AnswerContext = {
  ledger: Ledger;
  control(): MandatesInForce;
  /** Applied to the published action, never to the checked one. */
  redact(action: Action, tenant: string): Action;
  /** The probable time of the ledger. Plans are made for it, and made again if the ledger's time differs. */
  clock(): number;
  /** The most deliveries of a tenant that the ledger may remember. Absent: the default number. */
  maxRemembered?(tenant: string): number;
  /** If false, requests never come too late, as in offline evaluation. */
  deadlines: boolean;
};

/** `published`: the log already holds the answer. */
export type Answer =
  | { kind: 'record'; key: string; record: ActionDecided | ActionSettled }
  | { kind: 'dead-letter'; key: string | null; record: DeadLetter }
  | { kind: 'published' };

export type Answered = {
  answers: readonly Answer[];
  /** The operations to confirm to the ledger once the answers are on the log. */
  operations: readonly Pick<Operation, 'tenant' | 'agentId' | 'source'>[];
};
