/**
 * GET /v1/audit/decisions/:id/explain: one decision with everything that led to it and everything that followed from
 * it.
 */
import {
  childrenOf,
  type DecisionSummary,
  decisionsAfter,
  decisionsBefore,
  decisionsOfAction,
  decisionsOfTrace,
  duplicatesOf,
  eventsBehind,
  publications,
  searchDecisions,
  searchSettlements,
} from '@mandate/audit';
import {
  ancestorsIn,
  CAPS,
  check,
  type Decision,
  id,
  mandateReference,
  sortableId,
  time,
  wireTime,
} from '@mandate/schemas';
import { z } from 'zod';
import { dollarsField, microsField, withDollars } from '../amounts.ts';
import type { Asker, BoundedAsk } from '../bounded-ask.ts';
import { boundOf, boundOrigin } from '../explain/bound-of.ts';
import { checkInWords } from '../explain/check-in-words.ts';
import { DATED_LATER_MS, killsInForce } from '../explain/kill-in-force.ts';
import { killsAfter } from '../explain/kills-after.ts';
import { limitsMoved, limitsMovedBy } from '../explain/limits-moved.ts';
import { change, whatWouldChange } from '../explain/what-would-change.ts';
import { settlementFound } from '../found-rows.ts';
import { askerOf, type Route } from '../query-context.ts';
import { queryParameters } from '../query-parameters.ts';
import { findWhole, wholeDecision } from '../whole-decision.ts';

/** How many entries of each list an answer has. */
const MOST = { neighbours: 5, parents: 5, others: 20, trace: 100, settlements: 20, events: 100 };

const WEEK_MS = 7 * 86_400_000;

const POLICIES_NOT_TOLD = 'Composed of policies: which of them set which bound is not on the record.';

const other = searchDecisions.row
  .pick({
    id: true,
    kind: true,
    actionId: true,
    attempt: true,
    agentId: true,
    type: true,
    tool: true,
    model: true,
    verdict: true,
    code: true,
    decidedAt: true,
  })
  .extend({
    chargedMicros: microsField,
    charged: dollarsField,
    apartMs: z.int().describe('How long after the decision; negative: before it.'),
  });
type Other = z.output<typeof other>;

const others = z.object({
  decisions: z.array(other),
  more: z.boolean().describe('There are more than these.'),
});

const settlement = settlementFound.pick({
  ...{ id: true, kind: true, status: true, code: true, marks: true, reason: true, late: true },
  ...{ settledAt: true, mayRelease: true, reportedBy: true },
  ...{ deltaMicros: true, delta: true, chargedMicros: true, charged: true },
  ...{ excessMicros: true, excess: true, releasedMicros: true, released: true },
});

const policyVersion = z.object({
  policy: z.string().describe('`read-only@3`; of the limits of the tenant `tenant acme@7`.'),
  published: publications.row
    .omit({ name: true })
    .nullable()
    .describe('Null if the change is not on record: not yet, or no longer.'),
});

const explanation = wholeDecision.extend({
  asOf: time.describe('When this was asked; what the recorder had landed by then is in it.'),
  traceId: z.string().nullable(),
  mandate: mandateReference
    .extend({
      notTold: z
        .string()
        .nullable()
        .describe('What the record does not say of the origin of its bounds; null where that is nothing.'),
    })
    .nullable()
    .describe('The mandate in force; null where none applied.'),
  policyVersions: z
    .array(policyVersion)
    .describe(
      'Each version of a policy that the decision went by, and the limits of the tenant: who published it, and why.',
    ),
  checks: z.array(
    check.extend({ words: z.string(), bound: boundOrigin.nullable().describe('Where its bound stands.') }),
  ),
  change: change.describe('What would have to be otherwise for another verdict.'),
  limits: limitsMoved,
  settlements: z.array(settlement),
  approvals: z.array(eventsBehind.row).describe('What people answered for the action.'),
  kills: z.array(eventsBehind.row).describe('Of a decision that a kill switch made: the kills in force.'),
  killsAfter: z
    .array(eventsBehind.row.extend({ words: z.string() }))
    .describe(
      'Of an ALLOW: the kills that stopped its agent while its answer may still have been waited for, oldest first. Where it had not been handed over by then, the agent was told BLOCK, AGENT_KILLED, with `withheld`; whether it had been is not on the record.',
    ),
  before: others.describe("The agent's decisions before it, the nearest first, within a week."),
  after: others.describe('Those after it.'),
  sameAction: others.describe('Others on the same action: further attempts, repeats of its id.'),
  duplicates: others.describe('Repeats for which this decision stands, within a week.'),
  parents: others.describe('What was decided on the action that this one names as its parent.'),
  children: others.describe('What was decided on actions that name this one as their parent, within a week.'),
  trace: others.describe('Everything of its trace, this decision included.'),
});
export type Explanation = z.output<typeof explanation>;

