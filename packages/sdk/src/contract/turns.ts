/** Tests turns: the turn that a prompt opens, and the fields that the calls of a turn state. */
import { expect, test } from 'vitest';
import type { Mandate, Turn } from '../index.ts';
import { TUTOR, USER } from './governed.ts';
import { type AgentUnder, codeOf, refusalOf } from './scene.ts';

export function turns(agentUnder: AgentUnder): void {
  const opened = async (text: string): Promise<Turn<Mandate>> => {
    const { mandate } = await agentUnder(TUTOR);
    return mandate.turn(text, { principal: USER });
  };

  test('a prompt opens a turn, with its intent, tools and stores', async () => {
    const { mandate, agentId } = await agentUnder(TUTOR);
    const turn = await mandate.turn('make 7 cards', { principal: USER });
    expect(turn.intent).toMatchObject({ id: 'make_cards', by: 'keyword', trigger: 'cards' });
    expect(turn.decision).toMatchObject({ actionId: turn.id, agentId, type: 'prompt' });
    expect([turn.entities, turn.tools]).toEqual([{ count: 7 }, ['make_cards']]);
    expect([turn.stores, turn.filter]).toEqual([[{ store: 'episodic', maxResults: 5 }], { user_id: 'u1' }]);
  });

  test('a prompt that is blocked opens no turn', async () => {
    const { mandate } = await agentUnder(TUTOR);
    const refused = await refusalOf(mandate.turn('this is a jailbreak', { principal: USER }));
    expect(refused).toMatchObject({ code: 'CONTENT_BLOCKED', action: { type: 'prompt' } });
    expect(await codeOf(mandate.turn('hello', { principal: { id: 'u1', role: 'boss' } }))).toBe(
      'ROLE_NOT_ALLOWED',
    );
  });

  test('calls of the turn state it, and may use only the tools of its intent', async () => {
    const turn = await opened('make cards');
    const tools = turn.mandate.createExecutor();
    expect(await tools.run('make_cards', { topic: 'food' }, (args) => args)).toEqual({
      topic: 'food',
      count: 5,
      level: 'N5',
    });
    expect(await codeOf(tools.run('show_progress', {}, () => null))).toBe('TOOL_NOT_FOR_INTENT');
  });

  test('arguments that a call states are not replaced by defaults', async () => {
    const turn = await opened('make cards');
    const stated = { count: 0, level: null };
    const running = await turn
      .agent()
      .start({ type: 'tool_call', tool: 'make_cards', args: stated, options: { callId: 'call_0' } });
    expect(running.args).toEqual(stated);
    expect(running.action).toMatchObject({ turnId: turn.id, principal: USER });
    await running.settle({ status: 'success' });
  });

  test('a turn has at most the calls that the policy allows, and a call outside every turn is refused', async () => {
    const { mandate } = await agentUnder(TUTOR);
    const turn = await mandate.turn('make cards', { principal: USER });
    const tools = turn.mandate.createExecutor();
    const codes = [];
    for (let calls = 0; calls < 3; calls += 1) codes.push(await codeOf(tools.run('make_cards', {}, () => 1)));
    expect(codes).toEqual(['ran', 'ran', 'TURN_LIMIT_EXCEEDED']);
    const alone = mandate.with({ principal: USER }).createExecutor();
    expect(await codeOf(alone.run('make_cards', {}, () => 1))).toBe('TURN_UNKNOWN');
  });

  test('a read gets stores with limits, and the id of the person as filter', async () => {
    const turn = await opened('hello');
    const { stores, filter, query } = await turn.read({ query: 'the last lesson' });
    expect(stores).toEqual([
      { store: 'episodic', maxResults: 5 },
      { store: 'stm', maxResults: null },
    ]);
    expect([filter, query]).toEqual([{ user_id: 'u1' }, 'the last lesson']);
  });

  test('a choice of the model in a read is refused, and a choice of the program is honoured', async () => {
    const turn = await opened('hello');
    const choice = { stores: ['episodic'], limits: { episodic: 3 } };
    expect(await codeOf(turn.read(choice))).toBe('ORIGIN_NOT_ALLOWED');
    const origins = { stores: 'system', limits: 'system' } as const;
    expect((await turn.read({ ...choice, origins })).stores).toEqual([{ store: 'episodic', maxResults: 3 }]);
    const others = { filter: { user_id: 'u2' }, origins: { filter: 'system' } } as const;
    expect(await codeOf(turn.read(others))).toBe('PRINCIPAL_MISMATCH');
  });

  test('the words of the person decide a save, and the model cannot prevent it', async () => {
    const turn = await opened('my name is Mia');
    const decided = await turn.save({ text: { agent: 'Nice to meet you.' }, hints: { save: false } });
    expect(decided).toMatchObject({
      decidedBy: 'permanent',
      violations: [{ rule: 'block_save', field: 'hints.save' }],
    });
    const [save, ...others] = decided.saves;
    expect(save).toMatchObject({ store: 'episodic', rule: 'permanent', ttlMs: 3_600_000, owner: 'u1' });
    expect(Date.parse(save?.expiresAt ?? '')).toBe(Date.parse(decided.decision.decidedAt) + 3_600_000);
    expect(others).toEqual([]);
    expect((await turn.save({ hints: { save: false }, origins: { 'hints.save': 'user' } })).saves).toEqual(
      [],
    );
    expect((await turn.save({ text: { user: 'hello' } })).saves).toEqual([]);
  });

  test('an answer comes back with its redactions, counted in characters', async () => {
    const turn = await opened('hello');
    expect(await turn.output('𠮷 writes to ann@example.com, 𠮷')).toBe('𠮷 writes to [redacted:email], 𠮷');
    expect(await turn.output('Good morning.')).toBe('Good morning.');
  });
}

/** Not every mode can kill. */
export function killedTurns(agentUnder: AgentUnder): void {
  test('a killed agent opens no turn, and its open turn reads nothing', async () => {
    const { mandate, agentId } = await agentUnder(TUTOR);
    const turn = await mandate.turn('hello', { principal: USER });
    await mandate.kill(agentId, 'runaway');
    expect(await codeOf(turn.read())).toBe('AGENT_KILLED');
    expect(await codeOf(turn.output('bye'))).toBe('AGENT_KILLED');
    expect(await codeOf(mandate.turn('hello', { principal: USER }))).toBe('AGENT_KILLED');
  });
}
