/**
 * The slow jobs on a tenant's documents. A job runs in its own thread, on a copy of the documents. Jobs and results
 * are plain values, because they are sent between threads.
 */
import type { LintedDocument } from '@mandate/control/lint';
import type { WrittenChange } from '@mandate/control-log';
import type { RedactionRules } from '@mandate/privacy';
import type { ApiKeyRecord, ControlRecord } from '@mandate/schemas';
import type { GateDocument } from '@mandate/schemas/agent-manifest';
import type { HttpProblem } from '@mandate/server';
import type { Expanded } from '../routes/applied-policies.ts';

/** A job. It reads the documents of one tenant at the time `atMs`. */
export type ControlJob = {
  tenant: string;
  atMs: number;
} & (
  | { kind: 'lint'; fileKeys: FileKeys }
  | { kind: 'lint around'; document: LintedDocument; fileKeys: FileKeys }
  | { kind: 'try change'; record: ControlRecord; fileKeys: FileKeys }
  /** `body`: the bytes of the request body. */
  | { kind: 'preview'; body: Uint8Array; query: Expanded; redaction: RedactionRules }
  | { kind: 'publish manifest'; body: Uint8Array; change: ControlRecord['change']; gate: GateDocument | null }
  /** `value`: the bytes of the record that is published again. */
  | {
      kind: 'roll back manifest';
      value: Uint8Array;
      change: ControlRecord['change'];
      gate: GateDocument | null;
    }
  /** `from`, `to`: the bytes of the records of two versions. */
  | { kind: 'compare manifests'; from: Uint8Array; to: Uint8Array }
);

/** The tenant's keys in a file. The log does not contain these keys. */
type FileKeys = readonly ApiKeyRecord[];

/**
 * The answer of a job as JSON, or the facts of an HttpProblem that refuses the job. `written`: the change that the job
 * has prepared.
 */
export type JobResult = { ok: true; text: string; written?: WrittenChange } | { ok: false; refusal: Refused };

type Refused = Pick<HttpProblem, 'status' | 'code' | 'message' | 'remedy' | 'extension'>;
