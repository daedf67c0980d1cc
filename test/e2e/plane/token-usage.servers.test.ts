/**
 * The same token usage costs the same to the micro-dollar wherever it is settled: by a ledger in memory, by a ledger in
 * Redis, and by a plane over HTTP. The expected amounts are computed here, with whole numbers of any size.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiClient } from '@mandate/client';
import { localDecider } from '@mandate/engine';
import { createFold, createMemoryLedger, type Ledger } from '@mandate/ledger';
import { createRedisLedger } from '@mandate/ledger/redis';
import { openPlane, planeConfig } from '@mandate/plane';
import { compileActionRedaction, mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { silentLogger, systemClock } from '@mandate/runtime';
import type { Decision, LlmCall, Outcome, Settlement, TokenUsage } from '@mandate/schemas';
import { describeWithOwnServers, startRedis, temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';

const MANDATES = `
version: 1
id: assistants
agents: ["*"]
maxCostTotal: 1000000
maxActualCost: 1000000
modelPrices:
  mine: { inputPerMillion: 0.123457, outputPerMillion: 7.000001, cachedInputPerMillion: 0.010001, perCall: 0.000003 }
`;

/** The prices of a million tokens, in micro-dollars: input, from the cache, into the cache, output, each call. */
type Rates = readonly [input: number, cached: number, write: number, output: number, perCall: number];
const SONNET: Rates = [3_000_000, 300_000, 3_750_000, 15_000_000, 0];
const LONG_SONNET: Rates = [6_000_000, 600_000, 7_500_000, 22_500_000, 0];
const MINE: Rates = [123_457, 10_001, 123_457, 7_000_001, 3];
const [sonnet, mine] = [{ provider: 'anthropic', model: 'claude-sonnet-4-5' }, { model: 'mine' }];

const CALLS: readonly { named: Pick<LlmCall, 'provider' | 'model'>; usage: TokenUsage; rates: Rates }[] = [
  { named: sonnet, usage: { inputTokens: 1_001, outputTokens: 333 }, rates: SONNET },
  {
    named: sonnet,
    usage: { inputTokens: 1_001, cachedInputTokens: 707, cacheWriteTokens: 101, outputTokens: 7 },
    rates: SONNET,
  },
  {
    named: sonnet,
    usage: { inputTokens: 200_000, cachedInputTokens: 199_999, outputTokens: 1 },
    rates: SONNET,
  },
  {
    named: sonnet,
    usage: { inputTokens: 200_001, cacheWriteTokens: 3, outputTokens: 1 },
    rates: LONG_SONNET,
  },
  { named: sonnet, usage: { inputTokens: 0, outputTokens: 0 }, rates: SONNET },
  {
    named: mine,
    usage: { inputTokens: 17, cachedInputTokens: 5, outputTokens: 19, reasoningTokens: 18 },
    rates: MINE,
  },
  {
    named: mine,
    usage: { inputTokens: 987_654_321, cachedInputTokens: 123_456_789, outputTokens: 1 },
    rates: MINE,
  },
];

function exactMicros(
  { inputTokens, cachedInputTokens = 0, cacheWriteTokens = 0, outputTokens }: TokenUsage,
  rates: Rates,
) {
  const counts = [
    inputTokens - cachedInputTokens - cacheWriteTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens,
  ];
  const sum = counts.reduce((all, count, at) => all + BigInt(count) * BigInt(rates[at] ?? 0), 0n);
  return Number((sum + 999_999n) / 1_000_000n) + rates[4];
}

type Point = { decide(action: LlmCall): Promise<Decision>; settle(outcome: Outcome): Promise<Settlement> };

async function chargesOf({ decide, settle }: Point): Promise<number[]> {
  const charges: number[] = [];
  for (const [at, { named, usage }] of CALLS.entries()) {
    const action = { id: `call-${at}`, agentId: 'bot', type: 'llm_call' as const, inputTokens: 5_000 };
    const { actionId } = await decide({ ...action, ...named, maxOutputTokens: 500 });
    const settled = await settle({ actionId, agentId: 'bot', status: 'success', usage });
    expect(settled).toMatchObject({ code: 'SETTLED', usage, usageMicros: settled.chargedMicros });
    charges.push(settled.chargedMicros);
  }
  return charges;
}

function pointOn(ledger: Ledger): Point {
  const loaded = loadMandates(MANDATES);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const control = mandatesOfFile(loaded.mandates, 0);
  const decider = localDecider({ ledger, control, redact: compileActionRedaction(), clock: systemClock });
  return {
    decide: (action) => decider.deliverRequest({ event: 'action.requested', action })(),
    settle: (outcome) => decider.deliverOutcome(outcome)(),
  };
}

