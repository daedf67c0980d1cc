/** Tests e-mails with a small mail server that speaks SMTP over a real connection. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { alerterOn, kill, openLog, publish, settledFate } from '../alerter.fixture.ts';
import type { Raised } from '../rules/alarms.ts';
import { alertText } from './alert-text.ts';
import { mailAlert } from './mail-alert.ts';

type MailBox = { port: number; commands: string[]; mails: string[] };

type Replies = { greets?: boolean; toMail?: (n: number) => string };

async function startMailServer({
  greets = true,
  toMail = () => '250 queued',
}: Replies = {}): Promise<MailBox> {
  const box: MailBox = { port: 0, commands: [], mails: [] };
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on('error', () => {}));
    const say = (line: string) => socket.write(`${line}\r\n`);
    if (greets) say('220 mail.example ready');
    let mail: string[] | null = null;
    createInterface({ input: socket }).on('line', (line) => {
      if (mail !== null && line !== '.') mail.push(line);
      else if (mail !== null) {
        box.mails.push(mail.join('\n'));
        mail = null;
        say(toMail(box.mails.length));
      } else {
        box.commands.push(line);
        if (line.startsWith('EHLO')) say('250-mail.example\r\n250 AUTH PLAIN');
        else if (line === 'STARTTLS') say('502 unknown');
        else if (line.startsWith('AUTH')) say('235 welcome');
        else if (line === 'DATA') {
          mail = [];
          say('354 go on');
        } else say('250 fine');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  box.port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return box;
}

const mailbox = ({ port }: MailBox, given: object = {}) => ({
  receiver: { url: '', secret: `smtp://ann:hush@127.0.0.1:${port}` },
  name: 'mail',
  ...{ format: 'email', url: undefined, secrets: undefined, server: { env: 'MAIL' } },
  ...{ to: 'ops@example.com', from: 'mandate@example.org' },
  ...given,
});

test('an alert arrives as plain text, and a mail that was not accepted is sent again with the same id', async () => {
  const bus = await openLog();
  const box = await startMailServer({ toMail: (n) => (n === 1 ? '451 later' : '250 queued') });
  const alerter = await alerterOn(bus, [mailbox(box)], { consoleUrl: 'https://c.example' });
  await publish(bus, [kill(1)]);
  expect(await settledFate(alerter, 'mail')).toEqual(['delivered 2']);
  const [entry] = alerter.book.newestFirst();
  expect(entry?.deliveries.get('mail')).toMatchObject({ status: 250 });
  const [first = '', second = ''] = box.mails;
  const [head = '', ...body] = second.split('\n\n');
  expect(head.split('\n')).toEqual(
    expect.arrayContaining([
      'From: Mandate <mandate@example.org>',
      'To: ops@example.com',
      `Message-ID: <${entry?.alert.id}@example.org>`,
      'Auto-Submitted: auto-generated',
      'Content-Type: text/plain; charset=utf-8',
    ]),
  );
  expect(first).toContain(`Message-ID: <${entry?.alert.id}@example.org>`);
  expect(head.replaceAll('\n ', ' ')).toContain(
    'Subject: Mandate alert: kill: The agent bot was killed by key:ops: it loops.',
  );
  expect(body.join('\n\n')).toContain('\nagentId: bot\n');
  expect(body.at(-1)?.trim()).toBe('https://c.example/agents/bot');
  expect(box.commands).toContain(`AUTH PLAIN ${Buffer.from('\0ann\0hush').toString('base64')}`);
  expect(box.commands).toContain('RCPT TO:<ops@example.com>');
});

test('text of an agent adds no header and no line to a mail, and does not end the mail', async () => {
  const box = await startMailServer();
  const hostile = 'pay\r\nBcc: all@example.com\r\n\r\n.\r\nMAIL FROM:<x@evil.example>\r\nü';
  expect(await mailDirectly(box, hostile, { mustEncrypt: false })).toEqual({ taken: true, status: 250 });
  expect(box.mails).toHaveLength(1);
  const [head = ''] = (box.mails[0] ?? '').split('\n\n');
  expect(head).toMatch(/^Subject: /m);
  expect(head).not.toMatch(/^Bcc:/im);
  expect(box.mails[0]).not.toMatch(/^(?:Bcc:|\.$|MAIL FROM)/im);
  expect(box.commands.filter((line) => line.startsWith('RCPT'))).toEqual(['RCPT TO:<ops@example.com>']);
  expect(box.commands.filter((line) => line.startsWith('MAIL'))).toHaveLength(1);
});

test('gives up a mail server that hangs, and tries again if a mail server refuses', async () => {
  const bus = await openLog();
  const hangs = await startMailServer({ greets: false });
  const refuses = await startMailServer({ toMail: () => '554 no hush\r' });
  const alerter = await alerterOn(bus, [
    mailbox(hangs, { attempts: 1, timeoutMs: 300 }),
    { ...mailbox(refuses, { attempts: 2, server: { env: 'REFUSES' } }), name: 'refuses' },
  ]);
  await publish(bus, [kill(1)]);
  expect(await settledFate(alerter, 'mail')).toEqual(['undelivered 1']);
  expect(await settledFate(alerter, 'refuses')).toEqual(['undelivered 2']);
  const [entry] = alerter.book.newestFirst();
  expect(entry?.deliveries.get('mail')).toMatchObject({ reason: expect.stringContaining('within 300 ms') });
  expect(entry?.deliveries.get('refuses')).toMatchObject({ reason: expect.stringContaining('554') });
});

test('sends nothing to a mail server without encryption if encryption is required', async () => {
  const box = await startMailServer();
  const came = await mailDirectly(box, 'the secret plan', { mustEncrypt: true });
  expect(came).toMatchObject({ taken: false, reason: expect.stringContaining('the mail was not taken') });
  expect(box.mails).toEqual([]);
  expect(box.commands.filter((line) => !/^(?:EHLO|STARTTLS|QUIT)/.test(line))).toEqual([]);
});

/** Sends one mail with this message, and the message as a fact too. */
function mailDirectly({ port }: MailBox, message: string, { mustEncrypt }: { mustEncrypt: boolean }) {
  const raised: Raised = {
    event: 'alert.raised',
    alert: {
      ...{ id: 'alr_1', rule: 'kill', tenant: 'acme', subject: 'k', episode: 1, message },
      ...{ facts: { reason: message }, at: '2026-01-05T09:30:41.004Z', order: 1, record: null },
      ...{ webhooks: [], quiet: false },
    },
  };
  const login = { user: 'ann', password: 'hush' };
  const server = { host: '127.0.0.1', port, isEncrypted: false, mustEncrypt, login };
  const webhook = {
    ...{ name: 'mail', tenant: '*', rules: null, events: null, cleared: false, format: 'email' as const },
    ...{ timeoutMs: 5_000, attempts: 1, firstRetryMs: 10, longestRetryMs: 10 },
    ...{ to: 'ops@example.com', from: 'mandate@example.org', server },
  };
  return mailAlert(raised, alertText(raised, null), webhook, AbortSignal.timeout(5_000));
}
