/**
 * The rule file, followed while people edit it. Without one the defaults hold: everything is watched and nobody is told.
 * A bad edit keeps what held before, and says so; a bad file at the start is an error, and so is one that was named and
 * is not there.
 */
import { existsSync } from 'node:fs';
import { type DocumentFault, describeFault } from '@mandate/policy';
import { type Logger, MandateError, type ReadinessCheck, watchFile } from '@mandate/runtime';
import { type Alerting, DEFAULT_ALERTING, type LoadedAlerting, loadAlerting } from './rules/alert-rules.ts';

export type RulesFile = {
  alerting(): Alerting;
  readiness(): ReadinessCheck;
  /** Looks at once, instead of at the next tick. The second look that sees the same change takes it. */
  look(): void;
  stop(): void;
};

export function openRulesFile(options: {
  path: string;
  /** Whether somebody named it; one that nobody named need not be there. */
  isNamed: boolean;
  env: Readonly<Record<string, string | undefined>>;
  log: Logger;
}): RulesFile {
  const { path, isNamed, env, log } = options;
  let alerting = DEFAULT_ALERTING;
  let faults: readonly DocumentFault[] = [];
  const { first, look, stop } = watchFile<LoadedAlerting>({
    path,
    parse: (text) => loadAlerting(text, env),
    unreadable: (message) => ({ ok: false, faults: [{ line: 1, column: 1, path: '', message }] }),
    onChange(read) {
      if (read.ok) {
        ({ alerting } = read);
        faults = [];
        const webhooks = alerting.webhooks.map(({ name }) => name);
        log.warn({ path, webhooks }, 'the rules of alerts were edited and are in force');
      } else {
        faults = read.faults;
        log.error({ path, faults }, 'the rules of alerts are bad: the last good ones stay in force');
      }
    },
  });
  if (first.ok) ({ alerting } = first);
  else if (isNamed || existsSync(path)) {
    stop();
    throw bad(path, first.faults);
  }
  return {
    alerting: () => alerting,
    readiness: () => ({
      name: 'alert rules',
      ok: true,
      ...(faults.length > 0 && { detail: 'the file is bad: the last good one is in force' }),
    }),
    look,
    stop,
  };
}

function bad(path: string, faults: readonly DocumentFault[]): MandateError {
  const lines = faults.map((fault) => describeFault(path, fault));
  return new MandateError('ALERT_RULES_INVALID', `the rules of alerts are bad\n${lines.join('\n')}`, {
    remedy: 'Mend the file at these places: docs/alerts.md has every field.',
  });
}
