/**
 * Tests that an explanation truly says what must change. If all of it is done and the request is sent again, the
 * checks that blocked it no longer block it. If one of the explained values is changed by the smallest step
 * less than the explanation says, the checks still block the request.
 */

import { actionDigest } from '@mandate/policy';
import { whatWouldChange } from '@mandate/query';
import { isMandateError } from '@mandate/runtime';
import {
  type Action,
  CAPS,
  type Check,
  DEFAULTS,
  type Decision,
  formatMicros,
  type KillTarget,
  type MandateDocument,
  mandateDocument,
} from '@mandate/schemas';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type Box, deciderInABox, decisionOf } from '../decider-in-a-box.ts';
import { arbitraryAsk, arbitraryMandate, withoutIdleLimits } from './arbitrary-requests.ts';

// The timeout is long: each test runs many random cases, which takes seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const LATE_MS = 40_000;
const EVERYTHING: KillTarget = { scope: 'all' };

/** Mandates with all their fields, or with limits only. */
const mandate = fc
  .tuple(arbitraryMandate, fc.constantFrom('*', '*', '*', 'nobody'), fc.boolean())
  .map(([fields, agents, whole]) => {
    const { maxCostTotal, budgets, rateLimit, toolPolicies } = fields;
    return mandateDocument.parse({
      version: 1,
      id: 'm',
      ...(whole ? fields : { maxCostTotal, budgets, rateLimit, toolPolicies }),
      mode: 'enforce',
      agents: [whole ? agents : '*'],
    });
  });

/**
 * In half of the cases, all requests are of one agent and have different ids. So most of them reach limits and are
 * not duplicates.
 */
const asks = fc
  .tuple(fc.boolean(), fc.array(arbitraryAsk, { minLength: 1, maxLength: 6 }))
  .map(([alike, asks]) =>
    alike
      ? asks.map(({ event, action: { idempotencyKey: _, mandateId: __, ...action } }, at) => ({
          event,
          action: { ...action, id: `ask-${at}`, agentId: 'agent-1', tenant: 'default' } as Action,
        }))
      : asks,
  );

