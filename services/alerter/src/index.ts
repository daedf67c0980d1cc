/**
 * The alerter: follows the decisions, says what a person should know of (rules/), and tells it to webhooks (deliver/).
 *
 *   decisions → evaluate → alert.raised, alert.cleared → deliver → alert.delivered, alert.undelivered
 *
 * All but the first stand on the alerts topic, and everything it remembers is a fold of that. For each batch of
 * decisions: evaluate, append, commit; so a crash anywhere means that records are looked at again, and what they raise
 * has the same id again. An alert is delivered at least once, always under that id. docs/adr/0011 has the reasons.
 *
 * Several alerters share the partitions of the decisions; the holder of the alerts' partition delivers.
 */
export { alertRoutes } from './alert-routes.ts';
export { type Alerter, type AlerterOptions, startAlerter } from './alerter.ts';
export { alerterConfig, alerterSettings } from './config.ts';
export { openAlerter } from './open-alerter.ts';
export { checkAlerting } from './rules/alert-rules.ts';
export { openRulesFile, type RulesFile } from './rules-file.ts';
