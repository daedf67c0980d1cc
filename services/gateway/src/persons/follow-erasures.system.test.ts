import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { type Bus, createSqliteBus } from '@mandate/bus';
import { type PersonKeys, personKeysAt } from '@mandate/privacy';
import { MandateError, type Running, silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { busWith, temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { followErasures } from './follow-erasures.ts';
import { forgetPerson } from './forget-person.ts';

const log = silentLogger();
const clock = () => Date.UTC(2026, 0, 5);
const onEdit = () => {};
const newPath = () => join(temporaryFolder(), 'person-keys');
const command = { id: 'ers_1', by: 'test (key)', reason: 'test' };

async function newBus(): Promise<Bus> {
  const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log });
  onTestFinished(() => bus.close());
  return bus;
}

/** Follows erasures as a gateway does, with its own key file. */
async function gatewayOn(
  bus: Bus,
  path: string,
  seals = true,
): Promise<{ keys: PersonKeys; following: Running; stop(): Promise<void> }> {
  const keys = personKeysAt(path);
  const following = await followErasures({ bus, keys, seals: () => seals, onEdit, log, clock });
  following.finished.catch(() => {});
  onTestFinished(() => following.stop());
  return { keys, following, stop: following.stop };
}

const isErased = (keys: PersonKeys, person: string) => keys.find('acme', person).erased;
const forget = (bus: Bus, keys: PersonKeys, person: string) =>
  forgetPerson(
    { bus, personKeys: keys, clock, log },
    { tenant: 'acme', ref: keys.find('acme', person).ref },
    command,
    null,
  );

/** Makes the state after a crash between the event and the change of the key file. */
const forgetOnLogAlone = (bus: Bus, keys: PersonKeys, person: string) =>
  forget(bus, { ...keys, erase: async () => {} }, person);

async function isErasedInFile(path: string, person: string): Promise<boolean> {
  const keys = personKeysAt(path);
  await keys.open();
  return isErased(keys, person);
}

const appendText = (bus: Bus, value: string) =>
  bus.append(TOPICS.persons, [{ key: null, partition: 0, value }]);

async function recordsOn(bus: Bus): Promise<number> {
  const ranges = await bus.ranges(TOPICS.persons);
  return ranges.reduce((sum, { endOffset }) => sum + endOffset, 0);
}

test('forgets a person at once at the gateway of the request, and at other gateways when they read the event', async () => {
  const [bus, path, otherPath] = [await newBus(), newPath(), newPath()];
  const { keys } = await gatewayOn(bus, path);
  await fs.copyFile(path, otherPath);
  await fs.chmod(otherPath, 0o600);
  const other = await gatewayOn(bus, otherPath);
  await forget(bus, keys, 'mia');
  expect(isErased(keys, 'mia')).toBe(true);
  expect(await isErasedInFile(path, 'mia')).toBe(true);
  await waitUntil('the other gateway forgot too', () => isErased(other.keys, 'mia'));
  await waitUntil('so did its file', () => isErasedInFile(otherPath, 'mia'));
  expect(isErased(other.keys, 'ben')).toBe(false);
});

test('a gateway that was down, or has a key file from a backup, forgets before it is ready', async () => {
  const [bus, path] = [await newBus(), newPath()];
  const first = await gatewayOn(bus, path);
  const backup = await fs.readFile(path);
  await forget(bus, first.keys, 'mia');
  await forgetOnLogAlone(bus, first.keys, 'ben');
  await first.stop();
  await fs.writeFile(path, backup);
  expect(await isErasedInFile(path, 'mia')).toBe(false);
  const { keys } = await gatewayOn(bus, path);
  expect([isErased(keys, 'mia'), isErased(keys, 'ben'), isErased(keys, 'kim')]).toEqual([true, true, false]);
  expect([await isErasedInFile(path, 'mia'), await isErasedInFile(path, 'ben')]).toEqual([true, true]);
});

