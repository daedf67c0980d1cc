/**
 * Applies every erasure on the log to the key file of this gateway: all earlier erasures before the gateway is ready,
 * and later erasures as they come. An erasure can be applied twice and in any order, so no log position is stored. A
 * gateway always reads from the start of the topic. So a key file from a backup loses the erased keys again.
 *
 * The first record of the topic says which keys seal this log. A gateway with other keys does not start, because no
 * other gateway could read the data that it seals. A gateway that has lost its key file does not start either.
 *
 * If nothing is or was sealed, topic and file are not needed. They are opened when an edit of the privacy document
 * seals something. Requests to publish then wait until the file is open and the topic is read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, type LogRecord, type Reader, recordUnreadable } from '@mandate/bus';
import { type PersonKeys, personKeysNotReady } from '@mandate/privacy';
import { type Clock, type Logger, MandateError, type Running } from '@mandate/runtime';
import {
  type PersonErasure,
  type PersonsRecord,
  readPersonsRecord,
  recordHeaders,
  TOPICS,
  wireTime,
} from '@mandate/schemas';

/** All records of the topic are in this partition, even if the topic has more partitions. */
export const PERSONS_PARTITION = 0;

const TRY_AGAIN_MS = 500;

/**
 * How long a request waits for the key file and the topic. They usually open faster than this, and callers usually
 * wait longer.
 */
const OPENING_MS = 10_000;

type Options = {
  bus: Bus;
  keys: PersonKeys;
  /** True if the privacy document in force seals anything. */
  seals(): boolean;
  /** Calls the listener when the result of `seals` may have changed. */
  onEdit(listener: () => void): void;
  /** How long a request to publish waits for the keys. Default {@link OPENING_MS}. */
  openingMs?: number;
  log: Logger;
  clock: Clock;
};

export type FollowedErasures = Required<Running> & {
  /**
   * Resolves at once if nothing is sealed. Otherwise resolves once the keys are open, and the keys of every person
   * that the log forgets are erased.
   *
   * @throws MandateError PERSON_KEYS_NOT_READY (retryable) in bounded time
   */
  untilSealable(): Promise<void>;
};

/**
 * Resolves once every erasure on the log is applied to the key file. `finished` rejects if the topic can no longer be
 * followed.
 */
export async function followErasures(options: Options): Promise<FollowedErasures> {
  const { keys, seals, onEdit, openingMs = OPENING_MS } = options;
  const stopping = new AbortController();
  const ended = Promise.withResolvers<void>();
  let reader: Promise<Reader> | null = null;
  let begun: Promise<void> | null = null;
  let isBegun = false;

  const open = async () => {
    reader = follow(options, stopping.signal);
    const { finished } = await reader;
    isBegun = true;
    finished.then(ended.resolve, ended.reject);
  };
  const begin = () => {
    begun ??= open();
    return begun;
  };
  const beginLater = async () => {
    if (!isBegun && seals()) await begin().catch(ended.reject);
  };
  if ((await keys.open()) || seals()) await begin();
  onEdit(beginLater);
  return {
    finished: ended.promise,
    async untilSealable() {
      if (isBegun || !seals()) return;
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, openingMs);
      await Promise.race([beginLater(), late.promise]);
      clearTimeout(timer);
      if (!isBegun) throw personKeysNotReady();
    },
    async stop() {
      stopping.abort();
      await (await reader?.catch(() => null))?.stop();
      ended.resolve();
    },
  };
}

