/**
 * The alerter follows the decisions, raises alerts that a person should know (rules/), and sends them to webhooks
 * (deliver/).
 *
 *   decisions → evaluate → alert.raised, alert.cleared → deliver → alert.delivered, alert.undelivered
 *
 * All records except the decisions are on the alerts topic. The alerter computes its whole memory from this topic. It
 * evaluates a batch of decisions, appends the alerts, and commits. After a crash, records are evaluated again, and
 * their alerts get the same ids again. Each alert is delivered at least once, always with the same id. docs/adr/0011
 * has the reasons.
 *
 * Several alerters share the partitions of the decisions. The alerter that reads the partition of the alerts
 * delivers.
 */
export { alertRoutes } from './alert-routes.ts';
export { type Alerter, type AlerterOptions, startAlerter } from './alerter.ts';
export { alerterConfig, alerterSettings } from './config.ts';
export { openAlerter } from './open-alerter.ts';
export type { LastReconcile } from './routes/last-reconcile.ts';
export type { AlertRuleShown } from './routes/list-alert-rules.ts';
export type { AlertListed } from './routes/list-alerts.ts';
export { checkAlerting } from './rules/alert-rules.ts';
export { openRulesFile, type RulesFile } from './rules-file.ts';
