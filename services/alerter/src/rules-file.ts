/**
 * The rule file of alerts. The alerter reads it again after an edit of the file or of a secret file. Without a rule
 * file, defaults apply: everything is watched, and no alert is sent. After a bad edit, the last good file stays in
 * force, and readiness reports the edit. At the start, a bad file is an error. It is also an error if a setting names
 * a file that is missing.
 */

import { type DocumentFault, describeFault } from '@mandate/policy/documents';
import { type FollowedDocument, followDocument, type Logger, MandateError } from '@mandate/runtime';
import { type Alerting, DEFAULT_ALERTING, loadAlerting } from './rules/alert-rules.ts';

export type RulesFile = Pick<FollowedDocument, 'readiness' | 'look' | 'stop'> & { alerting(): Alerting };

/** Opens the file that the settings name. Otherwise opens `alerts.yaml` of the data folder, which may be missing. */
export function openRulesFile(
  { ALERTER_RULES_PATH: named }: { readonly ALERTER_RULES_PATH?: string | undefined },
  { folder, ...given }: { folder: { alerts: string }; env: Environment; log: Logger },
): RulesFile {
  return followRules({ path: named ?? folder.alerts, isNamed: named !== undefined, ...given });
}

type Environment = Readonly<Record<string, string | undefined>>;

function followRules(options: {
  path: string;
  /** True if a setting names the file. Only a file that no setting names may be missing. */
  isNamed: boolean;
  env: Readonly<Record<string, string | undefined>>;
  log: Logger;
}): RulesFile {
  const { path, isNamed, env, log } = options;
  let alerting = DEFAULT_ALERTING;
  const { readiness, look, stop } = followDocument({
    path,
    mayBeMissing: !isNamed,
    name: 'alert rules',
    log,
    parse: (bytes, readSecret) => loadAlerting(bytes, env, { readSecret }),
    onGood(read, isFirst) {
      ({ alerting } = read);
      if (isFirst) return;
      const webhooks = alerting.webhooks.map(({ name }) => name);
      log.warn({ path, webhooks }, 'the rules of alerts or their secrets were edited and are in force');
    },
    onBadStart(faults) {
      throw bad(path, faults);
    },
  });
  return { alerting: () => alerting, readiness, look, stop };
}

function bad(path: string, faults: readonly DocumentFault[]): MandateError {
  const lines = faults.map((fault) => describeFault(path, fault));
  return new MandateError('ALERT_RULES_INVALID', `the rules of alerts are bad\n${lines.join('\n')}`, {
    remedy: 'Correct the file at these places. docs/alerts.md has every field.',
  });
}
