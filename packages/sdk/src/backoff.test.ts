import { expect, onTestFinished, test } from 'vitest';
import { sleep } from './backoff.ts';

test('a pause whose time is over ends at once, without a warning', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  await sleep(-5, new AbortController().signal);
  // Node emits warnings in a later turn of the event loop.
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});
