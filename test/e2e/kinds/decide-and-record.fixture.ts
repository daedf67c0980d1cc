/**
 * Runs in a copy of the repository with a new kind of action. Decides two actions of this kind, records the
 * decisions, and prints what the audit answers about them.
 */

import { text } from 'node:stream/consumers';
import {
  ask,
  exportPart,
  MIGRATIONS_DIRECTORY,
  migrate,
  openEmbeddedAudit,
  recordDecisions,
  searchDecisions,
} from '@mandate/audit';
import { offlineDecider } from '@mandate/engine';
import { compileActionRedaction, mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { contentFinders } from '@mandate/privacy';
import { type Decision, readDecisionsRecord } from '@mandate/schemas';

const [path = ''] = process.argv.slice(2);
const loaded = loadMandates('version: 1\nid: m\nagents: [bot]\nmaxCostTotal: 1\n');
if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
const decider = offlineDecider(
  mandatesOfFile(loaded.mandates, 1),
  compileActionRedaction(),
  Date.now,
  contentFinders,
);

async function decide(id: string, notebook: string): Promise<Uint8Array> {
  const action = {
    id,
    agentId: 'bot',
    type: 'note_read',
    notebook,
    query: 'holidays',
    context: { token: 'secret' },
  };
  const record = await decider.answer(Buffer.from(JSON.stringify({ event: 'action.requested', action })));
  return Buffer.from(JSON.stringify(record));
}

const values = [await decide('act-1', 'team'), await decide('act-2', 'private')];
const decisions = values.map((value): Decision => {
  const record = readDecisionsRecord(value);
  if (record.event !== 'action.decided') throw new Error(record.event);
  return record.decision;
});
const audit = await openEmbeddedAudit({ path });
await migrate(audit, MIGRATIONS_DIRECTORY);
const landed = await recordDecisions(
  audit,
  decisions.map((record, offset) => ({
    ...{
      record,
      value: values[offset] ?? new Uint8Array(),
      void: false,
      recordedAtMs: Date.now(),
      traceId: null,
    },
    position: { topic: 'mandate.decisions.v1', partition: 0, offset },
  })),
);
const tenant = 'default';
const rows = await ask(audit, searchDecisions, { tenant, type: ['note_read'], limit: 10 } as never);
const csv = await text(await exportPart(audit, 'decisions', { tenant }, { format: 'csv' }));
await audit.close();
process.stdout.write(JSON.stringify({ decisions, landed, rows, csv }));