export const explainDecision: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/decisions/:id/explain',
    {
      config: { scope: 'audit', refusals: { 404: 'The audit has no such decision.' } },
      schema: {
        tags: ['audit'],
        summary: 'One decision explained: why, what would have changed it, and what it belongs to',
        description:
          'The record whole, who published each version of a policy that it went by, each check in words with the origin of its bound, what would have to be otherwise for another verdict, how budgets and rates moved, its settlements, the approval or kill it goes back to, the kills right behind an ALLOW, its neighbours, its parent and children, its duplicates and its trace. Every list is bounded and says whether there is more.',
        params: z.object({ id }),
        querystring: queryParameters({}),
        response: { 200: explanation },
      },
    },
    async (request) => {
      const asOf = wireTime(clock());
      const asker = askerOf(request);
      const { traceId, ...record } = await findWhole(ask, asker, request.params.id);
      const { decision } = record;
      const [policyVersions, told, around] = await Promise.all([
        versionsOf(ask, asker, decision),
        whatPeopleDid(ask, asker, decision),
        whatElse(ask, asker, { ...record, traceId }),
      ]);
      return { asOf, ...record, traceId, ...inItself(decision), policyVersions, ...told, ...around };
    },
  );
};

/** The parts that follow from the record alone. */
function inItself(decision: Decision) {
  const { mandate } = decision;
  const checks = decision.checks.map((check) => ({
    ...check,
    words: checkInWords(check, decision),
    bound: boundOf(check, decision),
  }));
  // Older records do not name the policy of a limit.
  const isTold = mandate?.policies.length === 0 || checks.every(({ bound }) => bound?.policy !== null);
  return {
    mandate: mandate && { ...mandate, notTold: isTold ? null : POLICIES_NOT_TOLD },
    checks,
    change: whatWouldChange(decision),
    limits: limitsMovedBy(decision),
  };
}

/**
 * The versions of the policies behind a decision, those of ancestors too: `read-only@3 of lead` is the published
 * version `read-only@3`.
 */
async function versionsOf(
  ask: BoundedAsk,
  asker: Asker,
  { mandate }: Decision,
): Promise<z.output<typeof policyVersion>[]> {
  const names = [...new Set(mandate?.policies.map((name) => name.replace(/ of .*$/, '')))];
  if (names.length === 0) return [];
  const found = await ask(asker, publications, { tenant: asker.tenant, names });
  const byName = new Map(found.map(({ name, ...published }) => [name, published]));
  return names.map((policy) => ({ policy, published: byName.get(policy) ?? null }));
}

