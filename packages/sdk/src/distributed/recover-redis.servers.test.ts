/** Tests how distributed mode continues after its Redis was restarted, or has lost data. */
import { randomUUID } from 'node:crypto';
import {
  describeWithOwnServers,
  plainRedis,
  type RedisServer,
  startRedis,
  waitUntil,
} from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { findMandateError } from '../errors.ts';
import { Mandate, RedisStateManager, recoverRedis } from '../index.ts';
import { openLedger } from './begin-ledger.ts';
import { settingsOf } from './redis-options.ts';

/** Two calls of five dollars are allowed. */
const TWO = { maxCostTotal: 10, toolPolicies: { pay: { cost: 5 } } };

const OPERATOR = { by: 'ann', reason: 'incident 42' };

async function redisThat(config: Record<string, string> = {}): Promise<RedisServer> {
  const server = await startRedis({ appendonly: true, config });
  onTestFinished(() => server.stop());
  return server;
}

/** A process that shares its limits with the other processes of the prefix. */
function processOn(server: RedisServer, prefix: string, options: { beginsLedger?: boolean } = {}) {
  const errors: { code?: string }[] = [];
  const onError = (error: unknown) => void errors.push(error as { code?: string });
  // These tests need no slow Redis.
  const state = new RedisStateManager({ url: server.url, prefix, timeoutMs: 30_000, onError, ...options });
  onTestFinished(() => state.close());
  const mandate = new Mandate({ mode: 'distributed', state, agentId: 'bot', mandate: TWO, onError });
  const tools = mandate.createExecutor();
  return {
    mandate,
    codes: () => errors.map(({ code }) => code),
    /** Pays, and returns `ran`, or the code of the refusal. */
    pay: (options = {}) =>
      tools
        .run('pay', {}, () => 'ran', options)
        .catch((error: unknown) => {
          const refused = findMandateError(error);
          return refused?.code === 'INTERNAL_ERROR'
            ? String((refused.cause as { code?: string }).code)
            : String(refused?.code ?? error);
        }),
  };
}

/**
 * Pays until Redis answers again after its restart. Returns the first answer that is not about an unavailable Redis.
 */
async function payAgain(pay: () => Promise<string>): Promise<string> {
  return waitUntil('an answer of Redis', async () => {
    const code = await pay();
    return code !== 'LEDGER_UNAVAILABLE' && code;
  });
}

describeWithOwnServers(['redis'], 'a Redis that restarted', () => {
  test('if Redis had each change on its disk: calls continue without an operator, and nothing is forgotten', async () => {
    const server = await redisThat({ appendfsync: 'always' });
    const prefix = `test-${randomUUID()}`;
    const one = processOn(server, prefix);
    expect(await one.pay({ idempotencyKey: 'order-7' })).toBe('ran');
    await one.mandate.kill('other', 'stop');
    await server.kill();
    await server.restart();
    expect(await payAgain(() => one.pay({ idempotencyKey: 'order-7' }))).toBe('DUPLICATE_ACTION');
    const fresh = processOn(server, prefix);
    expect(await fresh.mandate.isKilled('other')).toBe(true);
    expect([await fresh.pay(), await one.pay(), await fresh.pay()]).toEqual([
      'ran',
      'COST_LIMIT_EXCEEDED',
      'COST_LIMIT_EXCEEDED',
    ]);
    expect(fresh.codes()).toEqual([]);
  });

  test('a kill after the restart is in force, before any other call', async () => {
    const server = await redisThat({ appendfsync: 'always' });
    const one = processOn(server, `test-${randomUUID()}`);
    expect(await one.pay()).toBe('ran');
    await server.kill();
    await server.restart();
    await waitUntil('the kill', () =>
      one.mandate.kill('bot', 'stop').then(
        () => true,
        () => false,
      ),
    );
    expect(await one.pay()).toBe('AGENT_KILLED');
  });

  test('if Redis may lack the newest calls: calls are blocked in old and new processes, until an operator accepts', async () => {
    const server = await redisThat({ appendfsync: 'everysec' });
    const prefix = `test-${randomUUID()}`;
    const one = processOn(server, prefix);
    expect(await one.pay()).toBe('ran');
    // This Redis has lost nothing, because the system keeps the writes of a killed process. The SDK cannot know this.
    await server.kill();
    await server.restart();
    const fresh = processOn(server, prefix);
    expect([await payAgain(one.pay), await fresh.pay(), await one.pay()]).toEqual([
      'LEDGER_LOST',
      'LEDGER_LOST',
      'LEDGER_LOST',
    ]);
    await recoverRedis({ url: server.url, prefix, with: 'what-redis-holds', ...OPERATOR });
    expect([await one.pay(), await fresh.pay()]).toEqual(['ran', 'COST_LIMIT_EXCEEDED']);
    expect(fresh.codes()).toEqual([]);
  });

  test('if Redis came back with older data: calls are blocked, because this process knows a newer decision', async () => {
    const server = await redisThat({ appendfsync: 'always' });
    const prefix = `test-${randomUUID()}`;
    const one = processOn(server, prefix);
    expect(await one.pay()).toBe('ran');
    await server.kill();
    await server.restart();
    const redis = plainRedis(server.url);
    onTestFinished(() => redis.disconnect());
    await redis.hset(`${prefix}.sdk:{default}:meta`, 'sequence', '0');
    expect(await payAgain(one.pay)).toBe('LEDGER_LOST');
  });
});

