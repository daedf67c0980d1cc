/** A grant: what an agent may do until the grant ends, with the rules and policies that it was made from. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { RULE_MODES } from './rule-document.ts';
import { count, id, idThat, parsedJson, time } from './scalars.ts';

/** The beginning of the id of a grant. No other mandate should have such an id. */
export const GRANT_ID = 'mnd_';

/** A rule that matched, and the policy that it gave, with its version at that time: `read-only@3`. */
const matchedRule = z.strictObject({
  rule: described(id, 'The rule that matched.', 'support-reads'),
  policy: described(
    idThat(id, /^[^@]+@[1-9]\d{0,8}$/, 'must be a policy with its version: read-only@3'),
    'The policy that the rule gave, in the version of that moment.',
    'read-only@3',
  ),
  mode: described(z.enum(RULE_MODES), 'The mode that the rule had.'),
});
export type MatchedRule = z.output<typeof matchedRule>;

/** The context in which an agent will act. The record always keeps it, so it contains no personal data. */
export const grantContext = z
  .record(z.string(), parsedJson)
  .refine((context) => isShallow(context) && JSON.stringify(context).length <= CAPS.contextUnits, {
    error: `must be no longer than ${CAPS.contextUnits} characters as JSON, and nested no deeper than ${CAPS.depth}`,
  });

/**
 * Checks one level after the other before JSON.stringify, because a value that is nested too deep would overflow the
 * stack.
 */
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

export const grantDocument = z.strictObject({
  id: described(
    idThat(id, new RegExp(`^${GRANT_ID}`), `must begin with ${GRANT_ID}`),
    'The id of the grant. An action names it as `mandateId`.',
    'mnd_01ke6p9y40d2c1b0a99887766554433',
  ),
  agentId: described(id, 'The agent that may act under the grant.', 'airline-007'),
  context: described(
    grantContext,
    'The context of the grant. An action must say the same of these fields. If it leaves out a field, this value holds.',
    { environment: 'prod', ticket: { id: 4711 } },
  ),
  rules: described(
    z.array(matchedRule).max(CAPS.rulesPerMandate),
    'The rules that match every action under the grant.',
  ),
  openRules: described(
    z.array(matchedRule).max(CAPS.rulesPerMandate),
    'The rules that are asked again for each action, because they look at the action.',
  ),
  foundAt: described(
    count,
    'The revision at which the rules were matched. If the agent, a rule or a policy was changed since, the grant takes no effect.',
    41,
  ),
  ttlMs: described(
    count,
    'How long the grant was asked for, in milliseconds. It ends earlier if a rule begins or ends before.',
    300_000,
  ),
  startsAt: described(
    time.optional(),
    'The grant is valid from this time on. A process with a slow clock waits for this time. Default: valid at once.',
  ),
  expiresAt: described(
    time,
    'The grant is valid until this time, which is not included.',
    '2026-01-05T09:35:00.000Z',
  ),
});
export type GrantDocument = z.output<typeof grantDocument>;