test('a gateway that cannot change its key file is not ready until it can', async () => {
  const [bus, path] = [await newBus(), newPath()];
  const first = await gatewayOn(bus, path);
  await first.stop();
  await forgetOnLogAlone(bus, first.keys, 'mia');
  const keys = personKeysAt(path);
  let [tries, isFull] = [0, true];
  const erase: PersonKeys['erase'] = async (erasures) => {
    tries += 1;
    if (isFull) throw new Error('no space left on device');
    await keys.erase(erasures);
  };
  let isReady = false;
  const failing = { ...keys, erase };
  const starting = followErasures({ bus, keys: failing, seals: () => true, onEdit, log, clock }).then(
    (started) => {
      isReady = true;
      return started;
    },
  );
  await waitUntil('it has tried again', () => tries > 1);
  expect(isReady).toBe(false);
  isFull = false;
  const following = await starting;
  onTestFinished(() => following.stop());
  expect(await isErasedInFile(path, 'mia')).toBe(true);
});

test('forgets no person if the log does not accept the event', async () => {
  const [bus, path] = [await newBus(), newPath()];
  const { keys } = await gatewayOn(bus, path);
  const away = busWith(bus, {
    append: async () => {
      throw new MandateError('BUS_UNAVAILABLE', 'away', { remedy: 'wait', retryable: true });
    },
  });
  await expect(forget(away, keys, 'mia')).rejects.toMatchObject({ status: 503, code: 'ERASURE_NOT_ON_LOG' });
  expect(isErased(keys, 'mia')).toBe(false);
  expect(await isErasedInFile(path, 'mia')).toBe(false);
});

test('a gateway without its key file does not start on a sealed log, and makes no new file', async () => {
  const [bus, path] = [await newBus(), newPath()];
  const { stop } = await gatewayOn(bus, path);
  await stop();
  await fs.rm(path);
  await expect(gatewayOn(bus, path)).rejects.toMatchObject({ code: 'PERSON_KEYS_MISSING' });
  expect(await fs.readdir(join(path, '..'))).not.toContain('person-keys');
});

