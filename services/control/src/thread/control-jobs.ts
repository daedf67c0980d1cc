/**
 * Long work on a tenant's documents. It runs in its own thread, on a copy of the documents. Jobs and results travel between
 * threads, so they are plain values.
 */
import type { LintedDocument } from '@mandate/control/lint';
import type { RedactionRules } from '@mandate/privacy';
import type { ApiKeyRecord } from '@mandate/schemas';
import type { HttpProblem } from '@mandate/server';
import type { Expanded } from '../routes/applied-policies.ts';

/** Every job reads the documents of one tenant at the time `atMs`. */
export type ControlJob = {
  tenant: string;
  atMs: number;
} & (
  | { kind: 'lint'; fileKeys: FileKeys }
  | { kind: 'lint around'; document: LintedDocument; fileKeys: FileKeys }
  /** `body`: the bytes of the request body. */
  | { kind: 'preview'; body: Uint8Array; query: Expanded; redaction: RedactionRules }
);

/** The tenant's keys from a file, which the log does not contain. */
type FileKeys = readonly ApiKeyRecord[];

/** The answer as JSON, or the facts of an HttpProblem that refuses the job. */
export type JobResult = { ok: true; text: string } | { ok: false; refusal: Refused };

type Refused = Pick<HttpProblem, 'status' | 'code' | 'message' | 'remedy' | 'extension'>;
