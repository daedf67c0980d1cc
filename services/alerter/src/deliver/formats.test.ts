/** Tests the bodies of each format, with text that tries to be more than text. */
import type { Alert } from '@mandate/schemas';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Raised } from '../rules/alarms.ts';
import { alertText, fitted } from './alert-text.ts';
import { pagerDutyBody } from './pagerduty-body.ts';
import { slackBody } from './slack-body.ts';
import { teamsBody } from './teams-body.ts';

const LINK = 'https://c.example/approvals/apv_1';

function raised(given: Partial<Alert> = {}, event: Raised['event'] = 'alert.raised'): Raised {
  const alert: Alert = {
    id: 'alr_1',
    rule: 'approval',
    tenant: 'acme',
    subject: 'bot pay-1',
    episode: 1,
    message: 'bot waits for a person to confirm pay (pay-1).',
    facts: { agentId: 'bot', tool: null, tries: 2 },
    at: '2026-01-05T09:30:41.004Z',
    order: 3,
    record: null,
    webhooks: [],
    quiet: false,
    ...given,
  };
  return { event, alert };
}

const HOSTILE =
  '<!channel> <https://evil.example|Approve> & [a](https://evil.example)\r\nalert: *x*\u202e\ud800';
const hostile = raised({ message: HOSTILE, facts: { actionId: HOSTILE } });

test('Slack gets blocks, and a button that is a link', () => {
  expect(JSON.parse(slackBody(alertText(raised(), LINK)))).toEqual({
    text: 'Mandate alert: approval. bot waits for a person to confirm pay (pay-1).',
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Mandate alert: approval', emoji: false } },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: 'bot waits for a person to confirm pay (pay-1).', verbatim: true },
      },
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text: 'tenant: acme\nat: 2026-01-05T09:30:41.004Z\nagentId: bot\ntries: 2\nalert: alr_1',
          verbatim: true,
        },
      },
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            action_id: 'open',
            text: { type: 'plain_text', text: 'Open in the console', emoji: false },
            url: LINK,
          },
        ],
      },
    ],
  });
});

test('text of an agent mentions nobody in Slack, makes no link, and starts no line', () => {
  const body = slackBody(alertText(hostile, LINK));
  expect(body).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
  const shown =
    '&lt;!channel&gt; &lt;https://evil.example|Approve&gt; &amp; [a](https://evil.example) alert: *x* \ufffd';
  const [, message, facts] = JSON.parse(body).blocks;
  expect(message.text.text).toBe(shown);
  expect(facts.text.text.split('\n')).toEqual([
    'tenant: acme',
    'at: 2026-01-05T09:30:41.004Z',
    `actionId: ${shown}`,
    'alert: alr_1',
  ]);
});

test('Teams gets an Adaptive Card, and text of an agent only as a text run, which is not Markdown', () => {
  const run = (text: string, given: object = {}) => ({ type: 'TextRun', text, ...given });
  const runs = (...inlines: object[]) => ({ type: 'RichTextBlock', inlines });
  const bold = { weight: 'Bolder' };
  const shown = '<!channel> <https://evil.example|Approve> & [a](https://evil.example) alert: *x* \ufffd';
  expect(JSON.parse(teamsBody(alertText(hostile, LINK)))).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.5',
          body: [
            { type: 'TextBlock', text: 'Mandate alert: approval', size: 'Medium', wrap: true, ...bold },
            runs(run(shown)),
            runs(run('tenant: ', bold), run('acme')),
            runs(run('at: ', bold), run('2026-01-05T09:30:41.004Z')),
            runs(run('actionId: ', bold), run(shown)),
            runs(run('alert: ', bold), run('alr_1')),
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open in the console', url: LINK }],
        },
      },
    ],
  });
});

test('PagerDuty gets a trigger, and a resolve with the same key when the alarm is over', () => {
  const body = (one: Raised) => JSON.parse(pagerDutyBody(one, alertText(one, LINK), 'R'.repeat(32)));
  const opened = body(raised());
  expect(opened).toEqual({
    routing_key: 'R'.repeat(32),
    dedup_key: expect.stringMatching(/^mandate-[0-9a-f]{32}$/),
    event_action: 'trigger',
    client: 'Mandate',
    client_url: LINK,
    links: [{ href: LINK, text: 'Open in the console' }],
    payload: {
      summary: 'bot waits for a person to confirm pay (pay-1).',
      source: 'mandate acme',
      severity: 'warning',
      timestamp: '2026-01-05T09:30:41.004Z',
      class: 'approval',
      custom_details: {
        tenant: 'acme',
        at: '2026-01-05T09:30:41.004Z',
        agentId: 'bot',
        tries: '2',
        alert: 'alr_1',
      },
    },
  });
  const { routing_key, dedup_key } = opened;
  const over = body(raised({ id: 'alr_2', message: 'answered' }, 'alert.cleared'));
  expect(over).toEqual({ routing_key, dedup_key, event_action: 'resolve' });
  expect(body(raised({ episode: 2 })).dedup_key).not.toBe(dedup_key);
  expect(body(raised({ rule: 'kill', tenant: null })).payload).toMatchObject({
    severity: 'critical',
    source: 'mandate all',
  });
});

test('without a console there is no button and no link', () => {
  const text = alertText(raised(), null);
  const bodies = [slackBody(text), teamsBody(text), pagerDutyBody(raised(), text, 'k')];
  for (const body of bodies) expect(body).not.toMatch(/Open in the console|client_url/);
});

test('the longest text stays within the limits of each service, and no letter is cut', () => {
  const letters = fc.constantFrom('&', '<', 'a', '"', '\\', 'ü', '語', '😀', '\n');
  const long = fc.array(letters, { minLength: 400, maxLength: 6_000 }).map((all) => all.join(''));
  fc.assert(
    fc.property(long, (message) => {
      const facts = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`fact${n}`, message]));
      const one = raised({ message, facts });
      const text = alertText(one, LINK);
      const slack = slackBody(text);
      const { blocks } = JSON.parse(slack);
      for (const { text: shown } of blocks.slice(0, 3)) expect(shown.text.length).toBeLessThanOrEqual(3_000);
      const teams = teamsBody(text);
      expect(Buffer.byteLength(teams)).toBeLessThan(28_000);
      const pager = pagerDutyBody(one, text, 'k');
      expect(JSON.parse(pager).payload.summary.length).toBeLessThanOrEqual(1_024);
      // JSON writes half of a letter as an escape.
      for (const body of [slack, teams, pager]) expect(body).not.toMatch(/\\ud[89a-f]/i);
    }),
    { numRuns: 20 },
  );
  expect([fitted('abc', 3), fitted('abcd', 3), fitted('a😀b', 3)]).toEqual(['abc', 'ab…', 'a…']);
});
