import { type ControlFold, foldControl, manifestOfAgent } from '@mandate/control';
import type { PublishableManifest } from '@mandate/documents';
import { silentLogger } from '@mandate/runtime';
import { type ControlRecord, publishedManifest, wireTime } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { publishManifests } from './publish-manifests.ts';

const tenant = 'default';

function manifest(maxCostTotal = 1, namedAgents: readonly string[] = []): PublishableManifest {
  const published = publishedManifest.parse({
    ...{ id: 'team', hash: 'c'.repeat(64), text: '{}', options: '{}' },
    agents: [{ id: 'team' }],
    policies: [{ version: 1, id: 'team', maxCostTotal }],
    rules: [{ version: 1, id: 'team', policy: 'team', agents: ['team'] }],
  });
  return { path: 'team.yaml', text: '', files: {}, warnings: [], published, namedAgents };
}

/** A log that a test can change in between. `before` is called before each change is applied. */
function plane({ before = () => {} }: { before?: (put: (body: object) => void) => void } = {}) {
  const fold: ControlFold = foldControl();
  const records: ControlRecord[] = [];
  const put = (record: ControlRecord) => fold.apply(record, records.push(record));
  let byHand = 0;
  const putByHand = (body: object) => {
    byHand += 1;
    const change = { id: `hand-${byHand}`, tenant, by: 'ann', reason: '', at: wireTime(0) };
    put({ ...body, change } as ControlRecord);
  };
  const followed = {
    tenant: (name: string) => fold.tenant(name),
    async change(record: ControlRecord) {
      before(putByHand);
      return put(record);
    },
    manifests: {
      async find() {
        const record = records.findLast(({ event }) => event === 'manifest.published');
        return record?.event === 'manifest.published' ? { ...record.manifest, version: 0 } : null;
      },
      manifestOf: (name: string, id: string) => manifestOfAgent(fold.tenant(name).manifests, id),
    },
  };
  const publish = (...manifests: PublishableManifest[]) =>
    publishManifests(manifests, { followed, clock: () => 0, log: silentLogger() } as never);
  const versions = () => fold.tenant(tenant).manifests.get('team')?.versions.length ?? 0;
  return { fold, publish, putByHand, versions };
}

test('publishes a manifest, and not again while it is in force as its file says', async () => {
  const { publish, versions } = plane();
  await publish(manifest());
  await publish(manifest());
  expect(versions()).toBe(1);
  await publish(manifest(2));
  expect(versions()).toBe(2);
});

test('publishes a manifest again if a person changed one of its documents, or if its files differ', async () => {
  const { fold, publish, putByHand, versions } = plane();
  await publish(manifest());
  putByHand({ event: 'policy.published', policy: { version: 1, id: 'team', maxCostTotal: 99 } });
  await publish(manifest());
  expect(versions()).toBe(2);
  expect(fold.tenant(tenant).policies.get('team')?.versions.at(-1)?.document.maxCostTotal).toBe(1);
  const { published, ...rest } = manifest();
  await publish({ ...rest, published: { ...published, files: { 'a.py': 'pass' } } });
  expect(versions()).toBe(3);
});

test('compares again if another process was faster, and gives up if this happens again and again', async () => {
  let races = 2;
  const racing = plane({
    before(put) {
      if (races-- > 0) put({ event: 'manifest.published', manifest: manifest(5 + races).published });
    },
  });
  await racing.publish(manifest());
  expect(racing.versions()).toBe(3);
  let number = 10;
  const busy = plane({
    before(put) {
      number += 1;
      put({ event: 'manifest.published', manifest: manifest(number).published });
    },
  });
  await expect(busy.publish(manifest())).rejects.toMatchObject({ code: 'CONTROL_BUSY' });
});

test('refuses the start with the file and the reason, if a document of the manifest belongs to others', async () => {
  const { publish, putByHand } = plane();
  putByHand({ event: 'agent.put', agent: { id: 'team', groups: [], labels: {} } });
  await expect(publish(manifest())).rejects.toMatchObject({
    code: 'DOCUMENTS_REFUSED',
    message: 'the agent manifest team.yaml is refused: ID_TAKEN',
  });
});

test('publishes no graph recipe whose agents are not published', async () => {
  const { publish, versions } = plane();
  await expect(publish(manifest(1, ['desk.writer']))).rejects.toThrow(/names "desk\.writer"/);
  expect(versions()).toBe(0);
});
