import { createLogger, MandateError } from '@mandate/runtime';
import { topicOfTenant } from '@mandate/schemas';
import { waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { makeTenantTopics } from './make-tenant-topics.ts';

test('every tenant’s topic is made once; one that may not be made is told of once, and holds up no other', async () => {
  const lines: string[] = [];
  const asked: string[] = [];
  let isAway = true;
  const tenants = ['acme', 'forbidden', 'globex'];
  const log = createLogger({
    name: 't',
    level: 'warn',
    destination: { write: (line) => void lines.push(line) },
  });
  const making = makeTenantTopics({
    bus: {
      async makeTopic(topic) {
        if (isAway) throw new MandateError('BUS_UNAVAILABLE', 'away', { remedy: '', retryable: true });
        asked.push(topic);
        if (topic === topicOfTenant('forbidden'))
          throw new MandateError('BUS_TOPIC_UNFIT', 'not authorized', { remedy: '' });
        return true;
      },
    },
    log,
    directTenants: () => tenants,
    everyMs: 1,
  });
  onTestFinished(making.stop);
  await waitUntil('a second try', () => lines.length > 1);
  isAway = false;
  lines.length = 0;
  await waitUntil('the others', () => asked.length === 3);
  tenants.push('later');
  await waitUntil('the later one', () => asked.length === 4);
  expect(asked).toEqual(['acme', 'forbidden', 'globex', 'later'].map(topicOfTenant));
  expect(lines).toHaveLength(1);
  expect(lines.join()).toContain('mandate migrate');
});
