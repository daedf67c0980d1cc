import { MandateError } from '@mandate/runtime';
import { topicOfTenant } from '@mandate/schemas';
import { createLogger } from '@mandate/server';
import { waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { makeTenantTopics } from './make-tenant-topics.ts';

test('every tenant’s topic is made once; one that may not be made is told of once, and holds up no other', async () => {
  const lines: string[] = [];
  const asked: string[] = [];
  let isAway = true;
  const tenants = ['acme', 'forbidden', 'against-a-policy', 'globex'];
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
        // As the log says whatever it has no name for.
        if (topic === topicOfTenant('against-a-policy'))
          throw new MandateError('BUS_UNAVAILABLE', 'policy violation', { remedy: '', retryable: false });
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
  await waitUntil('the others', () => asked.length === 4);
  tenants.push('later');
  await waitUntil('the later one', () => asked.length === 5);
  expect(asked).toEqual([...tenants].map(topicOfTenant));
  expect(lines).toHaveLength(2);
  expect(lines.join()).toContain('mandate migrate');
});
