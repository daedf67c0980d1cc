/** GET /v1/alerts/rules: the alert rules in force, with the names of the webhooks that get their alerts. */

import { ALERT_RULES, described, parsedJson } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Alerter } from '../alerter.ts';
import { rulesInForce } from '../rules/rules-in-force.ts';

const ruleShown = z.object({
  rule: described(z.enum(ALERT_RULES), 'The alert rule.', 'budget'),
  on: described(z.boolean(), 'Whether the rule raises alerts.', true),
  settings: described(
    z.record(z.string(), parsedJson),
    'The settings of the rule, with defaults. Empty if the rule has none or is off. docs/alerts.md explains them.',
    { percent: [80, 100], rearmPoints: 10 },
  ),
  webhooks: described(
    z.array(z.string()),
    "The names of the webhooks that get alerts of this rule: the tenant's webhooks, and those of all tenants.",
    ['ops'],
  ),
});
export type AlertRuleShown = z.output<typeof ruleShown>;

const answer = z.object({ rules: described(z.array(ruleShown), 'Every alert rule.') });

export function listAlertRules(server: HttpServer, { alerting }: Pick<Alerter, 'alerting'>): void {
  server.get(
    '/v1/alerts/rules',
    {
      config: { scope: ['audit', 'operate:all'] },
      schema: {
        tags: ['alerts'],
        summary: 'List the alert rules in force, with the names of their webhooks',
        description:
          'One rule file holds for the whole plane. So every tenant sees the same rules, and only the webhooks that may ' +
          'get its alerts. A key with the scope `operate:all` sees all webhooks. The answer contains no URL and no ' +
          'secret. The read is recorded before the answer is sent.',
        response: { 200: answer },
      },
    },
    (request): z.output<typeof answer> => {
      const { tenant, scopes } = callerOf(request);
      return { rules: rulesInForce(alerting(), scopes.includes('operate:all') ? null : tenant) };
    },
  );
}
