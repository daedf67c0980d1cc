import { expect, test } from 'vitest';
import { Callers, type OpenAsker } from './callers.ts';

const FIXED = { agentId: undefined, principalId: undefined, runId: undefined };

/** Opens instances of the SDK that work only for one key, as with a plane. Records which instances were closed. */
function scene(validKey: string) {
  const closed: string[] = [];
  const open = (key: string): OpenAsker => {
    const answer = async () => {
      if (key !== validKey) throw new Error('the key is not valid');
      return [true];
    };
    const asker = {
      with: () => asker,
      agent: () => ({ start: answer }),
      permits: answer,
      close: async () => void closed.push(key),
    } as unknown as OpenAsker;
    return asker;
  };
  const callers = new Callers(FIXED, null, open);
  const find = (key: string) => {
    const found = callers.find({ 'x-mandate-agent': 'coder', 'x-mandate-key': key });
    if (!found.ok) throw new Error(found.why);
    return found.caller;
  };
  return { callers, find, closed };
}

test('a flood of keys that are not valid does not close the instance of a valid key', async () => {
  const { find, closed } = scene('valid');
  const valid = find('valid');
  await valid.permits([{ tool: 'read' }]);
  for (let at = 0; at < 2_500; at += 1) {
    const wrong = find(`wrong-${at}`);
    if (at % 500 === 0) await expect(wrong.permits([{ tool: 'read' }])).rejects.toThrow('not valid');
  }
  expect(closed).toHaveLength(1_500);
  expect(closed).not.toContain('valid');
  await expect(find('valid').permits([{ tool: 'read' }])).resolves.toEqual([true]);
});

test('settings that the operator has fixed hold for every request', () => {
  const asker = scene('valid');
  const callers = new Callers({ ...FIXED, agentId: 'coder' }, null, () => null as never);
  expect(callers.find({ 'x-mandate-agent': 'other' })).toMatchObject({ ok: false });
  expect(callers.find({})).toMatchObject({ ok: false, why: 'The request has no key.' });
  expect(asker.find('valid')).toBe(asker.find('valid'));
});
