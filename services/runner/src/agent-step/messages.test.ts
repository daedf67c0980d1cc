import { expect, test } from 'vitest';
import { messagesOf, type Turn } from './messages.ts';

const reply = { text: 'I look.', toolCalls: [], stop: 'tools' as const };
const look: Turn = {
  reply,
  results: [{ name: 'look', args: { id: 1 }, text: '40', isError: false }],
  fault: null,
};
const wrong: Turn = { reply: { ...reply, text: 'x' }, results: [], fault: 'it is no JSON' };
const first = 'Your inputs, as JSON:\n{\n  "a": 1\n}';

test('answer each call under an id that is made from the place of the call', () => {
  expect(messagesOf({ a: 1 }, [look, look], true)).toEqual([
    { role: 'user', text: first },
    { role: 'model', text: 'I look.', toolCalls: [{ id: 'call_1_1', name: 'look', args: { id: 1 } }] },
    { role: 'tools', results: [{ id: 'call_1_1', text: '40', isError: false }] },
    { role: 'model', text: 'I look.', toolCalls: [{ id: 'call_2_1', name: 'look', args: { id: 1 } }] },
    { role: 'tools', results: [{ id: 'call_2_1', text: '40', isError: false }] },
  ]);
});

test('say what is wrong with an answer', () => {
  const messages = messagesOf({ a: 1 }, [wrong], true);
  expect(messages.at(-1)).toMatchObject({ role: 'user', text: expect.stringContaining('it is no JSON') });
});

test('are one message of the user if there is no history', () => {
  const messages = messagesOf({ a: 1 }, [look, wrong], false);
  expect(messages).toHaveLength(1);
  expect(messages[0]).toEqual({
    role: 'user',
    text: expect.stringMatching(
      /^Your inputs.*The result of look with \{"id":1\}:\n40.*Your answer was:\nx/s,
    ),
  });
});
