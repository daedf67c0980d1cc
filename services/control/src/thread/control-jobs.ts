/**
 * The slow jobs on a tenant's documents. A job runs in its own thread, on a copy of the documents. Jobs and results
 * are plain values, because they are sent between threads.
 */
import type { LintedDocument } from '@mandate/control/lint';
import type { RedactionRules } from '@mandate/privacy';
import type { ApiKeyRecord } from '@mandate/schemas';
import type { HttpProblem } from '@mandate/server';
import type { Expanded } from '../routes/applied-policies.ts';

/** A job. It reads the documents of one tenant at the time `atMs`. */
export type ControlJob = {
  tenant: string;
  atMs: number;
} & (
  | { kind: 'lint'; fileKeys: FileKeys }
  | { kind: 'lint around'; document: LintedDocument; fileKeys: FileKeys }
  /** `body`: the bytes of the request body. */
  | { kind: 'preview'; body: Uint8Array; query: Expanded; redaction: RedactionRules }
);

/** The tenant's keys in a file. The log does not contain these keys. */
type FileKeys = readonly ApiKeyRecord[];

/** The answer of a job as JSON, or the facts of an HttpProblem that refuses the job. */
export type JobResult = { ok: true; text: string } | { ok: false; refusal: Refused };

type Refused = Pick<HttpProblem, 'status' | 'code' | 'message' | 'remedy' | 'extension'>;
