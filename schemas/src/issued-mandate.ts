/** A mandate that was issued: what an agent may do until it ends, and what it was made of. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { RULE_MODES } from './rule-document.ts';
import { count, id, idThat, parsedJson, time } from './scalars.ts';

/** With which the id of an issued mandate begins, and no other's should. */
export const ISSUED_MANDATE = 'mnd_';

/** `read-only@3`: the policy that the rule led to, in the version that it had. */
const matchedRule = z.strictObject({
  rule: id,
  policy: idThat(id, /^[^@]+@[1-9]\d{0,8}$/, 'must be a policy with its version: read-only@3'),
  mode: z.enum(RULE_MODES),
});
export type MatchedRule = z.output<typeof matchedRule>;

/** The context in which an agent is to act. The record keeps it always, so it contains no personal data. */
export const issuedContext = z
  .record(z.string(), parsedJson)
  .refine((context) => isShallow(context) && JSON.stringify(context).length <= CAPS.contextUnits, {
    error: `must be no longer than ${CAPS.contextUnits} characters as JSON, and nested no deeper than ${CAPS.depth}`,
  });

/** Asked first, one level after the other: what is nested deep enough is more than a stack holds. */
function isShallow(context: unknown): boolean {
  let level = [context];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > CAPS.depth) return false;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return true;
}

export const issuedMandateDocument = z.strictObject({
  id: idThat(id, new RegExp(`^${ISSUED_MANDATE}`), `must begin with ${ISSUED_MANDATE}`),
  agentId: id,
  /** What an action says of these fields must be the same, and of those that it leaves out this holds. */
  context: issuedContext,
  /** Those that every action under it matches. */
  rules: z.array(matchedRule).max(CAPS.rulesPerMandate),
  /** Those that are asked of each action, for it alone tells what they look at. */
  openRules: z.array(matchedRule).max(CAPS.rulesPerMandate),
  /** The revision that all this was found at: where a rule, a policy or the agent was changed since, it takes no effect. */
  foundAt: count,
  /** As it was asked for; where a rule begins or ends before that, it ends there. */
  ttlMs: count,
  /** Before, other rules matched: a clock that is behind that of the issuer is there still. Absent: none that could be told. */
  startsAt: time.optional(),
  expiresAt: time,
});
export type IssuedMandateDocument = z.output<typeof issuedMandateDocument>;
