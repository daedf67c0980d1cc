/**
 * The webhooks of the rule file. The format of a webhook says what is sent to it: the signed alert, a message for a
 * chat, an event for PagerDuty, or an e-mail. Secrets are in the environment or in files, and the file only names
 * them. The addresses of chat webhooks are secrets too, because a person who knows one can post to it.
 */
import {
  ALERT_RULES,
  type AlertRule,
  GOVERNANCE_EVENTS,
  type Json,
  tenant,
  webhookName,
} from '@mandate/schemas';
import { z } from 'zod';
import { type MailServer, mailServerOf } from './mail-server.ts';
import { isAddress, isSafeAddress } from './webhook-address.ts';

const DAY_MS = 86_400_000;

const secret = z.union([
  z.strictObject({
    env: z.string().regex(/^[A-Z_][A-Z0-9_]*$/, { error: 'must be the name of a variable' }),
  }),
  z.strictObject({ file: z.string().min(1) }),
]);

const address = z.email({ error: 'must be an e-mail address alone, such as ops@example.com' }).max(254);

const common = {
  name: webhookName,
  /** The webhook gets the alerts of this tenant; `*` means all tenants and the plane. */
  tenant: z.union([z.literal('*'), tenant]).default('*'),
  rules: z.array(z.enum(ALERT_RULES)).min(1).optional(),
  /** The webhook gets alerts about these events of policies only. It gets alerts of other rules as `rules` says. */
  events: z.array(z.enum(GOVERNANCE_EVENTS)).min(1).optional(),
  /** True if the webhook also gets a message when an alarm is over. */
  cleared: z.boolean().default(false),
  timeoutMs: z.int().min(100).max(60_000).default(10_000),
  attempts: z.int().min(1).max(100).default(15),
  firstRetryMs: z.int().min(10).max(DAY_MS).default(1_000),
  longestRetryMs: z.int().min(10).max(DAY_MS).default(300_000),
};

const mandateWebhook = z.strictObject({
  ...common,
  format: z.literal('mandate').optional(),
  url: z.string().refine(isAddress, { error: 'must be an http or https address without user and password' }),
  /** Each alert is signed with every secret. A second secret is needed while a receiver changes secrets. */
  secrets: z.array(secret).min(1).max(4),
});

const chatWebhook = z.strictObject({ ...common, format: z.enum(['slack', 'teams']), url: secret });

const pagerDutyWebhook = z.strictObject({
  ...common,
  format: z.literal('pagerduty'),
  /** Without the end of an alarm, an incident stays open until a person resolves it. */
  cleared: z.boolean().default(true),
  url: z
    .string()
    .refine(isSafeAddress, { error: 'must be an https address' })
    .default('https://events.pagerduty.com/v2/enqueue'),
  routingKey: secret,
});

const mailWebhook = z.strictObject({
  ...common,
  format: z.literal('email'),
  /** One address only. With several, a server may refuse some of them, and a retry would repeat the others' mail. */
  to: address,
  from: address,
  server: secret,
});

export const webhook = z.discriminatedUnion('format', [
  mandateWebhook,
  chatWebhook,
  pagerDutyWebhook,
  mailWebhook,
]);
type Written = z.output<typeof webhook>;

/** What each format needs to reach people, with the secrets read. */
type Destination =
  | { format: 'mandate'; url: string; keys: readonly Buffer[] }
  | { format: 'slack' | 'teams'; url: string }
  | { format: 'pagerduty'; url: string; routingKey: string }
  | { format: 'email'; to: string; from: string; server: MailServer };

/** A webhook with its secrets. `rules: null` means all rules, and `events: null` all events. */
export type Webhook = Omit<
  z.output<typeof mandateWebhook>,
  'format' | 'url' | 'secrets' | 'rules' | 'events'
> & {
  rules: ReadonlySet<AlertRule> | null;
  events: ReadonlySet<Json> | null;
} & Destination;

type Environment = Readonly<Record<string, string | undefined>>;

