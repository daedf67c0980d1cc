/** Carries out a change: from the request to the result on the log. */
import { createHash, randomBytes } from 'node:crypto';
import { type ControlChange, controlWidening } from '@mandate/control/lint';
import type { WrittenChange } from '@mandate/control-log';
import { type ControlRecord, controlRecordFault, sortableId, wireTime } from '@mandate/schemas';
import { callerOf, type HttpReply, type HttpRequest, idempotencyKeyOf } from '@mandate/server';
import type { Control } from '../control.ts';
import { changeTooLarge } from './change-too-large.ts';
import { createsOnly, etagOf, expectedRevision } from './expected-revision.ts';
import { refusedChange } from './refused-change.ts';

export type Asked = HttpRequest<{ Querystring: { reason?: string | undefined; dryRun: boolean } }>;

/**
 * `expects`: the expected revision, instead of the revision in the headers. `part` names one of several changes that a
 * request makes. `tenant`: the tenant to change; default: the caller's.
 */
export type ChangeOptions = { expects?: number; part?: string; tenant?: string };

export type CarriedOut = {
  /** The revision of the change. All readers in this process already see the change. */
  revision: number;
  /** The new permissions of the change, one line each. Null if an earlier request made this change. */
  widens: string[] | null;
};

/**
 * Writes the change. If there is a reply, sets its ETag to the revision of the changed document.
 *
 * @throws HttpProblem 409 with the current `revision`, if the change did not take effect
 */
export async function carryOut(
  control: Control,
  request: Asked,
  reply: HttpReply | null,
  what: ControlChange,
  options: ChangeOptions = {},
): Promise<CarriedOut> {
  // Otherwise a route without an answer for dry runs would make the change.
  if (request.query.dryRun) throw new TypeError(`${what.event} would be carried out in a dry run`);
  const record = recordOf(control, request, what, options);
  const before = { revision: 0, widens: [] as readonly string[] };
  const changed = await control.followed.change(record, (tenant) => {
    before.revision = tenant.revision;
    before.widens = controlWidening(tenant, what, control.clock());
  });
  if (!changed.ok) throw refusedChange(changed, record, control.followed.tenant(record.change.tenant));
  const { revision } = changed;
  reply?.header('etag', etagOf(revision));
  return { revision, widens: revision > before.revision ? [...before.widens] : null };
}

/** Returns the record of the change. Throws if the log cannot hold it, or if the expected revision is not valid. */
export function recordOf(
  control: Control,
  request: Asked,
  what: ControlChange,
  options: ChangeOptions,
): ControlRecord {
  const asked = expectedRevision(request);
  if (asked !== undefined && options.expects !== undefined && asked !== options.expects) throw createsOnly();
  const expects = options.expects ?? asked;
  const record = { ...what, change: changeOf(control, request, { ...options, expects }) } as ControlRecord;
  mustStandOnLog(record);
  return record;
}

/**
 * Writes a change that the control thread has prepared. Sets the ETag of the reply to the revision of the document.
 *
 * @returns the revision of the change, and whether an earlier request made it
 * @throws HttpProblem 409, if the change did not take effect
 */
export async function carryOutWritten(
  { followed }: Control,
  reply: HttpReply,
  written: WrittenChange & { expects: number | undefined },
): Promise<{ revision: number; isRepeat: boolean }> {
  const { event, tenant, expects } = written;
  if (event !== 'manifest.published') throw new TypeError(`${event} is carried out as an object`);
  let before = 0;
  const changed = await followed.changeAsWritten(written, ({ revision }) => {
    before = revision;
  });
  const change = { tenant, ...(expects !== undefined && { expects }) };
  if (!changed.ok) throw refusedChange(changed, { event, change }, followed.tenant(tenant));
  reply.header('etag', etagOf(changed.revision));
  return { revision: changed.revision, isRepeat: changed.revision <= before };
}

/**
 * Returns the change id of a request with an Idempotency-Key. The id is computed from the key. So a repeated request
 * is the same change, and the change takes effect once. Null if the request has no such key.
 */
export function repeatableId(request: Asked, part = ''): string | null {
  const key = idempotencyKeyOf(request);
  return key === null ? null : `chg_${digest([callerOf(request).tenant, key, part])}`;
}

/** Returns who makes the change, when and why. */
export function changeOf(
  { clock, redactText }: Control,
  request: Asked,
  { expects, part, tenant }: { expects: number | undefined; part?: string; tenant?: string },
): ControlRecord['change'] {
  const { id: keyId, name, tenant: own } = callerOf(request);
  const atMs = clock();
  return {
    id: repeatableId(request, part) ?? sortableId('chg', atMs, randomBytes(10).toString('hex')),
    tenant: tenant ?? own,
    by: `${name} (${keyId})`,
    reason: redactText(request.query.reason ?? ''),
    at: wireTime(atMs),
    ...(expects !== undefined && { expects }),
  };
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}

function mustStandOnLog(record: ControlRecord): void {
  const fault = controlRecordFault(record);
  if (fault === null) return;
  throw changeTooLarge(
    fault,
    'Make the document smaller. A policy can be split into several, each with a rule of its own.',
  );
}
