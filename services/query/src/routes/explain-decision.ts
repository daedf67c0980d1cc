/** GET /v1/audit/decisions/:id/explain: one decision, why it was made, and what followed from it. */
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
  described,
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
import { change } from '../explain/change.ts';
import { checkInWords } from '../explain/check-in-words.ts';
import { DATED_LATER_MS, killsInForce } from '../explain/kill-in-force.ts';
import { killsAfter } from '../explain/kills-after.ts';
import { limitsMoved, limitsMovedBy } from '../explain/limits-moved.ts';
import { whatWouldChange } from '../explain/what-would-change.ts';
import { settlementFound } from '../found-rows.ts';
import { askerOf, type Route } from '../query-context.ts';
import { queryParameters } from '../query-parameters.ts';
import { findWhole, wholeDecision } from '../whole-decision.ts';

/** The maximum number of entries of each list in an answer. */
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
    reason: true,
    decidedAt: true,
  })
  .extend({
    chargedMicros: described(microsField, 'What the decision charged, in micro-dollars.', 100_000),
    charged: dollarsField,
    apartMs: described(
      z.int(),
      'How many milliseconds after the explained decision this decision was made. Negative: before it.',
      -1_200,
    ),
  });
type Other = z.output<typeof other>;

const others = z.object({
  decisions: described(z.array(other), 'The decisions.'),
  more: described(z.boolean(), 'Whether there are more than these.', false),
});

const settlement = settlementFound.pick({
  ...{ id: true, kind: true, status: true, code: true, marks: true, reason: true, late: true },
  ...{ settledAt: true, mayRelease: true, reportedBy: true },
  ...{ deltaMicros: true, delta: true, chargedMicros: true, charged: true },
  ...{ excessMicros: true, excess: true, releasedMicros: true, released: true },
});

const policyVersion = z.object({
  policy: described(
    z.string(),
    'The policy with its version. `tenant acme@7`: the tenant limits.',
    'read-only@3',
  ),
  published: described(
    publications.row.omit({ name: true }).nullable(),
    'Who published the version, and why. null: the audit does not have the change, or no longer has it.',
  ),
});

const explanation = wholeDecision.extend({
  asOf: described(
    time,
    'When the question was asked. The answer contains what the recorder had written by then.',
  ),
  traceId: described(
    z.string().nullable(),
    'The W3C trace id of the request. null: none.',
    '4bf92f3577b34da6a3ce929d0e0e4736',
  ),
  mandate: described(
    mandateReference
      .extend({
        notTold: described(
          z.string().nullable(),
          'What the record does not say about the origin of its limits. null: it says everything.',
          'an older decider did not name the rules',
        ),
      })
      .nullable(),
    'The mandate that was applied. null: no mandate was found.',
  ),
  policyVersions: described(
    z.array(policyVersion),
    'Each version of a policy that the decision used, and the tenant limits: who published it, and why.',
  ),
  checks: described(
    z.array(
      check.extend({
        words: described(z.string(), 'What the check found, as a sentence.', '2 of 5 calls in an hour'),
        bound: described(
          boundOrigin.nullable(),
          'Where the limit of the check is defined. null: it has no limit in a mandate.',
        ),
      }),
    ),
    'Every check of the decision, in words, with the origin of its limit.',
  ),
  change: described(change, 'What would have changed the verdict.'),
  limits: described(limitsMoved, 'The budgets and rates that the decision looked at, before and after it.'),
  settlements: described(z.array(settlement), 'What outcomes did to the charge.'),
  approvals: described(z.array(eventsBehind.row), 'What people answered for the action.'),
  kills: described(z.array(eventsBehind.row), 'If a kill switch decided: the kills that were in force.'),
  killsAfter: described(
    z.array(
      eventsBehind.row.extend({
        words: described(
          z.string(),
          'What the kill means for this decision, as a sentence.',
          'killed 0.3 s after the decision',
        ),
      }),
    ),
    'For an ALLOW: the kills of the agent while its answer may still have been on the way, the oldest first. A ' +
      'kill before the delivery turns the answer into BLOCK with AGENT_KILLED and `withheld`. The record does not ' +
      'say whether that happened.',
  ),
  before: described(others, 'Earlier decisions of the agent within a week, the nearest first.'),
  after: described(others, 'Later decisions of the agent within a week, the nearest first.'),
  sameAction: described(
    others,
    'Other decisions on the same action: further attempts, and repeats of its id.',
  ),
  duplicates: described(others, 'Duplicates of this decision within a week.'),
  parents: described(others, 'Decisions on the action that this action names as its parent.'),
  children: described(others, 'Decisions within a week on actions that name this action as their parent.'),
  trace: described(others, 'All decisions of the trace, this one included.'),
});
export type Explanation = z.output<typeof explanation>;

export const explainDecision: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/decisions/:id/explain',
    {
      config: { scope: 'audit', refusals: { 404: 'The audit has no such decision.' } },
      schema: {
        tags: ['audit'],
        summary: 'Explain one decision: why it was made, what would have changed it, and its related records',
        description:
          'The answer has the whole record, and who published each version of a policy that it used. It explains each ' +
          'check in words, with the origin of its limit. It says what would have changed the verdict, and how budgets ' +
          'and rates moved. It lists the settlements, the approval or kill that led to the decision, and kills soon ' +
          'after an ALLOW. It also lists related decisions: neighbours, parent, children, duplicates and the trace. Each ' +
          'of these lists is bounded and says whether there is more.',
        params: z.object({
          id: described(id, 'The id of the decision.', 'dec_01ke6qx4f8c6ede247811a2d78f78a'),
        }),
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

/** Returns the parts of the answer that need only the decision itself. */
function inItself(decision: Decision) {
  const { mandate } = decision;
  const checks = decision.checks.map((check) => ({
    ...check,
    words: checkInWords(check, decision),
    bound: boundOf(check, decision),
  }));
  // Older records do not name the policy of a limit. The answer then says that the policy is not known.
  const isTold = mandate?.policies.length === 0 || checks.every(({ bound }) => bound?.policy !== null);
  return {
    mandate: mandate && { ...mandate, notTold: isTold ? null : POLICIES_NOT_TOLD },
    checks,
    change: whatWouldChange(decision),
    limits: limitsMovedBy(decision),
  };
}

/**
 * Returns the versions of the policies in a decision, including policies of ancestors: `read-only@3 of lead` is the
 * published version `read-only@3`.
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
  // True if a settlement belongs to this decision. A settlement that moved money belongs to a decision with a
  // reservation. After a person's answer, the action has two decisions, and only the later one has a reservation.
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
    // The decisions of the parent action, with their whole records. The valid decisions come first.
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

/** Returns an id that is lower than every id of this millisecond, and higher than all earlier ids. */
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
