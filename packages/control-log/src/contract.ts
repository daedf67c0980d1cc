/** Tests that every log must pass: following and changing the control topic. */
import type { Bus } from '@mandate/bus';
import { MandateError, silentLogger } from '@mandate/runtime';
import { CAPS, type ControlRecord, controlRecord, controlRecordFault, TOPICS } from '@mandate/schemas';
import { busWith } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type FollowedControl, followControl } from './index.ts';

let changes = 0;

/**
 * Returns a change that publishes a version of the policy `p`. Each call passes another limit `most`, so that the
 * versions differ.
 */
function publish(
  tenant: string,
  most: number,
  fields: { expects?: number; id?: string } = {},
): ControlRecord {
  changes += 1;
  const at = '2026-03-01T12:00:00.000Z';
  return controlRecord.parse({
    event: 'policy.published',
    change: { id: `chg-${changes}`, tenant, by: 'ann', reason: '', at, ...fields },
    policy: { version: 1, id: 'p', maxCostTotal: most },
  });
}

/** Returns a change that publishes a manifest without any document but its agent. */
function manifest(id: string, fields: { hash: string; text: string }): ControlRecord {
  const { change } = publish('own', 1);
  const documents = { agents: [{ id }], policies: [], rules: [] };
  return controlRecord.parse({
    event: 'manifest.published',
    change,
    manifest: { id, options: '{}', ...documents, ...fields },
  });
}

