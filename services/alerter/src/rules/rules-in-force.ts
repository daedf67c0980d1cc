/** The alert rules as people read them: what is watched, with which settings, and which webhooks get the alerts. */
import { ALERT_RULES, type AlertRule, type Json } from '@mandate/schemas';
import { isFor } from './addressees.ts';
import type { Alerting, AlertRules } from './alert-rules.ts';
import type { Webhook } from './webhooks.ts';

type Settings = Readonly<Record<string, Json>>;

export type RuleInForce = {
  rule: AlertRule;
  on: boolean;
  settings: Settings;
  /** The names of webhooks. Nothing else of a webhook is here, because a URL may contain a secret. */
  webhooks: string[];
};

/** Returns the settings of each rule. A boolean: the rule has no settings, and is on or off. */
const SETTINGS: Readonly<Record<AlertRule, (rules: AlertRules) => Settings | boolean>> = {
  kill: ({ kill }) => kill,
  revive: ({ kill }) => kill,
  approval: ({ approval }) => approval !== false,
  approval_overdue: ({ approval }) =>
    approval !== false && approval.overdueMs !== undefined && { overdueMs: approval.overdueMs },
  budget: ({ budget }) => budget,
  overdrawn: ({ overdrawn }) => overdrawn,
  excess: ({ excess }) => excess,
  cost_per_call: ({ costPerCall }) => costPerCall,
  first_use: ({ firstUse }) => firstUse,
  policy_event: ({ policyEvent }) => policyEvent && { events: policyEvent },
  block_rate: ({ blockRate }) => blockRate,
  release_rate: ({ releaseRate }) => releaseRate,
  lag: ({ lag }) => lag,
  drift: ({ drift }) => drift,
  test: () => true,
};

/** @param tenant only webhooks of this tenant and of all tenants (`*`) are named. null: every webhook is named */
export function rulesInForce({ rules, webhooks }: Alerting, tenant: string | null): RuleInForce[] {
  const named = webhooks.filter((webhook) => tenant === null || ['*', tenant].includes(webhook.tenant));
  return ALERT_RULES.map((rule) => {
    const settings = SETTINGS[rule](rules);
    const on = settings !== false;
    return {
      rule,
      on,
      settings: typeof settings === 'boolean' ? {} : settings,
      webhooks: on ? named.filter((webhook) => gets(webhook, rule, rules)).map(({ name }) => name) : [],
    };
  });
}

function gets(webhook: Webhook, rule: AlertRule, { policyEvent }: AlertRules): boolean {
  if (rule === 'test') return true;
  if (webhook.rules !== null && !webhook.rules.has(rule)) return false;
  // An alert of this rule belongs to no tenant.
  if (rule === 'lag') return isFor({ tenant: null, rule }, webhook);
  if (rule !== 'policy_event' || webhook.events === null) return true;
  return policyEvent !== false && policyEvent.some((event) => webhook.events?.has(event));
}
