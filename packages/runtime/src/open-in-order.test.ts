import { expect, test } from 'vitest';
import { openInOrder } from './open-in-order.ts';

test('closes the opened parts in reverse order, and each only once', async () => {
  const closed: string[] = [];
  const whole = await openInOrder(async ({ closing, running }) => {
    const first = closing('first', (name) => closed.push(name));
    running({ stop: async () => void closed.push('second') });
    return { first };
  });
  expect({ first: whole.first, closed }).toEqual({ first: 'first', closed: [] });
  await whole.stop();
  await whole.stop();
  expect(closed).toEqual(['second', 'first']);
});

test('closes the opened parts if a later part does not open', async () => {
  const closed: string[] = [];
  const opening = openInOrder(async ({ closing }) => {
    closing('first', async (name) => void closed.push(name));
    throw new Error('the second does not open');
  });
  await expect(opening).rejects.toThrow('the second does not open');
  expect(closed).toEqual(['first']);
});

test('closes every part, also if parts fail to close, and throws their errors', async () => {
  const closed: string[] = [];
  const failing = (name: string) => () => {
    closed.push(name);
    throw new Error(`${name} stays open.`);
  };
  const open = (more: () => void) =>
    openInOrder(async ({ closing }) => {
      closing(1, () => closed.push('first'));
      closing(2, failing('second'));
      more();
      return closing({}, failing('third'));
    });
  const whole = await open(() => {});
  await expect(whole.stop()).rejects.toThrow('third stays open. Then: second stays open.');
  expect(closed).toEqual(['third', 'second', 'first']);
  const opening = open(() => {
    throw new Error('the third does not open.');
  });
  await expect(opening).rejects.toThrow('the third does not open. Then: second stays open.');
});

test('fails when one part fails, even while other parts are being opened', async () => {
  const whole = await openInOrder(async ({ running }) => {
    running({ stop: async () => {}, finished: new Promise(() => {}) });
    running({ stop: async () => {}, finished: Promise.reject(new Error('the log is gone')) });
    await new Promise(setImmediate);
    return {};
  });
  await expect(whole.finished).rejects.toThrow('the log is gone');
});