describeWithOwnServers(['redis'], 'a Redis that lost everything', () => {
  test('blocks each process that knew the ledger, until an operator begins new budgets', async () => {
    const server = await redisThat();
    const prefix = `test-${randomUUID()}`;
    const one = processOn(server, prefix);
    expect([await one.pay(), await one.pay(), await one.pay()]).toEqual([
      'ran',
      'ran',
      'COST_LIMIT_EXCEEDED',
    ]);
    expect(one.codes()).toEqual(['LEDGER_BEGUN']);
    const redis = plainRedis(server.url);
    onTestFinished(() => redis.disconnect());
    await redis.flushall();
    expect([await one.pay(), await one.pay()]).toEqual(['LEDGER_LOST', 'LEDGER_LOST']);
    // A new process cannot know that there was a ledger. It begins one, and reports this.
    const fresh = processOn(server, prefix);
    expect(await fresh.pay()).toBe('ran');
    expect(fresh.codes()).toEqual(['LEDGER_BEGUN']);
    expect([await one.pay(), await one.pay()]).toEqual(['LEDGER_LOST', 'LEDGER_LOST']);
    const { epoch } = await recoverRedis({ url: server.url, prefix, with: 'new-budgets', ...OPERATOR });
    expect(await one.pay()).toBe('COST_LIMIT_EXCEEDED');
    const [accepted] = await redis.hvals(`${prefix}.sdk:{default}:accepted`);
    expect([epoch, JSON.parse(accepted ?? '')]).toEqual([
      expect.stringMatching(/^ep_/),
      expect.objectContaining(OPERATOR),
    ]);
    await fresh.mandate.kill('bot', 'stop');
    expect(await one.pay()).toBe('AGENT_KILLED');
  });

  test('begins new budgets for an operator, unless another process has begun them', async () => {
    const server = await redisThat();
    const prefix = `test-${randomUUID()}`;
    const one = processOn(server, prefix);
    expect([await one.pay(), await one.pay()]).toEqual(['ran', 'ran']);
    const redis = plainRedis(server.url);
    onTestFinished(() => redis.disconnect());
    await redis.flushall();
    expect(await one.pay()).toBe('LEDGER_LOST');
    await recoverRedis({ url: server.url, prefix, with: 'new-budgets', ...OPERATOR });
    expect([await one.pay(), await one.pay(), await one.pay()]).toEqual([
      'ran',
      'ran',
      'COST_LIMIT_EXCEEDED',
    ]);
  });

  test('begins no ledger with `beginsLedger: false`, even if a recovery broke off', async () => {
    const server = await redisThat();
    const prefix = `test-${randomUUID()}`;
    const one = processOn(server, prefix, { beginsLedger: false });
    expect(await one.pay()).toBe('LEDGER_LOST');
    const ledger = await openLedger(settingsOf({ url: server.url, prefix }));
    onTestFinished(() => ledger.close());
    await ledger.beginRebuild({ epoch: 'ep_broken', lostEpoch: '', leaseMs: 1 });
    expect(await one.pay()).toBe('LEDGER_UNAVAILABLE');
    await recoverRedis({ url: server.url, prefix, with: 'new-budgets', ...OPERATOR });
    expect(await one.pay()).toBe('ran');
    expect(one.codes()).toEqual([]);
  });

  test('an operator must state a name, a reason and a way', async () => {
    const options = { url: 'redis://127.0.0.1:1', with: 'new-budgets', ...OPERATOR } as const;
    await expect(recoverRedis({ ...options, by: '' })).rejects.toThrow(/`by` or `reason` is missing/);
    await expect(recoverRedis({ ...options, with: 'luck' as 'new-budgets' })).rejects.toThrow(/"luck"/);
    await expect(recoverRedis(options)).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  });
});
