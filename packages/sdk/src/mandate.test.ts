import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMandateError as isErrorOfRuntime } from '@mandate/runtime';
import { temporaryFolder } from '@mandate/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { Mandate, MemoryStateManager } from './index.ts';
import type { Kill } from './types.ts';

const ran = (promise: Promise<unknown>) => promise.then(() => 'ran').catch(({ code }) => code);

function codeThrownBy(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (isErrorOfRuntime(error)) return error.code;
    throw error;
  }
  return 'nothing';
}

describe('a mandate file', () => {
  function fileWith(text: string): string {
    const path = join(temporaryFolder(), 'mandates.yaml');
    writeFileSync(path, text);
    return path;
  }

  test('gives each agent the first mandate that names it', async () => {
    const mandate = new Mandate({
      mandate: fileWith(
        'version: 1\nid: readers\nagents: [reader-*]\nallowedTools: [read]\n---\nversion: 1\nid: all\nagents: ["*"]\n',
      ),
    });
    const run = (agentId: string, tool: string) =>
      ran(mandate.createExecutor({ agentId }).run(tool, {}, () => null));
    expect([
      await run('reader-1', 'read'),
      await run('reader-1', 'write'),
      await run('bot', 'write'),
    ]).toEqual(['ran', 'TOOL_NOT_ALLOWED', 'ran']);
  });

  test('with a fault, and a file that does not exist, are refused', () => {
    const path = fileWith('version: 1\nid: a\nagents: ["*"]\nmaxCost: 1\n');
    expect(() => new Mandate({ mandate: path })).toThrow(`${path}:4:1 maxCost`);
    expect(codeThrownBy(() => new Mandate({ mandate: `${path}.none` }))).toBe('FILE_UNREADABLE');
  });
});

describe('an executor', () => {
  test('runs the functions with which it was created, by name and with their types', async () => {
    const mandate = new Mandate({ agentId: 'bot', mandate: { allowedTools: ['read'] } });
    const tools = mandate.createExecutor({
      tools: {
        read: async ({ path }: { path: string }, signal) => ({ path, isAborted: signal.aborted }),
        write: () => 'written',
      },
    });
    const read = await tools.run('read', { path: '/tmp/a' });
    expectTypeOf(read).toEqualTypeOf<{ path: string; isAborted: boolean }>();
    expect(read).toEqual({ path: '/tmp/a', isAborted: false });
    expect(await ran(tools.run('write', {}))).toBe('TOOL_NOT_ALLOWED');
    expect(await tools.run('read', { path: '' }, () => 7, { idempotencyKey: 'k' })).toBe(7);
    expect(await ran(tools.run('read', { path: '' }, { idempotencyKey: 'k' }))).toBe('DUPLICATE_ACTION');
  });

  test('refuses a tool that has no function, and names the tools that there are', async () => {
    const mandate = new Mandate({ agentId: 'bot', mandate: {} });
    const tools = mandate.createExecutor({ tools: { read: () => null, write: () => null } });
    for (const name of ['raed', 'toString', 'constructor']) {
      const error = await tools.run(name as never, {}).catch((thrown) => thrown);
      expect(error).toMatchObject({ name: 'MandateBlockedError', code: 'UNKNOWN_TOOL' });
      expect(error.remedy).toBe('Use one of these tools: read, write.');
    }
    expect(await ran(mandate.createExecutor().run('read', {} as never))).toBe('UNKNOWN_TOOL');
  });

  test('passes the error of a tool on as it is', async () => {
    const tools = new Mandate({ agentId: 'bot', mandate: {} }).createExecutor();
    const error = new TypeError('no such file');
    const throwing = () => {
      throw error;
    };
    await expect(tools.run('read', {}, throwing)).rejects.toBe(error);
    await expect(tools.run('read', {}, () => Promise.reject(error))).rejects.toBe(error);
  });
});

