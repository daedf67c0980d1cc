import { MandateError } from '@mandate/runtime';
import { topicOfTenant } from '@mandate/schemas';
import { createLogger } from '@mandate/server';
import { waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { makeTenantTopics } from './make-tenant-topics.ts';

test('makes each tenant’s topic once, logs a refused topic once, and does not delay the other topics', async () => {
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
        // The log gives this code to a refusal for which it has no special code.
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
