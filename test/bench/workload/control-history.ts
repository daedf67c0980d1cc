/**
 * Makes a tenant with a long history. Its documents were written once. Then grants were issued, which have ended by
 * now, and agents and rules were written again.
 */
import { type ControlRecord, wireTime } from '@mandate/schemas';
import { agentNumber, change, controlRecords } from './control.ts';

const SIZE = { agents: 3_000, policies: 500, rules: 1_500 };
export const STANDING = SIZE.agents + SIZE.policies + SIZE.rules;
export const CHANGES = 200_000;

const START_MS = Date.parse('2026-06-01T12:00:00Z');
const TTL_MS = 60_000;

export function longHistory(): ControlRecord[] {
  const records = controlRecords(SIZE);
  const standing = records.slice(SIZE.policies);
  while (records.length < CHANGES) {
    const at = records.length;
    const again = standing[at % standing.length];
    const one = at % 2 === 0 || again === undefined ? issued(at) : again;
    records.push(at100Ms(one, at));
  }
  return records;
}

function issued(at: number): ControlRecord {
  const rule = at % SIZE.rules;
  const named = { rule: `rule-${rule}`, policy: `policy-${rule % SIZE.policies}@1`, mode: 'enforce' };
  const grant = {
    ...{ id: `mnd_${at}`, agentId: agentNumber(at % SIZE.agents), context: {} },
    ...{ foundAt: at, rules: [named], openRules: [] },
    ...{ ttlMs: TTL_MS, expiresAt: wireTime(START_MS + at * 100 + TTL_MS) },
  };
  return change('grant.issued', { grant });
}

/** Sets the time of a change. The changes are 100 ms apart. */
function at100Ms(record: ControlRecord, at: number): ControlRecord {
  const { id: _, ...made } = record.change;
  return { ...record, change: { ...made, id: `chg_history_${at}`, at: wireTime(START_MS + at * 100) } };
}
