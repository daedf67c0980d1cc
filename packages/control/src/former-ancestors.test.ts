import { CAPS, controlRecord } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { foldControl } from './control-state.ts';
import { formerAncestorsOf } from './former-ancestors.ts';

function register() {
  const fold = foldControl();
  let revision = 0;
  const change = (body: object) => {
    revision += 1;
    const about = { id: `chg-${revision}`, tenant: 'acme', by: 'ann', reason: '' };
    const record = controlRecord.parse({ ...body, change: { ...about, at: '2026-03-01T12:00:00.000Z' } });
    const changed = fold.apply(record, revision);
    return changed.ok ? 'ok' : changed.refusal;
  };
  return {
    put: (id: string, parent?: string) =>
      change({ event: 'agent.put', agent: { id, ...(parent !== undefined && { parent }) } }),
    retire: (agentId: string) => change({ event: 'agent.retired', agentId }),
    left: (id: string) => formerAncestorsOf(fold.tenant('acme'), id),
  };
}

test('remembers the latest time when an agent left each former ancestor, and leaves out current ancestors', () => {
  const { put, left } = register();
  for (const id of ['lead', 'other']) put(id);
  put('bot', 'lead');
  expect(put('bot', 'other')).toBe('ok');
  expect(left('bot')).toEqual([{ id: 'lead', leftAt: 4 }]);
  put('bot', 'lead');
  expect(left('bot')).toEqual([{ id: 'other', leftAt: 5 }]);
  put('bot');
  expect(left('bot')).toEqual([
    { id: 'other', leftAt: 5 },
    { id: 'lead', leftAt: 6 },
  ]);
});

test('refuses a new parent if another ancestor would have to be forgotten', () => {
  const { put, left } = register();
  put('bot');
  for (let at = 0; at <= CAPS.formerAncestors; at += 1) {
    put(`lead-${at}`);
    expect(put('bot', `lead-${at}`)).toBe('ok');
  }
  expect(left('bot')).toHaveLength(CAPS.formerAncestors);
  expect(put('bot')).toBe('PARENT_CHANGED_TOO_OFTEN');
  // The agent left this ancestor before, so the ancestor is remembered already and takes no more space.
  expect(put('bot', 'lead-0')).toBe('ok');
});

test('stops at a chain of retired agents that is too long or circular', () => {
  const { put, retire, left } = register();
  put('a-0');
  for (let at = 1; at <= 2 * CAPS.parents; at += 1) {
    put(`a-${at}`, `a-${at - 1}`);
    retire(`a-${at - 1}`);
  }
  put('a-0', `a-${2 * CAPS.parents}`);
  expect(left(`a-${2 * CAPS.parents}`)).toEqual([]);
});
