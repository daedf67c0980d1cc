import { expect, test } from 'vitest';
import { countAgain, openTurn, type Turn, turnKey } from './turn.ts';

const MEMORY_MS = 100;
const opened = { intent: 'chat', person: 'u1 user' };
const call = (openedAtMs: number) => ({ agentId: 'ann', id: 'p', openedAtMs, counts: 'tool' as const });

type Event = { prompt: number } | { call: number };

/** Folds prompts (at their time) and calls (in the turn that was opened at this time). Returns the turn. */
function turnAfter(...events: Event[]): Turn | undefined {
  const turns = new Map<string, Turn>();
  for (const event of events) {
    if ('call' in event) countAgain(turns, call(event.call), MEMORY_MS);
    else {
      const { prompt: atMs } = event;
      openTurn(turns, { agentId: 'ann', id: 'p', atMs, forgetAtMs: atMs + MEMORY_MS }, opened);
    }
  }
  return turns.get(turnKey('ann', 'p'));
}

function* ordersOf<T>(events: readonly T[]): Generator<T[]> {
  if (events.length === 0) yield [];
  for (const [at, first] of events.entries())
    for (const rest of ordersOf(events.toSpliced(at, 1))) yield [first, ...rest];
}

/** Prompts of one agent are on one partition, so they keep their order. */
function orders(...events: Event[]): Event[][] {
  const prompts = events.filter((event) => 'prompt' in event);
  return [...ordersOf(events)].filter(
    (order) => JSON.stringify(order.filter((event) => 'prompt' in event)) === JSON.stringify(prompts),
  );
}

test.each<[string, Event[], Partial<Turn>]>([
  [
    'calls beside their prompt count',
    [{ prompt: 10 }, { call: 10 }, { call: 10 }],
    { openedAtMs: 10, toolCalls: 2, forgetAtMs: 110, person: 'u1 user' },
  ],
  [
    'another attempt of the prompt continues the turn',
    [{ prompt: 10 }, { prompt: 60 }, { call: 10 }],
    { openedAtMs: 10, toolCalls: 1, forgetAtMs: 160 },
  ],
  [
    'a prompt after the turn is forgotten opens another turn, and earlier calls do not count in it',
    [{ prompt: 10 }, { prompt: 110 }, { call: 10 }, { call: 110 }],
    { openedAtMs: 110, toolCalls: 1, forgetAtMs: 210 },
  ],
  [
    'a prompt that was lost and decided again continues the turn of the calls',
    [{ prompt: 60 }, { call: 10 }, { call: 10 }],
    { openedAtMs: 10, toolCalls: 2, forgetAtMs: 160, person: 'u1 user' },
  ],
  [
    'a prompt that was lost for longer than ids are remembered opens another turn',
    [{ prompt: 110 }, { call: 10 }],
    { openedAtMs: 110, toolCalls: 0, forgetAtMs: 210 },
  ],
  [
    'calls without a prompt are known, and open no turn',
    [{ call: 10 }, { call: 10 }],
    { openedAtMs: 10, toolCalls: 2, forgetAtMs: 110, person: null },
  ],
])('in every order of the log: %s', (_, events, expected) => {
  for (const order of orders(...events))
    expect(turnAfter(...order), JSON.stringify(order)).toMatchObject(expected);
});
