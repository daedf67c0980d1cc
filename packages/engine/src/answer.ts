/** What goes into the decider and what comes out of it, as values. */
import type { Ledger, Operation } from '@mandate/ledger';
import type { MandatesInForce } from '@mandate/policy';
import type { Span } from '@mandate/runtime';
import type {
  Action,
  ActionDecided,
  ActionSettled,
  DeadLetter,
  Pinned,
  Source,
  WrittenRecord,
} from '@mandate/schemas';

/** A record of an actions topic. */
export type Incoming = {
  source: Source;
  appendedAtMs: number;
  key: string | null;
  value: Uint8Array;
  /** What this process wrote `value` from: then the value is not parsed. */
  written?: WrittenRecord | undefined;
  /** Set where this is a batch of records that cannot be told apart. */
  unreadable?: { reason: string; lastOffset: number } | undefined;
  /** The fingerprint of the parts that were redacted before the action was published. */
  fingerprint?: string | null;
  /** What of the action an API key fixed, by the headers of the record. */
  pinned?: Pinned | null;
  /** The span of the work on this record, if it is traced. */
  span?: Span | undefined;
};

export type AnswerContext = {
  ledger: Ledger;
  control(): MandatesInForce;
  /** Applied to what is published of an action, never to what is checked. */
  redact(action: Action, tenant: string): Action;
  /** What time it may be for the ledger: plans are made for it, and made again where it was wrong. */
  clock(): number;
  /** How many deliveries of a tenant the ledger may remember. Absent: as many as of a tenant that says nothing. */
  maxRemembered?(tenant: string): number;
  /** false: requests never come too late, as in offline evaluation. */
  deadlines: boolean;
};

/** `published`: the log holds the answer already. */
export type Answer =
  | { kind: 'record'; key: string; record: ActionDecided | ActionSettled }
  | { kind: 'dead-letter'; key: string | null; record: DeadLetter }
  | { kind: 'published' };

export type Answered = {
  answers: readonly Answer[];
  /** What the ledger has to be told about once the answers are on the log. */
  operations: readonly Pick<Operation, 'tenant' | 'agentId' | 'source'>[];
};