test('if several gateways start at once, each with its own key file, only one starts', async () => {
  const bus = await newBus();
  const paths = [newPath(), newPath(), newPath()];
  const started = await Promise.allSettled(paths.map((path) => gatewayOn(bus, path)));
  const refused = started.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  expect(refused).toHaveLength(2);
  for (const code of refused) expect(code).toMatch(/^PERSON_KEYS_(DIFFER|MISSING)$/);
  const later = await Promise.allSettled(paths.map((path) => gatewayOn(bus, path)));
  expect(later.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
});

test('gateways that start at once in one folder share the key file', async () => {
  const [bus, path] = [await newBus(), newPath()];
  const gateways = await Promise.all([1, 2, 3].map(() => gatewayOn(bus, path)));
  expect(new Set(gateways.map(({ keys }) => keys.id())).size).toBe(1);
});

test('counts events that it read while another gateway of the folder made the key file', async () => {
  const [bus, path] = [await newBus(), newPath()];
  const keys = personKeysAt(path);
  let hasReadOn = false;
  const watched = busWith(bus, {
    read: (options) =>
      bus.read({
        ...options,
        onRecords: async (records) => {
          await options.onRecords(records);
          hasReadOn = true;
        },
      }),
  });
  const make = async () => {
    const faster = await gatewayOn(bus, path);
    const made = await fs.readFile(path);
    await forget(bus, faster.keys, 'mia');
    await waitUntil('the slower one has read it', () => hasReadOn);
    await fs.writeFile(path, made);
    await keys.make();
  };
  const following = await followErasures({
    bus: watched,
    keys: { ...keys, make },
    seals: () => true,
    onEdit,
    log,
    clock,
  });
  onTestFinished(() => following.stop());
  expect(isErased(keys, 'mia')).toBe(true);
  expect(await isErasedInFile(path, 'mia')).toBe(true);
});

test('ends at an event that this version does not know, because the event may forget a person', async () => {
  const [bus, path] = [await newBus(), newPath()];
  const { following, stop } = await gatewayOn(bus, path);
  await appendText(bus, '{"event":"person.erased.twice"}');
  await expect(following.finished).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
  await stop();
  await expect(gatewayOn(bus, path)).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
});

test('ignores erasures with other keys, and records that are no events', async () => {
  const [bus, path] = [await newBus(), newPath()];
  const { keys } = await gatewayOn(bus, path);
  const stranger = personKeysAt(newPath());
  await stranger.make();
  await forgetOnLogAlone(bus, stranger, 'mia');
  for (const text of ['no JSON', '{"__proto__":{}}', '[]', 'null', '']) await appendText(bus, text);
  await forgetOnLogAlone(bus, keys, 'ben');
  await waitUntil('it has read past them', () => isErased(keys, 'ben'));
  expect(isErased(keys, 'mia')).toBe(false);
});

/** Starts a gateway with a privacy document that seals nothing until the test edits the document. */
async function editedOn(bus: Bus, path: string, openingMs?: number) {
  const keys = personKeysAt(path);
  let isSealing = false;
  let tellOfEdit = () => {};
  const following = await followErasures({
    bus,
    keys,
    seals: () => isSealing,
    onEdit: (listener) => {
      tellOfEdit = listener;
    },
    log,
    clock,
    ...(openingMs !== undefined && { openingMs }),
  });
  following.finished.catch(() => {});
  onTestFinished(() => following.stop());
  const seal = () => {
    isSealing = true;
  };
  return { keys, following, seal, tellOfEdit: () => tellOfEdit() };
}

test('opens the key file and the topic only after the privacy document was edited so that it seals a field', async () => {
  const [bus, path] = [await newBus(), newPath()];
  let isRead = false;
  const watched = busWith(bus, {
    read: (options) => {
      isRead = true;
      return bus.read(options);
    },
  });
  const { keys, following, seal, tellOfEdit } = await editedOn(watched, path);
  tellOfEdit();
  await following.untilSealable();
  expect([keys.id(), isRead, await fs.readdir(join(path, '..'))]).toEqual([null, false, []]);
  seal();
  tellOfEdit();
  await waitUntil('the keys are open before anybody asks', () => keys.id());
  expect(isRead).toBe(true);
});

test('a request right after the edit waits until the keys are open and every person on the log is forgotten', async () => {
  const [bus, path] = [await newBus(), newPath()];
  const { keys, following, seal } = await editedOn(bus, path);
  const elsewhere = await gatewayOn(bus, path);
  const made = await fs.readFile(path);
  await forget(bus, elsewhere.keys, 'mia');
  await elsewhere.stop();
  await fs.writeFile(path, made);
  seal();
  await Promise.all([following.untilSealable(), following.untilSealable()]);
  expect([isErased(keys, 'mia'), isErased(keys, 'ben')]).toEqual([true, false]);
});

test('a request waits a limited time until the keys are open; if opening them fails, the gateway ends', async () => {
  const [bus, path] = [await newBus(), newPath()];
  const opening = Promise.withResolvers<never>();
  const away = busWith(bus, { read: () => opening.promise });
  const { following, seal } = await editedOn(away, path, 1);
  seal();
  await expect(following.untilSealable()).rejects.toMatchObject({ code: 'PERSON_KEYS_NOT_READY' });
  opening.reject(new Error('the log is away'));
  await expect(following.finished).rejects.toThrow('the log is away');
});

test('records once on the log which keys seal the log', async () => {
  const [bus, path] = [await newBus(), newPath()];
  const first = await gatewayOn(bus, path);
  await first.stop();
  await gatewayOn(bus, path);
  expect(await recordsOn(bus)).toBe(1);
});
