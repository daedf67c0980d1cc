/**
 * A case that asks for decisions: documents, a time at which the case begins, steps, and the expected answer of each
 * step. Cases of manifests and cases of categories of memories have this form alike.
 */
import type { Register } from '../../laws/registered.ts';
import type { ExpectedDecision } from './expected-decision.ts';
import type { ManifestStep } from './play-manifest.ts';

export type Documents = Pick<Register, 'agents' | 'policies' | 'rules'>;

export type DecisionCase = {
  readonly id: string;
  readonly why: string;
  /** Cases with the same text have the same documents. */
  readonly documentsKey: string;
  readonly documents: () => Documents;
  /** The time of `at: 0`. */
  readonly now: string;
  readonly steps: readonly ManifestStep[];
  /** An answer for each step. Null for the answer of a person. */
  readonly expected: readonly (ExpectedDecision | null)[];
  /** True if a person is asked. Absent if no person is. */
  readonly asksPerson?: boolean;
};