async function follow({ bus, keys, log, clock }: Options, signal: AbortSignal): Promise<Reader> {
  const begun = Promise.withResolvers<string>();
  let isBegun = false;
  /**
   * Records that were read before the keys were open. They are applied later, because another gateway of this folder
   * may be making the key file.
   */
  let early: PersonsRecord[] = [];

  const fold = async (records: readonly PersonsRecord[]) => {
    const own = records.filter((record) => keysIdOf(record) === keys.id());
    if (own.length < records.length) log.error(OF_OTHER_KEYS);
    const erasures = own.flatMap((record) => (record.event === 'person.erased' ? [record.erasure] : []));
    await untilErased(keys, erasures, { log, signal });
  };
  const reader = await bus.read({
    topics: [TOPICS.persons],
    from: 'earliest',
    async onRecords(records) {
      const read = records.flatMap((record) => readRecord(record, log) ?? []);
      const [first] = read;
      if (first === undefined) return;
      isBegun = true;
      begun.resolve(keysIdOf(first));
      if (keys.id() === null) early.push(...read);
      else await fold(read);
    },
  });
  const ended = reader.finished.then(() => {
    throw new MandateError('BUS_CLOSED', 'the persons topic is no longer followed', {
      remedy: 'The process ends, and another process continues.',
    });
  });
  try {
    await Promise.race([reader.caughtUp, ended]);
    // If another gateway of this folder made the key file after the first check, it is opened now.
    if (isBegun && !(await keys.open())) throw missing(await begun.promise);
    await keys.make();
    await fold(early);
    early = [];
    const id = keys.id() ?? '';
    if (!isBegun) await append(bus, id, clock());
    // Several gateways may begin at once and each append a record. The first record on the log counts.
    const inForce = await Promise.race([begun.promise, ended]);
    if (inForce !== id) throw otherKeys(id, inForce);
    return reader;
  } catch (error) {
    await reader.stop();
    throw error;
  }
}

/**
 * Erases keys. An erased key is removed from memory at once, so no request can use it. Writing the file is retried
 * until it succeeds.
 */
async function untilErased(
  keys: PersonKeys,
  erasures: readonly PersonErasure[],
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<void> {
  const gone = erasures.map(({ tenant, ref }) => ({ tenant, index: indexIn(ref) }));
  while (gone.length > 0 && !signal.aborted) {
    try {
      return await keys.erase(gone);
    } catch (err) {
      log.error({ err }, 'the keys of erased persons are still in the key file; trying again');
      await sleep(TRY_AGAIN_MS, undefined, { signal }).catch(() => {});
    }
  }
}

/**
 * Parses a record. A record that is not an event does not come from a gateway, and is ignored. An event that this
 * version does not know may forget a person. So it ends the gateway before anything more is sealed.
 */
function readRecord({ position, value }: LogRecord, log: Logger): PersonsRecord | null {
  if (position.partition !== PERSONS_PARTITION) return null;
  try {
    return readPersonsRecord(value);
  } catch (err) {
    if (isEvent(value)) throw recordUnreadable(position, err);
    log.error({ err, ...position }, 'a record of the persons topic is no event, and is ignored');
    return null;
  }
}

function isEvent(value: Uint8Array): boolean {
  try {
    const json: unknown = JSON.parse(Buffer.from(value).toString());
    return typeof json === 'object' && json !== null && 'event' in json;
  } catch {
    return false;
  }
}

function keysIdOf(record: PersonsRecord): string {
  return record.event === 'persons.begun' ? record.begun.keysId : (record.erasure.ref.split(':')[2] ?? '');
}

/** Returns the index of the person's key in the key file. */
export function indexIn(ref: string): string {
  return ref.split(':')[3] ?? '';
}

async function append(bus: Bus, keysId: string, atMs: number): Promise<void> {
  const record: PersonsRecord = { event: 'persons.begun', begun: { keysId, at: wireTime(atMs) } };
  const headers = recordHeaders(
    { id: `begun_${keysId}`, event: record.event },
    { source: 'gateway', traceparent: null },
  );
  const value = JSON.stringify(record);
  await bus.append(TOPICS.persons, [{ key: null, partition: PERSONS_PARTITION, value, headers }]);
}

const OF_OTHER_KEYS =
  'the log has an erasure of other keys of persons than those here: another gateway has another key file';

function missing(keysId: string): MandateError {
  return new MandateError(
    'PERSON_KEYS_MISSING',
    `this log is sealed with the keys of persons ${keysId}, and the data folder holds none`,
    {
      remedy:
        'Put the file person-keys there, from another gateway or from a backup. The gateway erases the keys of forgotten persons in it again.',
    },
  );
}

function otherKeys(mine: string, inForce: string): MandateError {
  return new MandateError(
    'PERSON_KEYS_DIFFER',
    `this log is sealed with the keys of persons ${inForce}, and those in the data folder are ${mine}`,
    {
      remedy:
        'Every gateway of a log needs the same file person-keys. Replace this file by the one of the other gateways.',
    },
  );
}