export type SecretSource = { env: Environment; readSecret: (path: string) => string };

/** Reports a fault of a webhook. `isAbsent`: a secret is not on this machine. */
export type SayFault = (path: (string | number)[], message: string, isAbsent: boolean) => void;

/**
 * Returns the webhook with its secrets. If a secret is missing or bad, reports the fault, and returns a webhook that
 * only stands for it: such a file is checked, but not used.
 */
export function webhookOf(written: Written, source: SecretSource, say: SayFault): Webhook {
  function read<T>(named: z.output<typeof secret>, path: (string | number)[], parse: Parse<T>): T | null {
    const text = textOf(named, source);
    if (typeof text !== 'string') {
      say(path, text.message, text.isAbsent);
      return null;
    }
    const value = parse(text.trim());
    if (value instanceof Fault) {
      say(path, value.message, false);
      return null;
    }
    return value;
  }

  const { name, tenant, cleared, timeoutMs, attempts, firstRetryMs, longestRetryMs } = written;
  const shared = {
    ...{ name, tenant, cleared, timeoutMs, attempts, firstRetryMs, longestRetryMs },
    rules: written.rules === undefined ? null : new Set(written.rules),
    events: written.events === undefined ? null : new Set<Json>(written.events),
  };
  const unusable: Webhook = { ...shared, format: 'mandate', url: '', keys: [] };
  switch (written.format) {
    case 'slack':
    case 'teams': {
      const url = read(written.url, ['url'], safeAddressOf);
      return url === null ? unusable : { ...shared, format: written.format, url };
    }
    case 'pagerduty': {
      const routingKey = read(written.routingKey, ['routingKey'], routingKeyOf);
      return routingKey === null
        ? unusable
        : { ...shared, format: 'pagerduty', url: written.url, routingKey };
    }
    case 'email': {
      const { to, from } = written;
      const server = read(
        written.server,
        ['server'],
        (text) => mailServerOf(text) ?? new Fault(NO_MAIL_SERVER),
      );
      return server === null ? unusable : { ...shared, format: 'email', to, from, server };
    }
    default: {
      const keys = written.secrets.map((named, nth) => read(named, ['secrets', nth], signingKeyOf));
      const found = keys.filter((key) => key !== null);
      if (found.length < keys.length) return unusable;
      return { ...shared, format: 'mandate', url: written.url, keys: found };
    }
  }
}

/** What is wrong with a secret. The message never contains the secret. */
class Fault {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

type Parse<T> = (text: string) => T | Fault;

const NO_MAIL_SERVER =
  'does not hold a mail server: smtps://user:password@mail.example.com, or smtp:// with STARTTLS';

function textOf(
  named: z.output<typeof secret>,
  { env, readSecret }: SecretSource,
): string | { isAbsent: boolean; message: string } {
  if ('env' in named) {
    // Names with this prefix are reserved for settings. A process does not start with an unknown setting.
    if (named.env.startsWith('MANDATE_'))
      return { isAbsent: false, message: `${named.env} begins as settings do: call it something else` };
    return env[named.env] ?? { isAbsent: true, message: `the variable ${named.env} is not set` };
  }
  try {
    return readSecret(named.file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { isAbsent: true, message: `${named.file} cannot be read: ${why}` };
  }
}

const SIGNING_SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

function signingKeyOf(text: string): Buffer | Fault {
  const key = Buffer.from(SIGNING_SECRET.exec(text)?.[1] ?? '', 'base64');
  if (key.length >= 24 && key.length <= 64) return key;
  return new Fault(
    'does not hold a secret: whsec_ and then 24 to 64 random bytes in base64 (echo whsec_$(openssl rand -base64 32))',
  );
}

function safeAddressOf(text: string): string | Fault {
  return isSafeAddress(text) ? text : new Fault('does not hold the https address of a webhook');
}

function routingKeyOf(text: string): string | Fault {
  return /^[A-Za-z0-9]{32}$/.test(text)
    ? text
    : new Fault('does not hold a routing key: 32 letters and digits');
}
