import { expect, test } from 'vitest';
import { acknowledgedIn } from './acknowledgement.ts';

const PLACE = { topic: 't', partition: 1 };
const ack = { partition: 1, errorCode: 0, baseOffset: '41', logAppendTime: '1700000000000' };
const answer = (fields: Partial<typeof ack> = {}, topicName = 't') => ({
  topics: [{ topicName, partitions: [{ ...ack, ...fields }] }],
});

test('returns the offset of the first record and the time of the append', () => {
  expect(acknowledgedIn(answer(), PLACE)).toEqual({ baseOffset: 41, appendedAtMs: 1_700_000_000_000 });
});

// kafkajs resolves with such responses if the leader of a partition moves (kafkajs issue 1303).
test.each([
  ['nothing', { topics: [] }],
  ['another partition', answer({ partition: 0 })],
  ['another topic', answer({}, 'u')],
  ['an error', answer({ errorCode: 6 })],
  ['no offset', answer({ baseOffset: '-1' })],
])('rejects a response with %s', (_, said) => {
  expect(() => acknowledgedIn(said, PLACE)).toThrow(
    expect.objectContaining({ code: 'BUS_UNAVAILABLE', retryable: true }),
  );
});

test('rejects an append time that the log did not set', () => {
  expect(() => acknowledgedIn(answer({ logAppendTime: '-1' }), PLACE)).toThrow(
    expect.objectContaining({ code: 'BUS_TOPIC_UNFIT' }),
  );
});
