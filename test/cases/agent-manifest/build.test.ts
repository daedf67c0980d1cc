/** Plays the cases of whole builds of a context manifest, with simulated times. */
import {
  type BuilderModel,
  type BuildRecord,
  type ModelAnswer,
  runManifestBuilder,
  type Timing,
} from '@mandate/context';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { contextCases } from './agent-manifest-cases.ts';
import { configOfCase, requestOfCase } from './context-shapes.ts';

const delayMs = z.number().default(0);
const buildCase = z.strictObject({
  config: configOfCase,
  request: requestOfCase,
  decision: z.union([
    z.strictObject({ verdict: z.enum(['ALLOW', 'BLOCK', 'DEFER']), code: z.string(), delayMs }),
    z.strictObject({ unavailable: z.literal(true), delayMs }),
  ]),
  provider: z.union([
    z.strictObject({ text: z.string(), stop: z.string().optional(), delayMs }),
    z.strictObject({ status: z.number(), delayMs }),
    z.strictObject({ abort: z.literal(true), delayMs }),
  ]),
});

test.each(contextCases('build'))('$id: builds, or fails and says why', async ({ given, then }) => {
  const { config, request, decision, provider } = buildCase.parse(given);
  const time = simulatedTime();
  const stats = { providerCalls: 0, callerWarns: false };
  const records: BuildRecord[] = [];
  const answer = async (): Promise<ModelAnswer> => {
    await time.pass(decision.delayMs);
    if ('unavailable' in decision) return { outcome: 'undecided' };
    if (decision.verdict !== 'ALLOW') return { outcome: 'blocked', code: decision.code };
    stats.providerCalls += 1;
    await time.pass(provider.delayMs);
    if ('abort' in provider) return { outcome: 'cancelled' };
    return 'status' in provider
      ? { outcome: 'failed', status: provider.status }
      : { outcome: 'answered', ...provider };
  };
  const building = runManifestBuilder(request, {
    model: { ...MODEL, ask: answer },
    config,
    timing: time,
    record: (record) => records.push(record),
    warn: () => {
      stats.callerWarns = true;
    },
  });
  await time.run();
  const built = await building;
  const [record] = records;
  const { prompt_debug, ...step } = record?.steps.manifest_builder ?? { prompt_debug: undefined };
  expect(prompt_debug).toBeNull();
  expect({
    result: built?.manifest ?? null,
    log: { step: 'manifest_builder', ...step },
    ...stats,
  }).toEqual(then);
});

const MODEL: Omit<BuilderModel, 'ask'> = {
  agentId: 'context-builder',
  provider: 'anthropic',
  model: 'claude-haiku-4-5',
  maxTokens: 700,
  temperature: 0,
};

/** A clock that jumps from one timer to the next. Timers of the same time run in the order of their start. */
function simulatedTime(): Timing & { pass(ms: number): Promise<void>; run(): Promise<void> } {
  let nowMs = 0;
  let timers: { atMs: number; run: () => void }[] = [];
  const after = (ms: number, run: () => void) => {
    const timer = { atMs: nowMs + ms, run };
    timers.push(timer);
    return () => {
      timers = timers.filter((one) => one !== timer);
    };
  };
  return {
    now: () => nowMs,
    after,
    pass: (ms) => new Promise((resolve) => void after(ms, resolve)),
    async run() {
      for (;;) {
        // Lets everything run that waits for no timer.
        await new Promise((resolve) => setImmediate(resolve));
        const next = timers.toSorted((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined) return;
        timers = timers.filter((one) => one !== next);
        nowMs = next.atMs;
        next.run();
      }
    },
  };
}
