/**
 * An agent reports false outcomes to reduce its own charges. It cancels its actions, reports that its calls failed or
 * cost nothing, and raises estimates so that failures give back more. It names a reporter, starts many calls without
 * a price, and reports extremely high costs. It must not get more calls than its budget pays for and `maxReleases`
 * gives back. The charge to the budget that it shares must stay below the caps of its calls. The attack needs two
 * keys of the tenant "billed": one may author, and one may publish and report.
 */
import { randomUUID } from 'node:crypto';
import { type Ask, askWith, expectTo, verdictOf } from './asked.ts';
import type { Attack } from './attack.ts';

const COSTS = 0.01;
const POLICY = {
  version: 1,
  id: 'all',
  maxCostTotal: 5 * COSTS,
  budgets: [{ id: 'team', scope: 'tenant', max: 1_000_000 }],
  toolPolicies: { priced: { cost: COSTS } },
};
/**
 * The number of calls that the policy pays for, and the number of the agent's own reports that may give back money
 * (`maxReleases`).
 */
const [PAID, GIVEN_BACK] = [5, 10];
/** By default, a call is charged at most this multiple of its reservation, even if its actual cost is higher. */
const CAP_FACTOR = 10;
/** The default of `maxOpen`. */
const OPEN = 20;

type Agent = {
  /** Makes a call. Returns its id, and true if it was allowed. */
  call(tool: string, said?: object): Promise<{ allowed: boolean; actionId: string }>;
  report(actionId: string, said: object): ReturnType<Ask>;
};
type Settlement = { chargedMicros: number; releasedMicros: number };
type Way = { what: string; most: number; allowed(agent: Agent): Promise<number> };

const SETTLED: readonly { what: string; most: number; said: object }[] = [
  { what: 'cancels', most: PAID + GIVEN_BACK, said: { status: 'cancelled' } },
  { what: 'fails', most: PAID + GIVEN_BACK, said: { status: 'failure' } },
  {
    what: 'fails verification',
    most: PAID + GIVEN_BACK,
    said: { status: 'success', verification: { ok: false } },
  },
  { what: 'says that it cost nothing', most: PAID, said: { status: 'success', actualCostMicros: 0 } },
];

const WAYS: readonly Way[] = [
  ...SETTLED.map(({ what, most, said }) => ({
    what,
    most,
    allowed: async (agent: Agent) => {
      let allowed = 0;
      for (let call = 0; call < most + 5; call += 1) {
        const made = await agent.call('priced');
        if (made.allowed) allowed += 1;
        await agent.report(made.actionId, said);
      }
      return allowed;
    },
  })),
  {
    what: 'fails with rising estimates',
    most: PAID + GIVEN_BACK,
    allowed: async (agent) => {
      let [allowed, givenBackMicros] = [0, 0];
      for (let call = 0; call < 2 * (PAID + GIVEN_BACK); call += 1) {
        const estimatedCostMicros = Math.ceil(givenBackMicros / (GIVEN_BACK - 1));
        const dear = await agent.call('priced', { estimatedCostMicros });
        const made = dear.allowed ? dear : await agent.call('priced');
        if (made.allowed) allowed += 1;
        const { settlement } = (await agent.report(made.actionId, { status: 'failure' })).body;
        givenBackMicros += (settlement as Settlement | null)?.releasedMicros ?? 0;
      }
      return allowed;
    },
  },
  {
    what: 'starts calls without a price at once',
    most: OPEN,
    allowed: async (agent) => {
      const calls = await Promise.all(Array.from({ length: 3 * OPEN }, () => agent.call('unpriced')));
      return calls.filter(({ allowed }) => allowed).length;
    },
  },
];

/** Rejects if more calls are allowed than the policy pays for, or if the agent uses up the shared budget. */
export const settleOwnBills: Attack = async ({ url, keys }, until) => {
  const [author = '', ofAgent = ''] = keys;
  const control = askWith(url, author);
  const own = askWith(url, ofAgent);
  await expectTo(control('PUT', '/v1/policies/all', POLICY), 'write a policy');
  await expectTo(control('PUT', '/v1/rules/all', { version: 1, id: 'all', policy: 'all' }), 'write a rule');
  const begin = async (): Promise<Agent> => {
    const agentId = `agent-${randomUUID()}`;
    await expectTo(control('POST', '/v1/agents', { id: agentId }), 'register an agent');
    return {
      call: async (tool, said = {}) => {
        const action = { id: randomUUID(), agentId, type: 'tool_call', tool, ...said };
        const verdict = verdictOf(await own('POST', '/v1/actions?waitMs=20000', action));
        return { allowed: verdict.startsWith('ALLOW'), actionId: action.id };
      },
      report: (actionId, said) => own('POST', '/v1/outcomes?waitMs=20000', { actionId, agentId, ...said }),
    };
  };

  do {
    for (const { what, most, allowed } of WAYS) {
      const calls = await allowed(await begin());
      if (calls === 0) throw new Error(`an agent that ${what} was allowed nothing at all`);
      if (calls > most) throw new Error(`an agent that ${what} was allowed ${calls} calls, not ${most}`);
    }
    await claimToRelease(await begin());
    await exhaust(await begin(), await begin());
    await overcharge(await begin());
  } while (!until.aborted);
};

async function claimToRelease(agent: Agent): Promise<void> {
  const { actionId } = await agent.call('priced');
  const reportedBy = { keyId: 'key', mayRelease: true };
  const { status } = await agent.report(actionId, { status: 'cancelled', reportedBy });
  if (status < 400) throw new Error('a caller said itself who reports');
}

async function exhaust(agent: Agent, other: Agent): Promise<void> {
  for (const tool of ['priced', 'unpriced']) {
    const { actionId } = await agent.call(tool);
    await agent.report(actionId, { status: 'success', actualCostMicros: Number.MAX_SAFE_INTEGER });
  }
  if (!(await other.call('priced')).allowed) throw new Error('one report used up a shared budget');
}

/** Reports a dollar for each call. Some calls reserve a cent, and others have an estimate of a micro-dollar. */
async function overcharge(agent: Agent): Promise<void> {
  const started = [
    ...Array.from({ length: PAID - 1 }, () => agent.call('priced')),
    ...Array.from({ length: 3 * OPEN }, () => agent.call('unpriced', { estimatedCostMicros: 1 })),
  ];
  let chargedMicros = 0;
  for (const { allowed, actionId } of await Promise.all(started)) {
    if (!allowed) continue;
    const { body } = await agent.report(actionId, { status: 'success', actualCostMicros: 1_000_000 });
    chargedMicros += (body.settlement as Settlement | null)?.chargedMicros ?? 0;
  }
  const mostMicros = CAP_FACTOR * POLICY.maxCostTotal * 1_000_000;
  if (chargedMicros === 0) throw new Error('an agent that reports high costs was charged nothing');
  if (chargedMicros > mostMicros) {
    throw new Error(
      `an agent charged a shared budget ${chargedMicros} micro-dollars, more than ${mostMicros}`,
    );
  }
}