/** Returns the sums over all calls of a model. */
function sumsOf(named: Pick<LlmCall, 'provider' | 'model'>) {
  const calls = CALLS.filter((call) => call.named === named);
  const sum = (of: (call: (typeof CALLS)[number]) => number) => calls.reduce((all, one) => all + of(one), 0);
  const micros = sum(({ usage, rates }) => exactMicros(usage, rates));
  return {
    ...{ agentId: 'bot', provider: named.provider ?? null, model: named.model },
    ...{ outcomes: calls.length, unpriced: 0, usageMicros: micros, chargedMicros: micros },
    inputTokens: sum(({ usage }) => usage.inputTokens),
    cachedInputTokens: sum(({ usage }) => usage.cachedInputTokens ?? 0),
    cacheWriteTokens: sum(({ usage }) => usage.cacheWriteTokens ?? 0),
    outputTokens: sum(({ usage }) => usage.outputTokens),
    reasoningTokens: sum(({ usage }) => usage.reasoningTokens ?? 0),
  };
}

const WAIT = { timeout: 20_000, interval: 100 };
const EXPECTED = CALLS.map(({ usage, rates }) => exactMicros(usage, rates));

test('usage costs the same in a ledger in memory and in a plane, and its audit sums the tokens', async () => {
  expect(await chargesOf(pointOn(createMemoryLedger({ epoch: 'ep_1', clock: systemClock })))).toEqual(
    EXPECTED,
  );

  const data = temporaryFolder();
  const mandates = join(data, 'mandates.yaml');
  writeFileSync(mandates, MANDATES);
  const settings = { PLANE_DATA_PATH: data, PLANE_MANDATES_PATH: mandates, PLANE_PORT: 0 };
  await using running = new AsyncDisposableStack();
  const plane = running.adopt(await openPlane(planeConfig.parse(settings), silentLogger()), (one) =>
    one.stop(),
  );
  const key = plane.firstKeys.find(({ name }) => name === 'operator')?.key;
  const api = createApiClient({ url: plane.url, key });
  const query = { waitMs: 20_000 };
  const point: Point = {
    decide: async (body) => (await api.post<{ decision: Decision }>('/v1/actions', body, { query })).decision,
    settle: async (body) =>
      (await api.post<{ settlement: Settlement }>('/v1/outcomes', body, { query })).settlement,
  };
  expect(await chargesOf(point)).toEqual(EXPECTED);
  const wrong = {
    actionId: 'call-0',
    agentId: 'bot',
    status: 'success',
    usage: { inputTokens: 1, cachedInputTokens: 2, outputTokens: 0 },
  };
  await expect(api.post('/v1/outcomes', wrong)).rejects.toMatchObject({ code: 'INVALID_OUTCOME' });

  const untold = { id: 'untold', agentId: 'bot', type: 'llm_call' as const, inputTokens: 5_000 };
  const { actionId } = await point.decide({ ...untold, ...mine, maxOutputTokens: 500 });
  await point.settle({ actionId, agentId: 'bot', status: 'success' });
  type Listed = { settlements: readonly { actionId: string }[] };
  const listed = () => api.get<Listed>('/v1/audit/settlements', { agent: 'bot' });
  await expect.poll(async () => (await listed()).settlements.length, WAIT).toBe(CALLS.length + 1);
  const { settlements } = await listed();
  expect(settlements.find((one) => one.actionId === 'untold')).toMatchObject({
    ...{ inputTokens: null, cachedInputTokens: null, cacheWriteTokens: null, outputTokens: null },
    ...{ reasoningTokens: null, usageMicros: null },
  });
  expect(settlements.find((one) => one.actionId === 'call-1')).toMatchObject({
    ...{ inputTokens: 1_001, cachedInputTokens: 707, cacheWriteTokens: 101, outputTokens: 7 },
    ...{ reasoningTokens: null, usageMicros: EXPECTED[1] },
  });
  const { tokens } = await api.get<{ tokens: readonly object[] }>('/v1/audit/analytics/tokens');
  const sums = [sonnet, mine].map(sumsOf).sort((one, other) => other.chargedMicros - one.chargedMicros);
  expect(tokens).toMatchObject(sums);
});

describeWithOwnServers(['redis'], 'in Redis', () => {
  test('usage costs the same in a ledger in Redis', async () => {
    await using server = await startRedis({ appendonly: true });
    const ledger = await createRedisLedger({ url: server.url });
    const rebuild = await ledger.beginRebuild({ epoch: 'ep_1' });
    await rebuild.load(createFold().state);
    await rebuild.finish();
    try {
      expect(await chargesOf(pointOn(ledger))).toEqual(EXPECTED);
    } finally {
      await ledger.close();
    }
  });
});
