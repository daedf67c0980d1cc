/**
 * Reads the records of context builders that a program reports, and marks them with the key that reported them. The
 * tenant is the tenant of the key, whatever a record says.
 */
import {
  type ApiKeyRecord,
  agentKey,
  type ContextBuilt,
  type ListedFault,
  type ReportedBuild,
  readSome,
  reportedBuild,
  timeOfId,
} from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import type { Gateway } from '../gateway.ts';
import { mustSpeakFor } from '../own-agents.ts';
import type { ReportedRecord } from '../publish/append-reported.ts';
import { badRecord, badRecords, LISTED, MAX_RECORDS } from '../publish/read-submission.ts';
import { redactBuild } from './redact-build.ts';

const CODE = 'INVALID_CONTEXT_RECORD';

/** The clock of a program may be wrong. But a record from far in the future would stay the newest for a long time. */
const MOST_AHEAD_MS = 24 * 60 * 60 * 1_000;

/**
 * Either returns all records, or throws a problem that names the first bad records. Yields after each record.
 *
 * @throws HttpProblem INVALID_CONTEXT_RECORD, AGENT_NOT_ALLOWED, PINNED_BY_KEY
 */
export function* readContextBuilds(
  gateway: Gateway,
  key: ApiKeyRecord,
  body: Buffer,
): Generator<void, readonly ReportedRecord[]> {
  const some = yield* readSome(body, () => reportedBuild, { records: MAX_RECORDS, faults: LISTED });
  if ('faults' in some) throw badRecords(CODE, some.faults, { wrong: some.wrong, records: some.records });
  if (!some.read.ok) throw badRecord(CODE, some.read.fault);
  if (!some.many || some.read.value.length === 0) throw noList();
  const records = some.read.value;
  const latestMs = gateway.clock() + MOST_AHEAD_MS;
  const faults = records.flatMap((record, index): ListedFault[] => {
    const fault = faultOf(record, latestMs);
    return fault === null ? [] : [{ code: 'INVALID_ACTION', ...fault, line: 1, column: 1, index }];
  });
  yield;
  if (faults.length > 0)
    throw badRecords(CODE, faults.slice(0, LISTED), { wrong: faults.length, records: records.length });
  const marked: ReportedRecord[] = [];
  for (const record of records) {
    marked.push(mark(gateway, key, record));
    yield;
  }
  return marked;
}

function faultOf(
  { build }: ReportedBuild,
  latestMs: number,
): Pick<ListedFault, 'pointer' | 'reason' | 'remedy'> | null {
  const atMs = timeOfId(build.id);
  const field = (name: string, reason: string) => ({
    ...{ pointer: `/build/${name}`, reason: `/build/${name} ${reason}` },
    remedy: 'send records as the context builder made them, and leave this one out',
  });
  if (atMs === null || !build.id.startsWith('ctx_')) return field('id', 'is not the id of such a record');
  if (atMs > latestMs) return field('id', 'contains a time more than a day in the future');
  return Date.parse(build.builtAt) > latestMs ? field('builtAt', 'is more than a day in the future') : null;
}

function mark(gateway: Gateway, key: ApiKeyRecord, { build }: ReportedBuild): ReportedRecord {
  const { tenant } = key;
  mustSpeakFor(key, { agentId: build.agentId });
  const made: ContextBuilt = {
    event: 'context.built',
    reportedBy: { keyId: key.id },
    build: redactBuild(gateway, key, { ...build, tenant }),
  };
  const { id, agentId } = build;
  return { key: agentKey(tenant, agentId), id, event: made.event, value: JSON.stringify(made) };
}

function noList(): HttpProblem {
  return new HttpProblem(400, CODE, 'the body is not a list of records', {
    remedy: `Nothing was recorded. Send 1 to ${MAX_RECORDS} records in a list.`,
  });
}