async function whatPeopleDid(ask: BoundedAsk, asker: Asker, decision: Decision) {
  const { tenant } = asker;
  const { agentId, actionId, attempt, code, grantConsumed, reservation } = decision;
  const decidedAtMs = Date.parse(decision.decidedAt);
  const [settlements, events] = await Promise.all([
    ask(asker, searchSettlements, { tenant, agentId, actionId, limit: MOST.settlements }),
    ask(asker, eventsBehind, {
      tenant,
      agentId,
      ancestors: [...ancestorsIn(decision)],
      actionId,
      toMs: decidedAtMs + Math.max(DATED_LATER_MS, CAPS.waitMs),
      limit: MOST.events,
    }),
  ]);
  const flips = events.filter(({ event }) => event !== 'approval.recorded');
  // A settlement that moved money belongs to the decision that reserved it. For a call that waited for a person, that
  // is the later decision.
  const isOfThis = (row: (typeof settlements)[number]) =>
    row.attempt === attempt && (row.kind !== 'settled' || reservation !== null);
  const isAnswered = grantConsumed || code.startsWith('APPROVAL_');
  return {
    settlements: settlements.filter(isOfThis).map((row) => withDollars(row)),
    approvals: isAnswered ? events.filter(({ event }) => event === 'approval.recorded') : [],
    kills: code === 'AGENT_KILLED' ? killsInForce(flips, decidedAtMs) : [],
    killsAfter: killsAfter(flips, decision),
  };
}

async function whatElse(
  ask: BoundedAsk,
  asker: Asker,
  { decision, log, traceId }: Awaited<ReturnType<typeof findWhole>>,
) {
  const { tenant } = asker;
  const { id, agentId, actionId, action } = decision;
  const atMs = Date.parse(decision.appendedAt);
  const at = firstIdOf(atMs);
  const weekBefore = firstIdOf(Math.max(0, atMs - WEEK_MS));
  const weekAfter = firstIdOf(atMs + WEEK_MS);
  const near = { tenant, agentId, atMs, offset: log.offset, limit: MOST.neighbours + 1 };
  const behind = { tenant, fromId: at, toId: weekAfter, limit: MOST.others + 1 };
  const { parentActionId } = action;
  const [before, after, sameAction, duplicates, parents, children, trace] = await Promise.all([
    ask(asker, decisionsBefore, { ...near, fromId: weekBefore, toId: firstIdOf(atMs + 1) }),
    ask(asker, decisionsAfter, { ...near, fromId: at, toId: weekAfter }),
    ask(asker, searchDecisions, {
      tenant,
      agentId: [agentId],
      actionId: [actionId],
      limit: MOST.others + 2,
    }),
    ask(asker, duplicatesOf, { ...behind, agentId, id }),
    // Valid decisions come first, and each brings its whole record.
    parentActionId === undefined
      ? []
      : ask(asker, decisionsOfAction, { tenant, actionId: parentActionId, limit: MOST.parents + 1 }),
    ask(asker, childrenOf, { ...behind, actionId }),
    traceId === null ? [] : ask(asker, decisionsOfTrace, { tenant, traceId, limit: MOST.trace + 1 }),
  ]);
  const listed = (rows: readonly DecisionSummary[], most: number) => ({
    decisions: rows.slice(0, most).map((row) => otherThan(decision, row)),
    more: rows.length > most,
  });
  return {
    before: listed(before, MOST.neighbours),
    after: listed(after, MOST.neighbours),
    sameAction: listed(
      sameAction.filter((row) => row.id !== id),
      MOST.others,
    ),
    duplicates: listed(duplicates, MOST.others),
    parents: listed(
      parents.filter(({ stands }) => stands),
      MOST.parents,
    ),
    children: listed(children, MOST.others),
    trace: listed(trace, MOST.trace),
  };
}

/** Returns an id below every id of that millisecond, and above all earlier ids. */
function firstIdOf(atMs: number): string {
  return sortableId('dec', atMs, '');
}

function otherThan({ decidedAt }: Decision, row: DecisionSummary): Other {
  const apartMs = Date.parse(row.decidedAt) - Date.parse(decidedAt);
  return { ...other.omit({ charged: true, apartMs: true }).parse(row), ...chargeOf(row), apartMs };
}

function chargeOf({ chargedMicros }: DecisionSummary) {
  return withDollars({ chargedMicros });
}
