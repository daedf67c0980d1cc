/**
 * The rule file: what is watched, and which webhooks get alerts. Every rule has a default, so a file with only an
 * empty list of webhooks is valid. Secrets are in the environment or in files; the rule file only names them.
 */
import { type DocumentFault, type DocumentSource, readDocuments } from '@mandate/policy/documents';
import { readTextFile } from '@mandate/runtime';
import { GOVERNANCE_EVENTS, type GovernanceEvent } from '@mandate/schemas';
import { z } from 'zod';
import { isAddress } from './webhook-address.ts';
import { type Webhook, webhook, webhookOf } from './webhooks.ts';

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

/** The address of the console, without a slash at its end. */
const consoleUrl = z
  .string()
  .max(500)
  .refine(isConsoleAddress, {
    error: 'must be an http or https address without user, password, query and fragment',
  })
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));

const document = z.strictObject({
  version: z.literal(1),
  consoleUrl: consoleUrl.optional(),
  rules,
  webhooks: z.array(webhook).max(100).default([]),
});

/** `consoleUrl`: the address that alerts link to. null: the file has none. */
export type Alerting = { consoleUrl: string | null; rules: AlertRules; webhooks: readonly Webhook[] };

export type LoadedAlerting =
  | { ok: true; alerting: Alerting }
  | { ok: false; faults: readonly DocumentFault[] };

/** The rules without a file: everything is watched, and no alert is sent. */
export const DEFAULT_ALERTING: Alerting = { consoleUrl: null, rules: rules.parse({}), webhooks: [] };

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
    const webhooks = written.webhooks.map((told, at): Webhook => {
      if (names.has(told.name))
        say(['webhooks', at, 'name'], `the name "${told.name}" is used twice in this file`);
      names.add(told.name);
      return webhookOf(told, { env, readSecret }, (path, message, isAbsent) => {
        const here = ['webhooks', at, ...path];
        if (isAbsent && notes !== undefined) notes.push(`${here.join('.')}: ${message}`);
        else say(here, message);
      });
    });
    found.push({ consoleUrl: written.consoleUrl ?? null, rules: written.rules, webhooks });
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

function isConsoleAddress(text: string): boolean {
  return isAddress(text) && !/[?#]/.test(text);
}
