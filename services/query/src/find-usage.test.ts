import type { AuditClient } from '@mandate/audit';
import { MandateError, silentLogger } from '@mandate/runtime';
import { createMetrics } from '@mandate/server';
import { expect, test } from 'vitest';
import { fakeAudit } from './fake-audit.fixture.ts';
import { createFindUsage } from './find-usage.ts';

const USAGE = { calls: 1, llmMicros: 2, toolMicros: 3, adjustedMicros: 4 };
const { signal: never } = new AbortController();

function findUsageIn(query: AuditClient['query']) {
  return createFindUsage(fakeAudit(query), {
    log: silentLogger(),
    metrics: createMetrics({ service: 'query' }),
  });
}

test('finds the usage of an agent, and null while the audit is away', async () => {
  expect(await findUsageIn(async () => [USAGE as never])('acme', 'bot', never)).toEqual(USAGE);
  const away = new MandateError('AUDIT_UNAVAILABLE', 'away', { remedy: 'Wait.', retryable: true });
  const findUsage = findUsageIn(() => Promise.reject(away));
  expect(await findUsage('acme', 'bot', never)).toBeNull();
  const broken = findUsageIn(() => Promise.reject(new TypeError('broken')));
  await expect(broken('acme', 'bot', never)).rejects.toThrow('broken');
});

test('asks few questions at one time, and finds null if too many wait', async () => {
  let running = 0;
  const held: (() => void)[] = [];
  const findUsage = findUsageIn(async () => {
    running += 1;
    await new Promise<void>((resolve) => held.push(resolve));
    return [USAGE as never];
  });
  const found = Array.from({ length: 60 }, () => findUsage('acme', 'bot', never));
  const refused = await Promise.all(found.slice(52));
  expect(refused).toEqual(refused.map(() => null));
  expect(running).toBe(2);
  const other = findUsage('globex', 'bot', never);
  await expect.poll(() => running).toBe(3);
  const freed = setInterval(() => held.shift()?.());
  try {
    expect(await other).toEqual(USAGE);
    expect(await Promise.all(found.slice(0, 52))).toEqual(Array.from({ length: 52 }, () => USAGE));
  } finally {
    clearInterval(freed);
  }
});

test('gives up the question of a caller that has disconnected', async () => {
  const gone = new AbortController();
  const asked = Promise.withResolvers<AbortSignal | undefined>();
  const findUsage = findUsageIn((_sql, _params, _row, givenUp) => {
    asked.resolve(givenUp);
    return new Promise(() => {});
  });
  const found = findUsage('acme', 'bot', gone.signal);
  const givenUp = await asked.promise;
  gone.abort();
  expect(await found).toBeNull();
  expect(givenUp?.aborted).toBe(true);
});
