/**
 * Follows the control topic and applies its records to the state in memory (packages/control) until it is closed. It
 * starts at the first record, or from a snapshot. To write a change, a process appends a record and waits until it
 * has applied this record itself. So the writer learns the result by the same rule as every other reader. Any number
 * of processes may write.
 */

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Snapshots } from '@mandate/bus';
import {
  type Changed,
  controlDigest,
  type MandatesUnderControl,
  mandatesUnderControl,
  type OpenedTenant,
  type TenantControl,
} from '@mandate/control';
import { isMandateError, type Logger, MandateError, type Running, sharedByRequests } from '@mandate/runtime';
import {
  type ApiKeyRecord,
  type ControlRecord,
  readControlRecord,
  recordHeaders,
  TOPICS,
} from '@mandate/schemas';
import { changesIn, PARTITION, readFrom } from './control-changes.ts';
import { type PublishedManifests, publishedManifests } from './published-manifests.ts';
import { leaveSnapshots } from './snapshots/leave-snapshots.ts';
import { newestFold } from './snapshots/newest-fold.ts';

const LANE = ['control'];
const PASSED_MS = 10_000;
/**
 * How many recent results are kept for writers that wait for the result of their change. Fewer writes than this are
 * pending at any time.
 */
const RECENT = 10_000;

type Options = {
  bus: Bus;
  log: Logger;
  /** How long a writer waits for its own record to be read back. Default {@link PASSED_MS}. */
  passedMs?: number;
  /**
   * The store of snapshots to start from, so that fewer records must be read. Without a store, reading starts at the
   * first record of the log.
   */
  snapshots?: Snapshots;
  /**
   * A snapshot is written whenever this many records follow the newest snapshot. If absent, no snapshot is written.
   */
  leaveAfterRecords?: number;
};

export type FollowedControl = Required<Running> & {
  /** The number of records read so far. All answers of this object are from the state at this revision. */
  revision(): number;
  tenant(name: string): TenantControl;
  /** All tenants that were ever opened, by name. */
  readonly tenants: ReadonlyMap<string, OpenedTenant>;
  /**
   * The tenants that publish to their own topics now, or did so earlier. Records on these topics must still be
   * decided.
   */
  readonly withTopics: ReadonlySet<string>;
  /** The open tenants that publish to their own topics now. Their topics must exist. */
  directTenants(): string[];
  /**
   * The digest of the whole control state. It is the same in every process at the same revision. Takes as long as
   * writing a snapshot.
   */
  digest(): string;
  /** The mandates that are in force at the time of the call. */
  readonly mandates: MandatesUnderControl;
  /** The records of API keys of agents and people, by public id. The map changes as new records are read. */
  readonly apiKeys: Pick<ReadonlyMap<string, ApiKeyRecord>, 'get'>;
  /** The API keys of all tenants, except revoked keys. */
  allKeys(): Iterable<ApiKeyRecord>;
  /** The agent manifests that were published. */
  readonly manifests: PublishedManifests;
  /**
   * Writes a change and returns its result. This process has read the change by then, and other processes soon will.
   * If the id was used in one of the tenant's last 10,000 changes, the change is not applied again.
   *
   * @param before is called with the state of the tenant right before the change is applied
   * @throws MandateError CONTROL_UNKNOWN (retryable, with the same id) if the log did not answer in time
   */
  change(record: ControlRecord, before?: (control: TenantControl) => void): Promise<Changed>;
  /** Like `change`, for a large change that another thread has already checked. */
  changeAsWritten(written: WrittenChange, before?: (control: TenantControl) => void): Promise<Changed>;
};

/** The bytes of a control record, which `readControlRecord` accepts, with what identifies it. */
export type WrittenChange = Pick<ControlRecord['change'], 'id' | 'tenant'> & {
  event: ControlRecord['event'];
  value: Uint8Array;
};

/**
 * Resolves when all existing records of the topic are applied. `finished` rejects when the topic can no longer be
 * followed.
 */
