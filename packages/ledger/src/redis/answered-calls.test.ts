import { expect, test } from 'vitest';
import { createAnsweredCalls } from './answered-calls.ts';

const source = (offset: number) => ({ topic: 'actions', partition: 0, offset: offset });
const published = (...sources: ReturnType<typeof source>[]) => sources.map((source) => ({ source }));
const CALL = { epoch: 'epoch-1', call: 7, forgetAtMs: 99 };

test('confirms a call as a whole if all its deliveries are published, even together with other deliveries', () => {
  const calls = createAnsweredCalls();
  const [one, other, third] = [source(1), source(2), source(3)];
  calls.note(CALL, [one, other]);
  expect(calls.whole('epoch-1', published(third, one, other))).toEqual({ calls: [7, 99], rest: [third] });
  expect(calls.whole('epoch-1', published(one, one))).toEqual({ calls: [], rest: [one, one] });
  expect(calls.whole('epoch-1', published(one))).toEqual({ calls: [], rest: [one] });
});

test('confirms deliveries of another epoch or another caller by their position', () => {
  const calls = createAnsweredCalls();
  const [known, unknown] = [source(1), source(1)];
  calls.note(CALL, [known]);
  expect(calls.whole('epoch-2', published(known))).toEqual({ calls: [], rest: [known] });
  expect(calls.whole('epoch-1', published(unknown))).toEqual({ calls: [], rest: [unknown] });
});

test('confirms a delivery that was sent again together with the later call', () => {
  const calls = createAnsweredCalls();
  const [one, other] = [source(1), source(2)];
  calls.note(CALL, [one, other]);
  calls.note({ ...CALL, call: 9 }, [other]);
  expect(calls.whole('epoch-1', published(one, other))).toEqual({ calls: [9, 99], rest: [one] });
});
