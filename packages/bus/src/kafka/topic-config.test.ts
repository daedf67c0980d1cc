import { readFileSync } from 'node:fs';
import { CAPS, TOPICS, topicOfTenant } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { REQUEST } from './partition-queue.ts';
import { topicConfig } from './topic-config.ts';

const PAGE = new URL('../../../../infra/kafka/README.md', import.meta.url);

describe.each([...Object.values(TOPICS), topicOfTenant('<tenant>')])('topic %s', (topic) => {
  const config = topicConfig(topic);

  test('accepts the largest allowed record, and the largest request that the bus sends', () => {
    expect(Number(config['max.message.bytes'])).toBeGreaterThan(4 * CAPS.recordBytes);
    expect(Number(config['max.message.bytes'])).toBeGreaterThan(REQUEST.bytes);
  });

  test('is described in infra/kafka with exactly these settings, for operators who create topics by hand', () => {
    const blocks = readFileSync(PAGE, 'utf8').split('kafka-topics.sh --create --topic ');
    const block = blocks.find((each) => each.startsWith(`${topic} `)) ?? '';
    const settings = [...block.matchAll(/--config (\S+)=(\S+)/g)].map(([, name, value]) => [name, value]);
    expect(Object.fromEntries(settings)).toEqual({ ...config, 'min.insync.replicas': '2' });
  });
});