export async function followControl({
  bus,
  log,
  passedMs = PASSED_MS,
  snapshots,
  leaveAfterRecords: afterRecords,
}: Options): Promise<FollowedControl> {
  const { fold, next } = await newestFold(bus, log, snapshots);
  const leaves = snapshots !== undefined && afterRecords !== undefined;
  const leaving = leaves ? leaveSnapshots({ bus, log, snapshots, afterRecords }) : null;
  const waiting = new Map<number, PromiseWithResolvers<Changed>>();
  const recent = new Map<number, Changed>();
  /** The callbacks of writers by change id. Two writers may send the same change. */
  const looking = new Map<string, Set<(control: TenantControl) => void>>();
  let revision = next;
  let isLate = true;
  let hasEnded = false;
  const mandates = mandatesUnderControl(fold, () => revision);

  const reader = await bus.read({
    ...readFrom(next),
    async onRecords(records) {
      for await (const { change, offset } of changesIn(records, LANE)) {
        revision = offset + 1;
        show(change.change);
        told(revision, fold.apply(change, revision));
      }
      if (!isLate) leaving?.reached(revision);
    },
  });
  const ended = () => {
    hasEnded = true;
  };
  reader.finished.then(ended, ended);

  function show({ id, tenant }: ControlRecord['change']): void {
    const looks = looking.get(id);
    looking.delete(id);
    for (const look of looks ?? []) {
      try {
        look(fold.tenant(tenant));
      } catch (err) {
        log.error({ err }, 'the effect of a change could not be reported');
      }
    }
  }

  function told(at: number, changed: Changed): void {
    waiting.get(at)?.resolve(changed);
    waiting.delete(at);
    recent.set(at, changed);
    const [oldest] = recent.keys();
    if (recent.size > RECENT && oldest !== undefined) recent.delete(oldest);
  }

  /** Returns the result of the record at a revision. If this process has not read the record yet, waits for it. */
  async function resultAt(at: number): Promise<Changed> {
    const known = recent.get(at);
    if (known !== undefined) return known;
    const passed = waiting.get(at) ?? Promise.withResolvers<Changed>();
    waiting.set(at, passed);
    const tooLate = new AbortController();
    const late = sleep(passedMs, null, { signal: tooLate.signal }).catch(() => null);
    const changed = await Promise.race([passed.promise, late]);
    tooLate.abort();
    if (changed !== null) return changed;
    waiting.delete(at);
    throw unknown('it is on the log, but was not read back in time');
  }

  async function change(...[record, before]: Parameters<FollowedControl['change']>): Promise<Changed> {
    const { id, tenant } = record.change;
    const value = Buffer.from(JSON.stringify(record));
    if (hasEnded) throw closed();
    // Throws if the record cannot be read. On the log, such a record would stop every reader permanently.
    readControlRecord(value);
    return changeAsWritten({ id, tenant, event: record.event, value }, before);
  }

  async function changeAsWritten(
    ...[{ id, tenant, event, value }, before]: Parameters<FollowedControl['changeAsWritten']>
  ): Promise<Changed> {
    const headers = recordHeaders({ id, event }, { source: 'control', traceparent: null });
    if (hasEnded) throw closed();
    const outgoing = { key: tenant, partition: PARTITION, value, headers };
    const looks = looking.get(id) ?? new Set();
    if (before !== undefined) looking.set(id, looks.add(before));
    try {
      const [acknowledged] = await bus.append(TOPICS.control, [outgoing]);
      return await resultAt((acknowledged?.position.offset ?? 0) + 1);
    } catch (error) {
      if (isMandateError(error) && error.retryable && error.code !== 'CONTROL_UNKNOWN')
        throw unknown('the log is away', error);
      throw error;
    } finally {
      if (before !== undefined) looks.delete(before);
      if (looks.size === 0 && looking.get(id) === looks) looking.delete(id);
    }
  }

  try {
    await reader.caughtUp;
  } catch (error) {
    await reader.stop();
    throw error;
  }
  isLate = false;
  leaving?.reached(revision);
  const digest = () => controlDigest(fold, createHash('sha256'));
  log.info(
    {
      topic: TOPICS.control,
      revision,
      fromRevision: next,
      ...(log.isLevelEnabled('debug') && { digest: digest() }),
    },
    'following the changes of agents, policies and rules',
  );
  return sharedByRequests<FollowedControl>({
    finished: reader.finished,
    async stop() {
      await Promise.all([reader.stop(), leaving?.stop()]);
    },
    revision: () => revision,
    tenant: (name) => fold.tenant(name),
    tenants: fold.opened,
    withTopics: fold.withTopics,
    directTenants: () =>
      [...fold.withTopics].filter((name) => {
        const { document, closedAt } = fold.opened.get(name) ?? {};
        return closedAt === null && document?.directTopic === true;
      }),
    digest,
    mandates,
    apiKeys: { get: fold.key },
    allKeys: fold.keys,
    manifests: publishedManifests(bus, (name) => fold.tenant(name)),
    change,
    changeAsWritten,
  });
}

function closed(): MandateError {
  return new MandateError('BUS_CLOSED', 'the changes of agents, policies and rules are no longer followed', {
    remedy: 'The process ends, and another process continues.',
  });
}

function unknown(why: string, cause?: unknown): MandateError {
  return new MandateError('CONTROL_UNKNOWN', `whether the change took effect is not known: ${why}`, {
    remedy: 'Send the same change again, with the same Idempotency-Key. It takes effect once.',
    retryable: true,
    cause,
  });
}
