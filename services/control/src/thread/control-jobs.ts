/**
 * What takes long to find out about a tenant's documents, done on a copy of them in a thread of its own. Jobs and their
 * results travel between threads: they are plain values.
 */
import type { LintedDocument } from '@mandate/policy';
import type { HidingRules } from '@mandate/privacy';
import type { HttpProblem } from '@mandate/runtime';
import type { ApiKeyRecord } from '@mandate/schemas';
import type { Expanded } from '../routes/applied-policies.ts';

/** All are about what stood at `atMs` for one tenant. */
export type ControlJob = {
  tenant: string;
  atMs: number;
} /** `fileKeys`: of the tenant, that stand in a file and not on the log. */ & (
  | { kind: 'lint'; fileKeys: readonly ApiKeyRecord[] }
  | { kind: 'lint around'; document: LintedDocument; fileKeys: readonly ApiKeyRecord[] }
  /** `body`: of a request, as it came. */
  | { kind: 'preview'; body: Uint8Array; query: Expanded; hiding: HidingRules }
);

/** The answer, as JSON; or what is refused, as an HttpProblem says it. */
export type JobResult = { ok: true; text: string } | { ok: false; refusal: Refused };

type Refused = Pick<HttpProblem, 'status' | 'code' | 'message' | 'remedy' | 'extension'>;
