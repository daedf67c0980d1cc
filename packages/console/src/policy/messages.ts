/** What a page and the policy worker say to each other. */
import type { AgentDocument, PolicyDocument, RuleDocument, Verdict } from '@mandate/schemas';

/** The documents in force, as the plane has them. */
export type InForce = {
  agents: readonly AgentDocument[];
  rules: readonly RuleDocument[];
  /** Each version that a rule may give, the newest of a policy last. */
  policies: readonly { version: number; policy: PolicyDocument; isArchived: boolean }[];
};

/** A fault or a doubt, at its place in the text. Lines and columns count from 1. */
export type Place = { line: number; column: number; message: string };

/** The result of reading a draft. */
export type Checked = {
  faults: readonly Place[];
  doubts: readonly Place[];
  /** Null if the text has faults. */
  policy: PolicyDocument | null;
  /** What the draft newly allows, a sentence for each. Null if the text has faults. */
  widens: readonly string[] | null;
  /** What the draft takes away, a sentence for each. Null if the text has faults. */
  narrows: readonly string[] | null;
  /** What is doubtful about the documents with the draft among them. Null if the text has faults. */
  findings: readonly { code: string; severity: string; message: string; remedy: string }[] | null;
};

/** What the plane would answer to a call that has no arguments and names no person, if nothing is spent so far. */
export type Cell = {
  verdict: Verdict;
  reason: string;
  /** What the call must have for this verdict. Otherwise it is blocked. Empty: the verdict depends on nothing more. */
  dependsOn: readonly string[];
};

/** What the plane says now, and what it would say with the draft. */
export type MatrixCell = { now: Cell; draft: Cell | null };

/** A cell for each tool that was asked for. */
export type MatrixRow = { agent: string; cells: readonly MatrixCell[] };

/** Two versions of a policy, as texts, and what the second allows and takes away. */
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