export function controlLogContract(open: () => Promise<Bus>): void {
  async function follow(bus: Bus): Promise<FollowedControl> {
    const control = await followControl({ bus, log: silentLogger() });
    onTestFinished(() => control.stop());
    return control;
  }

  /**
   * Returns the state of a tenant, as this follower of the control topic knows it. Tests compare it with the state of
   * other followers.
   */
  function told(control: FollowedControl, tenant: string) {
    return structuredClone({ ...control.tenant(tenant) });
  }

  const versions = (control: FollowedControl, tenant: string) =>
    control.tenant(tenant).policies.get('p')?.versions ?? [];

  test('shows a change to its writer at once, and gives later readers the same state', async () => {
    const bus = await open();
    const control = await follow(bus);
    const changed = await control.change(publish('own', 1));
    expect(changed).toEqual({ ok: true, revision: control.revision() });
    expect(versions(control, 'own')).toMatchObject([{ document: { maxCostTotal: 1 } }]);
    expect(told(await follow(bus), 'own')).toEqual(told(control, 'own'));
  });

  test('shows the writer of a change the state right before it, at its log position', async () => {
    const bus = await open();
    const [control, other] = [await follow(bus), await follow(bus)];
    const seen: (number | undefined)[][] = [];
    const look = () => seen.push(versions(control, 'seen').map(({ document }) => document.maxCostTotal));
    await other.change(publish('seen', 1));
    const once = publish('seen', 2);
    await control.change(once, look);
    await control.change(once, look);
    expect(seen).toEqual([[1], [1, 2]]);
    await control.change(publish('seen', 3), () => {
      throw new Error('whoever looks ends nothing');
    });
    expect(versions(control, 'seen')).toHaveLength(3);
  });

  test('applies a change once if it was written twice', async () => {
    const control = await follow(await open());
    const once = publish('twice', 1);
    const first = await control.change(once);
    expect(await control.change(once)).toEqual(first);
    expect(versions(control, 'twice')).toHaveLength(1);
  });

  test('informs each writer that loses a race, keeps the changes of the winners, and keeps all readers equal', async () => {
    const bus = await open();
    const instances = [await follow(bus), await follow(bus)];
    const won: number[] = [];
    let lost = 0;
    const race = async (control: FollowedControl, from: number) => {
      for (let number = 0; number < 50; number += 1) {
        const expects = control.tenant('race').policies.get('p')?.revision ?? 0;
        const most = from + number;
        const changed = await control.change(publish('race', most, { expects }));
        if (changed.ok) won.push(most);
        else {
          lost += 1;
          expect(changed.refusal).toBe('REVISION_CONFLICT');
          expect(changed.revision).toBeGreaterThan(expects);
        }
      }
    };
    // 20 writers make 50 changes each: 1,000 writes.
    await Promise.all(
      Array.from({ length: 20 }, (_, writer) => race(instances[writer % 2] as never, writer * 50)),
    );
    const later = await follow(bus);
    expect(won.length + lost).toBe(1_000);
    expect(lost).toBeGreaterThan(0);
    const there = versions(later, 'race').map(({ document }) => document.maxCostTotal ?? -1);
    expect(there.toSorted((one, other) => one - other)).toEqual(won.toSorted((one, other) => one - other));
    for (const control of instances) expect(told(control, 'race')).toEqual(told(later, 'race'));
  });

  test('reports an unknown result if the log does not answer, and applies a repeated change once', async () => {
    const bus = await open();
    let isLost = true;
    const losing = busWith(bus, {
      async append(topic, records) {
        const acknowledged = await bus.append(topic, records);
        if (!isLost) return acknowledged;
        throw new MandateError('BUS_UNAVAILABLE', 'the answer was lost', { remedy: '', retryable: true });
      },
    });
    const control = await follow(losing);
    const record = publish('lost', 1);
    await expect(control.change(record)).rejects.toMatchObject({ code: 'CONTROL_UNKNOWN', retryable: true });
    isLost = false;
    expect(await control.change(record)).toMatchObject({ ok: true });
    expect(versions(control, 'lost')).toHaveLength(1);
  });

  test('refuses to write a record that no reader could read', async () => {
    const control = await follow(await open());
    const nested = Array.from({ length: 200 }).reduce<object>((inner) => ({ not: [inner] }), { any: [] });
    const { change } = publish('deep', 1);
    const rule = { version: 1, id: 'r', policy: 'p', when: nested };
    await expect(control.change({ event: 'rule.put', change, rule } as never)).rejects.toThrow('too deep');
    expect(await control.change(publish('deep', 2))).toMatchObject({ ok: true });
  });

  test('knows which tenants have or had topics of their own', async () => {
    const bus = await open();
    const control = await follow(bus);
    const put = (id: string, directTopic: boolean) => {
      const { change } = publish(id, 1);
      return control.change({ event: 'tenant.put', change, tenant: { version: 1, id, directTopic } });
    };
    await put('one', true);
    await put('other', false);
    expect([...control.withTopics]).toEqual(['one']);
    await put('other', true);
    await put('one', false);
    for (const each of [control, await follow(bus)]) {
      expect([...each.withTopics]).toEqual(['one', 'other']);
      expect([...each.tenants.keys()]).toEqual(['one', 'other']);
      expect(each.directTenants()).toEqual(['other']);
    }
  });

  test('finds each version of a manifest on the log, by number or hash, also after the manifest was removed', async () => {
    const bus = await open();
    const control = await follow(bus);
    const put = (name: string, number: number) =>
      control.change(manifest('team', { hash: `${number}`.repeat(64), text: JSON.stringify({ name }) }));
    await put('one', 1);
    await put('two', 2);
    const first = { id: 'team', version: 1, hash: '1'.repeat(64), text: '{"name":"one"}', by: 'ann' };
    for (const each of [control, await follow(bus)]) {
      const { manifests } = each;
      expect(await manifests.find('own', 'team')).toMatchObject({ version: 2, text: '{"name":"two"}' });
      expect(await manifests.findVersion('own', 'team', 1)).toMatchObject(first);
      expect(await manifests.findVersion('own', 'team', '1'.repeat(64))).toMatchObject(first);
      expect(await manifests.findVersion('own', 'team', 3)).toBe(null);
      expect(await manifests.findVersion('own', 'team', '3'.repeat(64))).toBe(null);
      expect(await manifests.find('other', 'team')).toBe(null);
      expect(await manifests.findVersion('other', 'team', 1)).toBe(null);
    }
    await put('one', 1);
    expect(await control.manifests.findVersion('own', 'team', '1'.repeat(64))).toMatchObject({ version: 3 });
    const { change } = publish('own', 1);
    await control.change({ event: 'manifest.removed', change, manifestId: 'team', forced: false });
    expect(await control.manifests.find('own', 'team')).toBe(null);
    expect(await control.manifests.findVersion('own', 'team', 1)).toMatchObject(first);
  });

  test('accepts a manifest of the largest allowed size', async () => {
    const bus = await open();
    const control = await follow(bus);
    const fields = (units: number) => ({ hash: 'c'.repeat(64), text: JSON.stringify('x'.repeat(units)) });
    const least = JSON.stringify(manifest('large', fields(0))).length;
    const record = manifest('large', fields(CAPS.manifestChangeBytes - least - 20));
    expect(controlRecordFault(record)).toBe(null);
    expect(await control.change(record)).toMatchObject({ ok: true });
    const { text = '' } = (await (await follow(bus)).manifests.find('own', 'large')) ?? {};
    expect(text.length).toBeGreaterThan(1_900_000);
  });

  test('applies a change that was written as bytes', async () => {
    const control = await follow(await open());
    const record = publish('bytes', 1);
    const { event, change } = record;
    const value = Buffer.from(JSON.stringify(record));
    const written = { id: change.id, tenant: change.tenant, event, value };
    expect(await control.changeAsWritten(written)).toEqual({ ok: true, revision: control.revision() });
    expect(versions(control, 'bytes')).toHaveLength(1);
  });

  test('refuses changes after it stopped following', async () => {
    const control = await follow(await open());
    await control.stop();
    await expect(control.change(publish('late', 1))).rejects.toMatchObject({ code: 'BUS_CLOSED' });
  });

  test('stops at a record that it cannot read', async () => {
    const bus = await open();
    const control = await follow(bus);
    const ended = expect(control.finished).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
    const strange = { ...publish('strange', 1), policy: { version: 1, id: 'p', aBoundOfTomorrow: 1 } };
    await bus.append(TOPICS.control, [{ key: 'strange', partition: 0, value: JSON.stringify(strange) }]);
    await ended;
    await expect(followControl({ bus, log: silentLogger() })).rejects.toMatchObject({
      code: 'LOG_UNREADABLE',
    });
  });
}
