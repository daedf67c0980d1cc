/** Tests obligations that the SDK cannot carry out: the call is blocked, and its reservation is given back. */
import type { ActionRequested, Json } from '@mandate/schemas';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { TUTOR, USER } from './contract/governed.ts';
import { codeOf, refusalOf } from './contract/scene.ts';
import type { Mandate } from './index.ts';
import { localPoint } from './local/local-point.ts';
import { MandateInstance } from './mandate.ts';
import { MemoryStateManager } from './state.ts';
import { openTurn } from './turn/open-turn.ts';
import type { Call } from './types.ts';

/** An instance that adds these obligations to the decision of every action of a kind. */
function obliging(type: string, obligations: Record<string, Json>) {
  const state = new MemoryStateManager();
  const local = localPoint({ mandate: TUTOR, state });
  class Obliging extends MandateInstance {
    protected override openPoint() {
      return {
        ...local,
        decide: async (record: ActionRequested) => {
          const decision = await local.decide(record);
          if (decision.type !== type) return decision;
          return { ...decision, obligations: { ...decision.obligations, ...obligations } };
        },
      };
    }
  }
  return { mandate: new Obliging({ agentId: 'tutor' }), state };
}

const OTHER = { watermark: true };
const SAVE = { store: 'stm', scope: 'chat', action: 'save', rule: 'chat', ttlMs: null, expiresAt: null };

describe('an obligation that the SDK cannot carry out blocks', () => {
  test.each<[string, string, Record<string, Json>]>([
    ['a name that it does not know', 'prompt', OTHER],
    ['tools that are no list', 'prompt', { tools: 'all' }],
    ['an intent without entities', 'prompt', { intent: { id: 'chat' } }],
    ['a filter of another field', 'prompt', { filter: { field: 'team', is: 'principal.id' } }],
  ])('a prompt: %s', async (_what, type, obligations) => {
    const { mandate } = obliging(type, obligations);
    const refused = await refusalOf(openTurn(mandate, 'hello', { principal: USER }));
    expect(refused).toMatchObject({ code: 'UNKNOWN_OBLIGATION', retryable: false });
    expect(refused.reason).toContain(`"${Object.keys(obligations)[0]}"`);
  });

  test.each<[string, Record<string, Json>]>([
    ['a name that it does not know', OTHER],
    ['a filter of another field', { filter: { field: 'team', is: 'principal.id' } }],
    ['a filter by another value', { filter: { field: 'user_id', is: 'principal.role' } }],
    ['a store with another demand', { stores: [{ store: 'stm', maxResults: 1, newerThan: '1d' }] }],
    ['a limit that is no number', { stores: [{ store: 'stm', maxResults: 'few' }] }],
  ])('a read: %s', async (_what, obligations) => {
    const { mandate } = obliging('memory_read', obligations);
    const turn = await openTurn(mandate, 'hello', { principal: USER });
    expect(await codeOf(turn.read())).toBe('UNKNOWN_OBLIGATION');
  });

  test.each<[string, Record<string, Json>]>([
    ['a name that it does not know', OTHER],
    ['an owner that is somebody else', { saves: [{ ...SAVE, owner: 'tenant.id' }] }],
    ['a save with another demand', { saves: [{ ...SAVE, encrypted: true }] }],
    ['a save without a time of expiry', { saves: [{ ...SAVE, expiresAt: 7 }] }],
  ])('a save: %s', async (_what, obligations) => {
    const { mandate } = obliging('memory_write', obligations);
    const turn = await openTurn(mandate, 'hello', { principal: USER });
    expect(await codeOf(turn.save())).toBe('UNKNOWN_OBLIGATION');
  });

  test('an answer with an obligation that the SDK does not know', async () => {
    const { mandate } = obliging('output', OTHER);
    const turn = await openTurn(mandate, 'hello', { principal: USER });
    expect(await codeOf(turn.output('bye'))).toBe('UNKNOWN_OBLIGATION');
  });

  test.each<[string, Record<string, Json>]>([
    ['arguments that are no object', { arguments: 'none' }],
    ['a name that belongs to another kind', { stores: [] }],
  ])('a call of a tool: %s', async (_what, obligations) => {
    const { mandate, state } = obliging('tool_call', obligations);
    const turn = await openTurn(mandate, 'make cards', { principal: USER });
    const ran: unknown[] = [];
    const tools = turn.mandate.createExecutor();
    expect(await codeOf(tools.run('make_cards', {}, () => ran.push(1)))).toBe('UNKNOWN_OBLIGATION');
    expect([ran, state.costOf('tutor').totalMicros]).toEqual([[], 0]);
  });
});

test('a default never replaces an argument that the call states', async () => {
  const { mandate } = obliging('tool_call', { arguments: { count: 9, level: 'N5' } });
  const turn = await openTurn(mandate, 'make cards', { principal: USER });
  const args = await turn.mandate.createExecutor().run('make_cards', { count: 0 }, (given) => given);
  expect(args).toEqual({ count: 0, level: 'N5' });
});

test('the types of a turn and of governed memory depend on the instance and the client', () => {
  const client = {
    create: async (memory: { category: string; content: string; mood: string; expiresAt: string | null }) =>
      memory.mood,
  };
  const types = (mandate: Mandate) => {
    const governed = mandate.memory('notes', { client });
    expectTypeOf<keyof typeof governed>().toEqualTypeOf<'create'>();
    expectTypeOf(governed.create).returns.resolves.toEqualTypeOf<string>();
    expectTypeOf(governed.create).parameter(0).toHaveProperty('mood').toEqualTypeOf<string>();
    expectTypeOf(mandate.turn).returns.resolves.toHaveProperty('mandate').toEqualTypeOf<Mandate>();
  };
  expect(types).toBeTypeOf('function');
});

test('a caller that starts a call itself must say which obligations it carries out', async () => {
  const { mandate } = obliging('none', {});
  const turn = await openTurn(mandate, 'hello', { principal: USER });
  const read = (carriesOut?: string[]): Call => ({
    type: 'memory_read',
    options: carriesOut === undefined ? {} : { carriesOut },
  });
  expect(await codeOf(turn.agent().start(read()))).toBe('UNKNOWN_OBLIGATION');
  expect(await codeOf(turn.agent().start(read(['stores'])))).toBe('UNKNOWN_OBLIGATION');
  const running = await turn.agent().start(read(['stores', 'filter']));
  expect(running.decision.obligations).toHaveProperty('stores');
  await running.settle({ status: 'success' });
});
