import { type ControlDocuments, foldControl, loadControl } from '@mandate/control';
import { silentLogger } from '@mandate/runtime';
import { type ControlRecord, controlRecord } from '@mandate/schemas';
import { expect, it } from 'vitest';
import { applyFiles } from './apply-files.ts';

const FILES = `
{ kind: agent, id: worker, parent: lead }
---
{ kind: agent, id: lead }
---
{ kind: policy, version: 1, id: reads, allowedTools: ['read_*'] }
---
{ kind: rule, version: 1, id: all-read, policy: reads }
`;

function documentsIn(text: string): ControlDocuments {
  const read = loadControl(text);
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return read.documents;
}

/** Makes a control topic with a second writer. */
function topic(log = silentLogger()) {
  const fold = foldControl();
  const records: ControlRecord[] = [];
  const write = (record: ControlRecord) => {
    records.push(controlRecord.parse(record));
    return fold.apply(record, records.length);
  };
  let before: (() => void) | null = null;
  const followed = {
    tenant: fold.tenant,
    change: async (record: ControlRecord) => {
      before?.();
      before = null;
      return write(record);
    },
  };
  const parts = { followed, clock: () => Date.parse('2026-03-01T12:00:00Z'), log };
  return {
    records,
    fold,
    write,
    parts,
    apply: (text: string) => applyFiles(documentsIn(text), parts),
    /** Calls `does` while the next change is being appended. */
    meanwhile(does: () => void) {
      before = does;
    },
  };
}

it('makes a record only for a document that differs', async () => {
  const { records, apply } = topic();
  await apply(FILES);
  expect(records.map(({ event, change }) => [event, change.by, change.tenant])).toEqual(
    ['agent.put', 'agent.put', 'policy.published', 'rule.put'].map((event) => [
      event,
      'mandate up',
      'default',
    ]),
  );
  await apply(FILES);
  expect(records).toHaveLength(4);
  await apply(FILES.replace("'read_*'", "'read_*', search"));
  expect(records.slice(4)).toMatchObject([{ event: 'policy.published', change: { expects: 3 } }]);
});

it('keeps documents that no file contains', async () => {
  const { records, apply, fold } = topic();
  await apply(FILES);
  await apply('{ kind: agent, id: lead }');
  expect(records).toHaveLength(4);
  expect([...fold.tenant('default').rules.keys()]).toEqual(['all-read']);
});

it('removes what the documents before contained, and nothing else', async () => {
  const { records, apply, fold, parts } = topic();
  await apply(FILES);
  await apply('{ kind: agent, id: other }');
  const after = FILES.replace('{ kind: agent, id: worker, parent: lead }\n---\n', '');
  const without = after.replace(/---\n{ kind: rule.*\n/, '');
  await applyFiles(documentsIn(without), parts, documentsIn(FILES));
  const { agents, rules, policies } = fold.tenant('default');
  expect([[...agents.keys()], [...rules.keys()], policies.get('reads')?.isArchived]).toEqual([
    ['lead', 'other'],
    [],
    false,
  ]);
  const made = records.length;
  await applyFiles(documentsIn(without), parts, documentsIn(FILES));
  expect(records).toHaveLength(made);
});

it('plans again if another plane changes a document at the same time', async () => {
  const one = topic();
  one.meanwhile(() => {
    const change = { id: 'other', tenant: 'default', by: 'o', reason: '', at: '2026-03-01T12:00:00.000Z' };
    const policy = { version: 1 as const, id: 'reads', allowedTools: ['*'] };
    one.write({ event: 'policy.published', change, policy });
  });
  await one.apply(FILES);
  const { versions = [] } = one.fold.tenant('default').policies.get('reads') ?? {};
  expect(versions.map(({ document }) => document.allowedTools)).toEqual([['*'], ['read_*']]);
  expect(one.fold.tenant('default').rules.size).toBe(1);
});

it('warns of a rule if its policy does not have the version that the rule names', async () => {
  const warned: unknown[] = [];
  const log = Object.assign(silentLogger(), { warn: (...said: unknown[]) => warned.push(said.at(-1)) });
  const { apply } = topic(log);
  const pinned = FILES.replace('policy: reads', "policy: 'reads@2'");
  await apply(pinned);
  const fault =
    'the rule "all-read" names reads@2, and that policy has one version: the rule blocks every agent that it matches';
  expect(warned).toContain(fault);
  warned.length = 0;
  await apply(pinned.replace("'read_*'", 'search'));
  expect(warned).not.toContain(fault);
  await apply(FILES.replace('policy: reads', 'policy: raeds'));
  expect(warned).toContain(
    'the rule "all-read" names raeds, and there is no such policy: the rule blocks every agent that it matches',
  );
});

it('logs the changes that it made, and what the changes newly permit', async () => {
  const warned: unknown[] = [];
  const log = Object.assign(silentLogger(), { warn: (...said: unknown[]) => warned.push(said[0]) });
  const { apply } = topic(log);
  await apply(FILES);
  const adds = ['agent lead', 'agent worker', 'policy reads'].map((name) => ({ change: `add ${name}` }));
  const rule = {
    change: 'add rule all-read',
    widens: ['it is new: it gives its policy to agents that no other rule matches'],
  };
  expect(warned).toEqual([{ changes: 4, made: [...adds, rule] }]);
  await apply(FILES.replace("'read_*'", "'read_*', search"));
  expect(warned[1]).toEqual({
    changes: 1,
    made: [{ change: 'change policy reads', widens: ['allowedTools: + search'] }],
  });
  await apply(Array.from({ length: 30 }, (_, at) => `{ kind: agent, id: a${at} }`).join('\n---\n'));
  expect(warned).toContainEqual({ changes: 30, made: expect.toSatisfy((made) => made.length === 20) });
});

it('throws if the plane refuses a document, or if no reader could parse its record', async () => {
  const { records, apply, parts } = topic();
  await expect(apply('{ kind: agent, id: a, parent: nobody }')).rejects.toMatchObject({
    code: 'DOCUMENTS_REFUSED',
    message: 'the agent "a" of the files is refused: PARENT_UNKNOWN',
  });
  const before = records.length;
  const long = 'x'.repeat(60_000);
  const labels = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`l${at}`, long]));
  const agents = new Map([['a', { id: 'a', groups: [], labels }]]);
  await expect(applyFiles({ agents, policies: new Map(), rules: new Map() }, parts)).rejects.toMatchObject({
    code: 'DOCUMENTS_REFUSED',
    message: expect.stringContaining('has more than 1500000 bytes'),
  });
  expect(records).toHaveLength(before);
});
