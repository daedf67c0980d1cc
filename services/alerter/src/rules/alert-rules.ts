/**
 * The rule file: what is watched, and which webhooks get alerts. Every rule has a default, so a file with only an
 * empty list of webhooks is valid. Secrets are in the environment or in files; the rule file only names them.
 */
import { type DocumentFault, type DocumentSource, readDocuments } from '@mandate/policy/documents';
import { readTextFile } from '@mandate/runtime';
import {
  ALERT_RULES,
  type AlertRule,
  GOVERNANCE_EVENTS,
  type GovernanceEvent,
  type Json,
  tenant,
  webhookName,
} from '@mandate/schemas';
import { z } from 'zod';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const percent = z.int().min(1).max(100);
const policyEvent = z.enum(GOVERNANCE_EVENTS);
const GRAVE_EVENTS: GovernanceEvent[] = ['permission_denied', 'guardrail_triggered'];

/**
 * Returns the schema of a rule. `false` turns the rule off. `true` or no value turns it on with the defaults, and
 * each missing number has its default.
 */
function ruleWith<Shape extends z.ZodRawShape>(figures: z.ZodObject<Shape, z.core.$strict>) {
  const defaults = figures.parse({});
  return z
    .union([z.literal(false), z.literal(true).transform(() => defaults), figures])
    .optional()
    .transform((said) => (said === undefined ? defaults : said));
}

const rules = z
  .strictObject({
    /** Reports kill switches that were pulled or released. */
    kill: z.boolean().default(true),
    approval: ruleWith(
      z.strictObject({
        overdueMs: z
          .int()
          .min(1_000)
          .max(31 * DAY_MS)
          .optional(),
      }),
    ),
    budget: ruleWith(
      z.strictObject({
        percent: z.array(percent).min(1).max(10).default([80, 100]),
        /**
         * Spending must fall by this many percentage points below a threshold before the threshold can raise an alert
         * again.
         */
        rearmPoints: z.int().min(0).max(99).default(10),
      }),
    ),
    overdrawn: z.boolean().default(true),
    /** Reports an actual cost above its cap, or above `maxCostPerCall`. */
    excess: z.boolean().default(true),
    costPerCall: z.boolean().default(true),
    firstUse: z.boolean().default(true),
    /** The events of policies that raise an alert. Other events may mark every call. */
    policyEvent: z
      .union([
        z.literal(false),
        z.literal(true).transform(() => GRAVE_EVENTS),
        z.array(policyEvent).min(1).max(GOVERNANCE_EVENTS.length),
      ])
      .default(GRAVE_EVENTS),
    blockRate: ruleWith(
      z.strictObject({
        percent: percent.default(50),
        leastDecisions: z.int().min(1).max(1_000_000).default(20),
        windowMs: z
          .int()
          .min(1_000)
          .max(DAY_MS)
          .default(5 * MINUTE_MS),
        per: z.enum(['agent', 'tenant']).default('agent'),
      }),
    ),
    releaseRate: ruleWith(
      z.strictObject({
        percent: percent.default(50),
        leastOutcomes: z.int().min(1).max(1_000_000).default(20),
        windowMs: z
          .int()
          .min(1_000)
          .max(DAY_MS)
          .default(5 * MINUTE_MS),
      }),
    ),
    lag: ruleWith(z.strictObject({ lateMs: z.int().min(1_000).max(DAY_MS).default(30_000) })),
    /** Reports drift that `mandate reconcile --alert` finds. */
    drift: z.boolean().default(true),
  })
  .prefault({});
export type AlertRules = z.output<typeof rules>;

const secret = z.union([
  z.strictObject({
    env: z.string().regex(/^[A-Z_][A-Z0-9_]*$/, { error: 'must be the name of a variable' }),
  }),
  z.strictObject({ file: z.string().min(1) }),
]);

const webhook = z.strictObject({
  name: webhookName,
  url: z.string().refine(isAddress, { error: 'must be an http or https address without user and password' }),
  /** Each alert is signed with every secret. A second secret is needed while a receiver changes secrets. */
  secrets: z.array(secret).min(1).max(4),
  /** The webhook gets the alerts of this tenant; `*` means all tenants and the plane. */
  tenant: z.union([z.literal('*'), tenant]).default('*'),
  rules: z.array(z.enum(ALERT_RULES)).min(1).optional(),
  /** The webhook gets alerts about these events of policies only. It gets alerts of other rules as `rules` says. */
  events: z.array(policyEvent).min(1).optional(),
  /** True if the webhook also gets a message when an alarm is over. */
  cleared: z.boolean().default(false),
  timeoutMs: z.int().min(100).max(60_000).default(10_000),
  attempts: z.int().min(1).max(100).default(15),
  firstRetryMs: z.int().min(10).max(DAY_MS).default(1_000),
  longestRetryMs: z
    .int()
    .min(10)
    .max(DAY_MS)
    .default(5 * MINUTE_MS),
});