const scenario = fc.record({
  mandate,
  asks,
  obstacle: fc.constantFrom('none', 'none', 'none', 'late', 'killed', 'denied', 'expired'),
  /** A random number that chooses one of the ways of a need, or one of the figures. */
  choice: fc.nat(11),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer S> ? S : never;

/** Decides the requests. Returns the last decision, and the decider with its ledger. */
async function blocked({ mandate, asks, obstacle }: Scenario) {
  const box = deciderInABox([mandate]);
  const last = asks.at(-1)?.action;
  if (last === undefined) throw new Error('nothing was asked');
  for (const ask of asks.slice(0, -1)) await box.answer([box.append(ask)]);
  if (obstacle === 'killed') await box.ledger.kill(EVERYTHING, command('kill'));
  if (obstacle === 'denied' || obstacle === 'expired') {
    await asked(box, last);
    await answered(box, last, obstacle === 'denied' ? 'denied' : 'granted', 5);
    box.clock.advance(obstacle === 'denied' ? 1 : 10);
  }
  return { box, last, decision: await asked(box, last, obstacle === 'late' ? LATE_MS : 0) };
}

async function asked(box: Box, action: Action, agoMs = 0): Promise<Decision> {
  const ask = { event: 'action.requested', action };
  const [answer] = await box.answer([box.append(ask, undefined, box.clock() - agoMs)]);
  return decisionOf(answer);
}

/**
 * Gives a person's answer. Returns true if the ledger accepted it. The ledger refuses an answer if there is no
 * question, or if the action is already decided.
 */
async function answered(
  box: Box,
  action: Action,
  answer: 'granted' | 'denied',
  forMs: number,
): Promise<boolean> {
  const approval = {
    ...command(`approval-${answer}-${action.id}`),
    tenant: action.tenant ?? DEFAULTS.tenant,
    agentId: action.agentId,
    actionId: action.id,
    digest: actionDigest(action),
    answer,
    expiresAtMs: box.clock() + forMs,
  };
  return box.ledger.approve(approval).then(
    () => true,
    (error: unknown) => {
      if (isMandateError(error) && error.code.startsWith('APPROVAL_NOT_')) return false;
      throw error;
    },
  );
}

const command = (id: string) => ({ id, by: 'op', reason: 'because' });

type Way = ReturnType<typeof whatWouldChange>['needs'][number]['anyOf'][number];

/** The second try of a request: the request, its mandate, its time, and what people do before it. */
type Again = {
  mandate: MandateDocument;
  action: Action;
  agoMs: number;
  waitMs: number;
  /** The lowest cost that is enough for the needs. */
  costMicros: number;
  people: ((box: Box) => Promise<void>)[];
  /** True if people must approve the action, before the request or after it asks them. */
  granted: boolean;
};

/** Returns the same request, changed as the explanation says. */
function asToldToAsk(mandate: MandateDocument, last: Action, decision: Decision): Again {
  const { askAgainAs } = whatWouldChange(decision);
  const action = structuredClone(last);
  if (askAgainAs === 'next-attempt') action.attempt = decision.attempt + 1;
  if (askAgainAs === 'new-id') {
    action.id = 'new';
    delete action.idempotencyKey;
  }
  return {
    mandate: structuredClone(mandate),
    action,
    agoMs: 0,
    waitMs: 0,
    costMicros: CAPS.amountMicros,
    people: [],
    granted: false,
  };
}

/** Does what one way of a need says. If `less` is given, the value is changed by that much less than the way says. */
function go(check: string, way: Way, again: Again, decision: Decision, less = 0): void {
  const { mandate, action } = again;
  mandate.toolPolicies ??= {};
  const tool = decision.tool ?? '';
  const policy = () => {
    mandate.toolPolicies ??= {};
    mandate.toolPolicies[tool] ??= {};
    return mandate.toolPolicies[tool];
  };
  switch (way.way) {
    case 'another-id':
    case 'next-attempt':
      if (check === 'confirmation') again.granted = true;
      return;
    case 'approval':
      again.granted = true;
      return;
    case 'revive':
      again.people.push(async (box) => {
        await box.ledger.revive(EVERYTHING, (await box.ledger.flag(EVERYTHING)).revision + 1, 'revive');
      });
      return;
    case 'longer-deadline':
      again.agoMs = LATE_MS;
      action.deadlineMs = (way.atLeastMs ?? 0) - less;
      return;
    case 'mandate-for-agent':
      mandate.agents = [action.agentId];
      mandate.id = action.mandateId ?? 'm';
      return;
    case 'later-expiry':
      mandate.expiresAt = new Date(Date.parse(way.after ?? '') + 1 - less).toISOString();
      return;
    case 'not-denied':
      if (way.field === 'deniedTools') mandate.deniedTools = [];
      else if (way.field === 'deniedModels') {
        mandate.deniedModels = [];
        if (mandate.allowedModels !== undefined) mandate.allowedModels = [way.name ?? ''];
      } else {
        mandate.deniedProviders = [];
        if (mandate.allowedProviders !== undefined) mandate.allowedProviders = [way.name ?? ''];
      }
      return;
    case 'allowed':
      if (way.field === 'allowedTools') mandate.allowedTools = [way.name ?? ''];
      else if (way.field === 'allowedModels') mandate.allowedModels = [way.name ?? ''];
      else mandate.allowedProviders = [way.name ?? ''];
      return;
    case 'declared':
      mandate.tools = [way.name ?? ''];
      return;
    case 'another-person':
      action.principal = { id: 'ann', role: rolesThatMay(decision)[0] ?? '' };
      return;
    case 'changed-policy':
      action.principal = { id: 'ann', role: 'user' };
      policy().roles = ['user'];
      return;
    case 'other-arguments':
      if (action.type === 'tool_call') action.args = {};
      return;
    case 'stated-price':
      if (check === 'estimate-stated') {
        policy().cost = 0;
        return;
      }
      mandate.modelPrices = { [way.name ?? '']: { inputPerMillion: 0, outputPerMillion: 0 } };
      // Without token counts a call would still have no cost, even if its model has a price.
      mandate.defaultTokens ??= { inputTokens: 1, maxOutputTokens: 0 };
      return;
    case 'stated-tokens':
      mandate.defaultTokens = { inputTokens: 1, maxOutputTokens: 0 };
      return;
    case 'stated-provider':
      if (action.type === 'llm_call') action.provider = 'openai';
      mandate.allowedProviders = ['openai'];
      mandate.deniedProviders = [];
      return;
    case 'cheaper-call':
      policy().cost = 0;
      policy().chargingPolicy = { type: 'SUCCESS_BASED' };
      again.costMicros = Math.min(again.costMicros, (way.atMostMicros ?? 0) + less);
      action.estimatedCostMicros = again.costMicros;
      return;
    case 'higher-limit': {
      const max = ((way.atLeastMicros ?? 0) - less) / 1e6;
      fc.pre(max < 2 ** 33);
      if (way.budget === undefined) {
        if (check === 'tool-cost-per-call') policy().maxCostPerCall = max;
        else mandate.maxCostPerCall = max;
        return;
      }
      const { scope, id, windowMs } = way.budget;
      if (scope === 'agent' && id === 'total') mandate.maxCostTotal = max;
      for (const budget of mandate.budgets ?? []) {
        if (budget.scope === scope && budget.id === id && (budget.windowMs ?? null) === windowMs) {
          budget.max = max;
        }
      }
      return;
    }
    case 'more-calls': {
      const rate = check === 'tool-rate' ? policy().rateLimit : mandate.rateLimit;
      if (rate !== undefined) rate.maxCalls = (way.atLeastCalls ?? 0) - less;
      return;
    }
    case 'more-open':
      mandate.maxOpen = (way.atLeastCalls ?? 0) - less;
      return;
    case 'not-before':
      again.waitMs = Math.max(
        again.waitMs,
        Date.parse(way.notBefore ?? '') - Date.parse(decision.decidedAt) - less,
      );
  }
}

async function askAgain(box: Box, again: Again): Promise<Decision> {
  const { mandate, action, agoMs, waitMs, people, granted } = again;
  box.enforce([withoutIdleLimits(mandate)]);
  box.clock.advance(waitMs);
  for (const act of people) await act(box);
  const grant = () => answered(box, action, 'granted', 3_600_000);
  const isGranted = granted && (await grant());
  const decision = await asked(box, action, agoMs);
  if (!granted || isGranted || decision.verdict !== 'DEFER') return decision;
  await grant();
  return asked(box, action, agoMs);
}

/**
 * Returns the name of a check. Each budget is a check of its own, so the name of such a check includes its budget.
 */
function nameOf({ check, evidence }: Check): string {
  const { scope, id, windowMs } = Object(evidence);
  return check === 'budget' ? JSON.stringify([scope, id, windowMs]) : check;
}

/**
 * Returns the names of the checks that did not pass. Checks of the cost do not count if the price is unknown, because
 * they did not know the true cost.
 */
function objecting({ checks }: Decision): string[] {
  const all = checks.filter(({ result }) => result === 'block' || result === 'defer').map(nameOf);
  return all.includes('model-priced') ? all.filter((name) => !name.endsWith('cost-per-call')) : all;
}

/**
 * Returns the ways that a test can follow. A test cannot use a cheaper model, because a mandate cannot change the price
 * of a model. If no role may use the tool, a test cannot act for a person who may use it.
 */
function passable(anyOf: readonly Way[], decision: Decision): Way[] {
  return anyOf.filter(
    ({ way }) =>
      (way !== 'cheaper-call' || decision.type === 'tool_call') &&
      (way !== 'another-person' || rolesThatMay(decision).length > 0),
  );
}

/** Returns the roles that may use the tool, by the check that refused the role. */
function rolesThatMay({ checks }: Decision): readonly string[] {
  const { roles = [] } = Object(checks.find(({ check }) => check === 'role-allowed')?.evidence);
  return roles;
}

test('if everything that an explanation names is done, the checks that blocked the request no longer do', async () => {
  let judged = 0;
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { box, last, decision } = await blocked(given);
      fc.pre(decision.verdict !== 'ALLOW');
      const { needs, unasked } = whatWouldChange(decision);
      expect(needs.length).toBeGreaterThan(0);
      const again = asToldToAsk(given.mandate, last, decision);
      for (const { check, anyOf } of needs) {
        const ways = passable(anyOf, decision);
        const way = ways[given.choice % ways.length];
        fc.pre(way !== undefined);
        if (way !== undefined) go(check, way, again, decision);
      }
      const then = await askAgain(box, again);
      const still = new Set(objecting(decision));
      expect(objecting(then).filter((name) => still.has(name))).toEqual([]);
      // The mandate may expire during a wait.
      if (unasked.length === 0 && again.waitMs === 0) expect(then.verdict).toBe('ALLOW');
      judged += 1;
    }),
    { numRuns: runs(60) },
  );
  expect(judged).toBeGreaterThan(hits(20));
});

