/**
 * The alerter: follows the decisions, raises alerts that a person should know (rules/), and sends them to webhooks
 * (deliver/).
 *
 *   decisions → evaluate → alert.raised, alert.cleared → deliver → alert.delivered, alert.undelivered
 *
 * All but the first are on the alerts topic, and everything that the alerter remembers is a fold of that topic. For
 * each batch of decisions it evaluates, appends, commits. So after a crash anywhere records are evaluated again, and
 * their alerts have the same ids again. An alert is delivered at least once, always with that id. docs/adr/0011 has
 * the reasons.
 *
 * Several alerters share the partitions of the decisions; the holder of the alerts' partition delivers.
 */
export { alertRoutes } from './alert-routes.ts';
export { type Alerter, type AlerterOptions, startAlerter } from './alerter.ts';
export { alerterConfig, alerterSettings } from './config.ts';
export { openAlerter } from './open-alerter.ts';
export { checkAlerting } from './rules/alert-rules.ts';
export { openRulesFile, type RulesFile } from './rules-file.ts';