const document = z.strictObject({
  version: z.literal(1),
  rules,
  webhooks: z.array(webhook).max(100).default([]),
});

/** A webhook with its signing keys. `rules: null` means all rules, and `events: null` all events. */
export type Webhook = Omit<z.output<typeof webhook>, 'secrets' | 'rules' | 'events'> & {
  keys: readonly Buffer[];
  rules: ReadonlySet<AlertRule> | null;
  events: ReadonlySet<Json> | null;
};

export type Alerting = { rules: AlertRules; webhooks: readonly Webhook[] };

export type LoadedAlerting =
  | { ok: true; alerting: Alerting }
  | { ok: false; faults: readonly DocumentFault[] };

/** The rules without a file: everything is watched, and no alert is sent. */
export const DEFAULT_ALERTING: Alerting = { rules: rules.parse({}), webhooks: [] };

type Environment = Readonly<Record<string, string | undefined>>;

type ReadSecret = (path: string) => string;

/**
 * @param env the variables with the secrets
 * @param given `readSecret` reads the file of a secret. `notes` collects secrets that are not found; without `notes`,
 *   a missing secret is a fault
 */
export function loadAlerting(
  source: DocumentSource,
  env: Environment,
  { readSecret = readTextFile, notes }: { readSecret?: ReadSecret; notes?: string[] } = {},
): LoadedAlerting {
  const found: Alerting[] = [];
  const faults = readDocuments(source, { schema: document, what: 'rules of alerts' }, (written, say) => {
    if (found.length > 0) say([], 'the file holds more than one document');
    const names = new Set<string>();
    const webhooks = written.webhooks.map(({ secrets, rules: wanted, events, ...rest }, at): Webhook => {
      if (names.has(rest.name))
        say(['webhooks', at, 'name'], `the name "${rest.name}" is used twice in this file`);
      names.add(rest.name);
      const keys = secrets.flatMap((named, nth) => {
        const path = ['webhooks', at, 'secrets', nth];
        const key = keyOf(named, env, readSecret);
        if (Buffer.isBuffer(key)) return [key];
        if (key.isAbsent && notes !== undefined) notes.push(`${path.join('.')}: ${key.message}`);
        else say(path, key.message);
        return [];
      });
      return {
        ...rest,
        keys,
        rules: wanted === undefined ? null : new Set(wanted),
        events: events === undefined ? null : new Set(events),
      };
    });
    found.push({ rules: written.rules, webhooks });
  });
  const [alerting] = found;
  if (faults.length > 0 || alerting === undefined) return { ok: false, faults };
  return { ok: true, alerting };
}

/**
 * Checks the file on another machine than the alerter's, with other variables and files. So a missing secret is a
 * note, not a fault. A secret that exists must be valid.
 */
export function checkAlerting(
  source: DocumentSource,
  env: Environment,
): LoadedAlerting & { notes: readonly string[] } {
  const notes: string[] = [];
  return { ...loadAlerting(source, env, { notes }), notes };
}

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** Returns the key of a secret, or what is wrong with the secret. The message never contains the secret. */
function keyOf(
  named: z.output<typeof secret>,
  env: Environment,
  readSecret: ReadSecret,
): Buffer | { isAbsent: boolean; message: string } {
  const bad = (message: string) => ({ isAbsent: false, message });
  const absent = (message: string) => ({ isAbsent: true, message });
  let text: string | undefined;
  if ('env' in named) {
    // Names with this prefix are reserved for settings. A process does not start with an unknown setting.
    if (named.env.startsWith('MANDATE_'))
      return bad(`${named.env} begins as settings do: call it something else`);
    text = env[named.env];
    if (text === undefined) return absent(`the variable ${named.env} is not set`);
  } else {
    try {
      text = readSecret(named.file);
    } catch (error) {
      return absent(
        `${named.file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  const key = Buffer.from(SECRET.exec(text.trim())?.[1] ?? '', 'base64');
  if (key.length >= 24 && key.length <= 64) return key;
  return bad(
    'does not hold a secret: whsec_ and then 24 to 64 random bytes in base64 (echo whsec_$(openssl rand -base64 32))',
  );
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}