const EXACT = new Set<Way['way']>([
  'longer-deadline',
  'later-expiry',
  'cheaper-call',
  'higher-limit',
  'more-calls',
  'more-open',
  'not-before',
]);

test('no figure in an explanation is larger than necessary', async () => {
  let judged = 0;
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { box, last, decision } = await blocked(given);
      fc.pre(decision.verdict !== 'ALLOW');
      const { checks } = decision;
      const { needs } = whatWouldChange(decision);
      const exact = needs.flatMap(({ check, anyOf }, at) =>
        passable(anyOf, decision)
          .filter(({ way }) => EXACT.has(way))
          .map((way) => ({ check, way, name: objecting(decision)[at] })),
      );
      const one = exact[given.choice % exact.length];
      fc.pre(one !== undefined);
      if (one === undefined) return;
      const again = asToldToAsk(given.mandate, last, decision);
      go(one.check, one.way, again, decision, 1);
      const then = await askAgain(box, again);
      const said = then.checks.find((check) => nameOf(check) === one.name)?.result;
      expect({ one, said, checks }).not.toMatchObject({ result: 'pass' });
      judged += 1;
    }),
    { numRuns: runs(60) },
  );
  expect(judged).toBeGreaterThan(hits(20));
});

test('giving back the named amount is enough; if no amount is named, giving back would not help', async () => {
  let [said, unsaid] = [0, 0];
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { box, last, decision } = await blocked({ ...given, obstacle: 'none' });
      const exceeded = decision.checks.filter(
        ({ check, result }) => check === 'budget' && result === 'block',
      );
      fc.pre(exceeded.length > 0);
      const mended: string[] = [];
      for (const check of exceeded) {
        const { scope, id, windowMs, spentMicros, maxMicros, costMicros } = Object(check.evidence);
        const deltaMicros = maxMicros - spentMicros - costMicros;
        fc.pre(-deltaMicros < CAPS.amountMicros);
        const subject = {
          agent: last.agentId,
          principal: last.principal?.id ?? '',
          mandate: 'm',
          tenant: '',
        };
        const budget = { scope, subject: subject[scope as keyof typeof subject], id, windowMs };
        const tenant = last.tenant ?? DEFAULTS.tenant;
        await box.ledger.adjust({ ...command(`back-${nameOf(check)}`), tenant, budget, delta: deltaMicros });
        const { needs } = whatWouldChange({ ...decision, checks: [check] });
        const words = needs[0]?.anyOf.find(({ way }) => way === 'higher-limit')?.words;
        fc.pre(words !== undefined);
        if (words?.includes(`or ${formatMicros(-deltaMicros)} given back`)) mended.push(nameOf(check));
        else expect(words).not.toContain('given back');
      }
      const then = await askAgain(box, asToldToAsk(given.mandate, last, decision));
      const passed = then.checks.filter(({ result }) => result === 'pass').map(nameOf);
      expect(exceeded.map(nameOf).filter((name) => passed.includes(name))).toEqual(mended);
      said += mended.length;
      unsaid += exceeded.length - mended.length;
    }),
    { numRuns: runs(60) },
  );
  expect(Math.min(said, unsaid)).toBeGreaterThan(hits(10));
});
