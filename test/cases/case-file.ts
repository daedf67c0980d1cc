/**
 * The form of a golden case. A file contains several cases, as YAML documents. A case has mandates (missing fields
 * get defaults) and steps at virtual times. Each step states the part of the answer that matters.
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
  /** When the record was appended, if not now: milliseconds since the case began. */
  appended: z.int().min(0).optional(),
  /** The answer never reaches the log, so the ledger gets no confirmation. */
  lost: z.literal(true).optional(),
};

const step = z.union([
  z.strictObject({
    ...delivered,
    ask: fields,
    times: z.int().min(1).optional(),
    /** Fields that the defaults have and this action lacks. */
    without: z.array(z.string()).optional(),
  }),
  /** A report by a key that may release, as a trusted reporter has. With `own`: by the agent's own key. */
  z.strictObject({ ...delivered, report: fields, own: z.literal(true).optional() }),
  z.strictObject({ ...delivered, raw: z.string() }),
  /** The record of an earlier step (counted from 1) is delivered again, at the same log position. */
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
    /** The answer to the question that an earlier step (counted from 1) asked. */
    approve: z.strictObject({ step: z.int(), answer: z.enum(['granted', 'denied']), forMs: z.int() }),
  }),
]);
export type Step = z.infer<typeof step>;

const goldenCase = z.strictObject({
  name: z.string(),
  mandates: documents,
  steps: z.array(step),
  /** Every counter at the end that is not zero: `agent/agent-1/total`, `tenant//team/60000` → micro-dollars. */
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
