/** The messages between a page and the policy worker. */
import type { AgentDocument, PolicyDocument, RuleDocument, Verdict } from '@mandate/schemas';

/** The documents in force on the plane. */
export type InForce = {
  agents: readonly AgentDocument[];
  rules: readonly RuleDocument[];
  /** Each version that a rule may apply. The newest version of a policy is the last. */
  policies: readonly { version: number; policy: PolicyDocument; isArchived: boolean }[];
};

/** A fault or a warning, with its place in the text. Lines and columns count from 1. */
export type Place = { line: number; column: number; message: string };

/** The result of reading a draft. */
export type Checked = {
  faults: readonly Place[];
  doubts: readonly Place[];
  /** Null if the text has faults. */
  policy: PolicyDocument | null;
  /** What the draft newly allows, a sentence for each. Null if the text has faults. */
  widens: readonly string[] | null;
  /** What the draft no longer allows, a sentence for each. Null if the text has faults. */
  narrows: readonly string[] | null;
  /** The lint findings about the documents with the draft among them. Null if the text has faults. */
  findings: readonly { code: string; severity: string; message: string; remedy: string }[] | null;
};

/** The answer of the plane to a call without arguments and without a person, if nothing is spent so far. */
export type Cell = {
  verdict: Verdict;
  reason: string;
  /**
   * The conditions that the call must meet for this verdict. Otherwise it is blocked. Empty: there are no conditions.
   */
  dependsOn: readonly string[];
};

/** The answer of the plane now, and its answer with the draft. */
export type MatrixCell = { now: Cell; draft: Cell | null };

/** One cell for each requested tool. */
export type MatrixRow = { agent: string; cells: readonly MatrixCell[] };

/** Two versions of a policy, as texts, with what the second newly allows and what it no longer allows. */
export type Compared = {
  before: string;
  after: string;
  widens: readonly string[];
  narrows: readonly string[];
};

export type Asked =
  | { kind: 'write'; policy: PolicyDocument }
  | { kind: 'compare'; before: PolicyDocument; after: PolicyDocument }
  | { kind: 'check'; text: string; inForce: InForce }
  | {
      kind: 'matrix';
      agents: readonly string[];
      tools: readonly string[];
      draft: PolicyDocument | null;
      inForce: InForce;
    };

export type AnswerTo<One extends Asked> = One extends { kind: 'write' }
  ? string
  : One extends { kind: 'check' }
    ? Checked
    : One extends { kind: 'compare' }
      ? Compared
      : readonly MatrixRow[];