describe('the options of an instance', () => {
  test('can be set before the first use, and not later', async () => {
    const mandate = new Mandate();
    mandate.configure({ agentId: 'bot' });
    mandate.configure({ mandate: { allowedTools: ['read'] } });
    const tools = mandate.createExecutor();
    expect(await ran(tools.run('read', {}, () => null))).toBe('ran');
    expect(codeThrownBy(() => mandate.configure({ agentId: 'other' }))).toBe('SDK_MISUSED');
  });

  test('must name an agent that exists as a name', () => {
    expect(codeThrownBy(() => new Mandate().createExecutor())).toBe('SDK_MISUSED');
    expect(codeThrownBy(() => new Mandate({ agentId: 'a' }).memory('notes', {} as never))).toBe(
      'SDK_MISUSED',
    );
    for (const agentId of ['', 'a*', 'two words', 'x'.repeat(201)]) {
      expect(codeThrownBy(() => new Mandate({ agentId, mandate: {} }))).not.toBe('nothing');
      expect(codeThrownBy(() => new Mandate().createExecutor({ agentId }))).toBe('SDK_MISUSED');
    }
  });

  test('a closed instance blocks', async () => {
    const mandate = new Mandate({ agentId: 'bot', mandate: {} });
    const tools = mandate.createExecutor();
    await mandate.close();
    expect(await ran(tools.run('read', {}, () => null))).toBe('INTERNAL_ERROR');
  });

  test('a closed instance kills, revives and answers nothing, and says that it is closed', async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const mandate = new Mandate({ agentId: 'bot', mandate: {}, onError });
    await mandate.close();
    const closed = { code: 'SDK_MISUSED', message: 'This instance is closed.', retryable: false };
    expect(() => mandate.createExecutor()).toThrow(expect.objectContaining(closed));
    expect(() => mandate.delegate({ agentId: 'helper' })).toThrow(expect.objectContaining(closed));
    for (const change of [mandate.kill('bot', 'x'), mandate.killAll('x'), mandate.revive('bot')])
      await expect(change).rejects.toMatchObject(closed);
    await expect(mandate.approve('apv_1')).rejects.toMatchObject(closed);
    await expect(mandate.isKilled()).rejects.toMatchObject(closed);
    expect(errors).toHaveLength(3);
    await mandate.close();
  });

  test('a closed instance blocks, although others go on with its state', async () => {
    const state = new MemoryStateManager();
    const make = () => new Mandate({ agentId: 'bot', mandate: {}, state });
    const [closed, other] = [make(), make()];
    const tools = closed.createExecutor();
    await closed.close();
    expect(await ran(tools.run('read', {}, () => null))).toBe('INTERNAL_ERROR');
    expect(await ran(other.createExecutor().run('read', {}, () => null))).toBe('ran');
  });
});

describe('the kill switch', () => {
  test('is in force at once, even if the caller does not wait for the promise', async () => {
    const mandate = new Mandate({ agentId: 'bot', mandate: {} });
    const tools = mandate.createExecutor();
    mandate.kill('bot', 'runaway');
    expect(await ran(tools.run('read', {}, () => null))).toBe('AGENT_KILLED');
  });

  test('of everything stops every agent, and each agent can only continue when it has ended', async () => {
    const mandate = new Mandate({ mandate: {} });
    const run = (agentId: string) => ran(mandate.createExecutor({ agentId }).run('read', {}, () => null));
    await mandate.kill('one', 'runaway');
    await mandate.killAll('incident 42');
    expect([await run('one'), await run('two')]).toEqual(['AGENT_KILLED', 'AGENT_KILLED']);
    expect([await mandate.revive('two'), await run('two')]).toEqual([false, 'AGENT_KILLED']);
    await mandate.reviveAll();
    expect([await run('one'), await run('two')]).toEqual(['AGENT_KILLED', 'ran']);
    expect([await mandate.revive('one'), await run('one')]).toEqual([true, 'ran']);
    expect(await mandate.isKilled('one')).toBe(false);
  });

  test('tells its listeners, also if one of them throws, until they are removed', async () => {
    const errors: unknown[] = [];
    const mandate = new Mandate({ mandate: {}, onError: (error) => errors.push(error) });
    const heard: Kill[] = [];
    mandate.onKill(() => {
      throw new Error('broken listener');
    });
    const remove = mandate.onKill((kill) => heard.push(kill));
    await mandate.kill('bot', 'runaway');
    await mandate.killAll('incident 42');
    remove();
    await mandate.killAll('incident 43');
    expect(heard.map(({ agentId, reason }) => [agentId, reason])).toEqual([
      ['bot', 'runaway'],
      [null, 'incident 42'],
    ]);
    expect(errors).toHaveLength(3);
  });

  test('of one agent aborts only the running calls of the agent, and a kill of everything aborts all', async () => {
    const mandate = new Mandate({ mandate: {} });
    const end = Promise.withResolvers<null>();
    const running = (agentId: string, ending: Promise<null>) =>
      ran(mandate.createExecutor({ agentId }).run('read', {}, () => ending));
    const never = new Promise<null>(() => {});
    const [one, two, three] = [running('one', never), running('two', end.promise), running('three', never)];
    await expect.poll(() => mandate.getCallCount('three'), { timeout: 30_000 }).toBe(1);
    await mandate.kill('one', 'runaway');
    end.resolve(null);
    expect([await one, await two]).toEqual(['AGENT_KILLED', 'ran']);
    await mandate.killAll('incident 42');
    expect(await three).toBe('AGENT_KILLED');
  });
});

describe('getRemainingBudget', () => {
  test('is null without a budget, and otherwise the smallest remaining amount of all budgets', async () => {
    expect(await new Mandate({ agentId: 'bot', mandate: {} }).getRemainingBudget()).toBe(null);
    const mandate = new Mandate({
      agentId: 'bot',
      mandate: {
        maxCostTotal: 10,
        budgets: [{ id: 'day', scope: 'agent', max: 8, windowMs: 86_400_000 }],
        toolPolicies: { pay: { cost: 5 } },
      },
    });
    expect(await mandate.getRemainingBudget()).toBe(8_000_000);
    await mandate.createExecutor().run('pay', {}, () => null);
    expect(await mandate.getRemainingBudget()).toBe(3_000_000);
  });
});
