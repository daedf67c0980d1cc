import { expect, test } from 'vitest';
import { loadControl } from '../load-control.ts';
import { currentDocumentsOf } from './current-documents.ts';
import { missingParents } from './missing-parents.ts';
import { planChanges } from './plan-changes.ts';

function documentsIn(text: string) {
  const read = loadControl(text);
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return read.documents;
}

const LEAD = '{ kind: agent, id: lead }';
const DOER = '{ kind: agent, id: doer, parent: lead }';
const BOTH = `${DOER}\n---\n${LEAD}`;

test.each([
  ['the parent is in the files', { files: BOTH, plane: '', prune: false }, null],
  ['the parent is on the plane', { files: DOER, plane: LEAD, prune: false }, null],
  ['the parent is nowhere', { files: DOER, plane: '', prune: false }, 'no such agent is registered'],
  ['it stands, its parent no more', { files: DOER, plane: DOER, prune: true }, 'no such agent is registered'],
  [
    'the plan removes the parent',
    { files: DOER, plane: BOTH, prune: true },
    'that agent is removed, because no file contains it',
  ],
])('tells whether the parent of an agent will exist: %s', (_, { files, plane, prune }, why) => {
  const { agents, ...others } = documentsIn(files);
  const current = plane === '' ? [] : currentDocumentsOf(documentsIn(plane));
  const changes = planChanges({ agents, ...others }, current, { prune, atMs: 0 });
  expect(missingParents(agents, current, changes)).toEqual(
    why === null ? [] : [`the agent "doer" names the parent "lead", and ${why}`],
  );
});
