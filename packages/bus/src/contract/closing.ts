import { expect, test } from 'vitest';
import { afterLast, expectFailure, gate, type Scene } from './scene.ts';

export function closing(scene: Scene): void {
  test('writes the records that were accepted before close, and fails every later call with BUS_CLOSED', async () => {
    const pending = scene.append(['k', 'last words']);
    await scene.bus.close();
    const [ack] = await pending;
    const other = await scene.another();
    expect(ack && (await other.at(ack.position))).not.toBeNull();

    const { bus, topic } = scene;
    await expectFailure(bus.append(topic, []), 'BUS_CLOSED');
    await expectFailure(
      scene.consume('g', async () => {}),
      'BUS_CLOSED',
    );
    await expectFailure(
      scene.read(() => {}),
      'BUS_CLOSED',
    );
    await expectFailure(bus.ranges(topic), 'BUS_CLOSED');
    await expectFailure(bus.positions('g'), 'BUS_CLOSED');
    await expectFailure(bus.at({ topic, partition: 0, offset: 0 }), 'BUS_CLOSED');
    await expectFailure(bus.ping(), 'BUS_CLOSED');
    await bus.close();
  });

  test('drains consumers and readers on close', async () => {
    await scene.append(['k', '0']);
    const started = gate();
    const { open, opened } = gate();
    let committed = false;
    const consumer = await scene.consume('g', async (batch) => {
      started.open();
      await opened;
      await batch.commit(afterLast(batch));
      committed = true;
    });
    const reader = await scene.read(() => {});
    await started.opened;
    const closed = scene.bus.close();
    open();
    await closed;
    expect(committed).toBe(true);
    await expect(consumer.finished).resolves.toBeUndefined();
    await expect(reader.finished).resolves.toBeUndefined();
  });

  test('fails the commit of a handler that takes longer than the drain', async () => {
    await scene.append(['k', '0']);
    const started = gate();
    const { open, opened } = gate();
    const { promise: refusal, resolve } = Promise.withResolvers<void>();
    const consumer = await scene.consume('g', async (batch) => {
      started.open();
      await opened;
      resolve(batch.commit(afterLast(batch)));
    });
    await started.opened;
    await consumer.stop(1);
    await scene.bus.close();
    open();
    await expectFailure(refusal, 'BUS_CLOSED');
    await expectFailure(consumer.lag(), 'BUS_CLOSED');
  });
}
