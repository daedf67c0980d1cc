import { expect, test } from 'vitest';
import { addressees } from './addressees.ts';
import { loadAlerting } from './alert-rules.ts';

const secrets = '[{ env: S }]';
const loaded = loadAlerting(
  `version: 1
webhooks:
  - { name: all, url: http://a, tenant: "*", secrets: ${secrets} }
  - { name: acme, url: http://a, tenant: acme, secrets: ${secrets}, cleared: true }
  - { name: kills, url: http://a, tenant: acme, rules: [kill], secrets: ${secrets} }
  - { name: denials, url: http://a, tenant: acme, rules: [policy_event], events: [permission_denied], secrets: ${secrets} }
  - { name: other, url: http://a, tenant: other, secrets: ${secrets} }
`,
  { S: `whsec_${Buffer.alloc(32).toString('base64')}` },
);
const webhooks = loaded.ok ? loaded.alerting.webhooks : [];

test.each([
  ['an alert of a tenant', 'alert.raised', { tenant: 'acme', rule: 'budget' }, ['all', 'acme']],
  [
    'an alert of a rule that a webhook names',
    'alert.raised',
    { tenant: 'acme', rule: 'kill' },
    ['all', 'acme', 'kills'],
  ],
  ['a cleared alert', 'alert.cleared', { tenant: 'acme', rule: 'budget' }, ['acme']],
  ['an alert of the plane', 'alert.raised', { tenant: null, rule: 'lag' }, ['all']],
  ['a kill of everything', 'alert.raised', { tenant: null, rule: 'kill' }, ['all', 'acme', 'kills', 'other']],
  ['a test', 'alert.raised', { tenant: 'acme', rule: 'test' }, ['all', 'acme', 'kills', 'denials']],
  [
    'an event of a policy that a webhook names',
    'alert.raised',
    { tenant: 'acme', rule: 'policy_event', facts: { event: 'permission_denied' } },
    ['all', 'acme', 'denials'],
  ],
  [
    'another event of a policy',
    'alert.raised',
    { tenant: 'acme', rule: 'policy_event', facts: { event: 'rate_limit_exceeded' } },
    ['all', 'acme'],
  ],
] as const)('sends %s to the right webhooks', (_name, event, alert, told) => {
  expect(addressees({ event, alert: { facts: {}, ...alert } }, webhooks)).toEqual(told);
});
