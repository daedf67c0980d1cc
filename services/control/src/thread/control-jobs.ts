/**
 * Long work on a tenant's documents. It runs in a thread of its own, on a copy of them. Jobs and their results travel between
 * threads, so they are plain values.
 */
import type { LintedDocument } from '@mandate/policy';
import type { HidingRules } from '@mandate/privacy';
import type { HttpProblem } from '@mandate/runtime';
import type { ApiKeyRecord } from '@mandate/schemas';
import type { Expanded } from '../routes/applied-policies.ts';

/** Every job is about the documents of one tenant as of `atMs`. */
export type ControlJob = {
  tenant: string;
  atMs: number;
} & (
  | { kind: 'lint'; fileKeys: FileKeys }
  | { kind: 'lint around'; document: LintedDocument; fileKeys: FileKeys }
  /** `body`: of a request, as it came. */
  | { kind: 'preview'; body: Uint8Array; query: Expanded; hiding: HidingRules }
);

/** The tenant's keys from a file, which the log does not contain. */
type FileKeys = readonly ApiKeyRecord[];

/** The answer, as JSON; or what is refused, as an HttpProblem says it. */
export type JobResult = { ok: true; text: string } | { ok: false; refusal: Refused };

type Refused = Pick<HttpProblem, 'status' | 'code' | 'message' | 'remedy' | 'extension'>;
