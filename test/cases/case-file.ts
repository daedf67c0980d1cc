/**
 * Parses golden cases. A file contains several cases, as YAML documents. A case has mandates (missing fields get
 * defaults) and steps at virtual times. Each step names only the parts of the answer that matter.
 */
import { killTarget } from '@mandate/schemas';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const fields = z.record(z.string(), z.unknown());
const documents = z.array(fields);

const everyStep = {
  /** Milliseconds since the case began. If absent, no time has passed since the step before. */
  at: z.int().min(0).optional(),
  /** A part of the decision, settlement, fault or receipt. `results` has the result of each check, by name. */
  expect: fields.optional(),
};

const delivered = {
  ...everyStep,
  topic: z.string().optional(),
  /** The time when the record was appended, in milliseconds since the case began. Absent if it is appended now. */
  appended: z.int().min(0).optional(),
  /** If true, the answer is lost before it reaches the log, and the ledger gets no confirmation. */
  lost: z.literal(true).optional(),
};

const step = z.union([
  z.strictObject({
    ...delivered,
    ask: fields,
    times: z.int().min(1).optional(),
    /** Default fields that this action does not have. */
    without: z.array(z.string()).optional(),
  }),
  /**
   * Reports an outcome with a key that may release money, like a trusted reporter. With `own`, the agent's own key
   * reports.
   */
  z.strictObject({ ...delivered, report: fields, own: z.literal(true).optional() }),
  z.strictObject({ ...delivered, raw: z.string() }),
  /** Delivers the record of an earlier step (counted from 1) again, at the same log position. */
  z.strictObject({ ...delivered, again: z.int().min(1), published: z.literal(true).optional() }),
  z.strictObject({ ...everyStep, enforce: documents }),
  z.strictObject({ ...everyStep, kill: killTarget }),
  z.strictObject({ ...everyStep, revive: killTarget }),
  z.strictObject({
    ...everyStep,
    adjust: z.strictObject({ id: z.string(), budget: z.string(), deltaMicros: z.int() }),
  }),
  z.strictObject({
    ...everyStep,
    /** Answers the question of an earlier step (counted from 1). */
    approve: z.strictObject({ step: z.int(), answer: z.enum(['granted', 'denied']), forMs: z.int() }),
  }),
]);
export type Step = z.infer<typeof step>;

const goldenCase = z.strictObject({
  name: z.string(),
  mandates: documents,
  steps: z.array(step),
  /** Every counter that is not zero at the end: `agent/agent-1/total`, `tenant//team/60000` → micro-dollars. */
  balances: z.record(z.string(), z.int()).optional(),
  /** The ids of the actions that are allowed and not settled at the end. */
  open: z.array(z.string()).optional(),
});
export type GoldenCase = z.infer<typeof goldenCase>;

export function readCases(text: string): readonly GoldenCase[] {
  const parsed = parseAllDocuments(text);
  if (!Array.isArray(parsed)) throw new Error('the file holds no case');
  return parsed.map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return goldenCase.parse(document.toJS());
  });
}
