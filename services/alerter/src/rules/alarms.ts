/**
 * Computes from the alerts topic which alarms are on and which were on earlier. This is the only memory of the rules.
 * The records can be applied in any order, and more than once. So an evaluator may apply an alert as soon as it
 * raises the alert, and apply it again when it reads the topic.
 *
 * An alert id is computed from rule, tenant, subject and episode. The episode counts the alarms of the subject. So
 * two alerters give the same alarm the same id, and the next alarm of the subject gets another id. The alarm of an
 * approval is forgotten after a day, and its action id may be used again later. So its id is computed from the order
 * of the first record instead of the episode.
 */
import { sha256Hex } from '@mandate/policy';
import {
  type Alert,
  type AlertCleared,
  type AlertRaised,
  type AlertRule,
  DEFAULTS,
  type Json,
} from '@mandate/schemas';
import type { Finding } from './finding.ts';

export type Raised = AlertRaised | AlertCleared;

/** The state of an alarm. `order` is the order of the record that last changed the alarm. */
export type Alarm = {
  tenant: string | null;
  subject: string;
  stands: boolean;
  episode: number;
  order: number;
  at: string;
  facts: Readonly<Record<string, Json>>;
};

/** Rules about events, not about states. Each subject of such a rule gets one alert, and its alarm never changes. */
const ONCE: ReadonlySet<AlertRule> = new Set([
  'kill',
  'revive',
  'excess',
  'cost_per_call',
  'first_use',
  'policy_event',
  'test',
]);

/**
 * The subjects of these rules contain a day, or an hour of a day. Later records are about later days, so subjects with
 * past days are forgotten.
 */
const OF_A_DAY: ReadonlySet<AlertRule> = new Set(['excess', 'cost_per_call', 'policy_event']);
/** A subject is kept longer than its day, because partitions are not read at the same pace. */
const DAY_FORGOTTEN_AFTER_MS = 2 * 86_400_000;

/**
 * Rules about actions. The alarm of an action is forgotten when the ledger forgets the action, because an action
 * waits only once.
 */
const FORGOTTEN: ReadonlySet<AlertRule> = new Set(['approval', 'approval_overdue']);
const FORGOTTEN_AFTER_MS = DEFAULTS.replayMemoryMs;

export class Alarms {
  readonly #once = new Set<string>();
  readonly #byRule = new Map<AlertRule, Map<string, Alarm>>();
  readonly #confirmed = new WeakMap<Alarm, number>();
  readonly #answered = new Forgetting(FORGOTTEN_AFTER_MS);
  readonly #days = new Forgetting(DAY_FORGOTTEN_AFTER_MS);

  get(rule: AlertRule, tenant: string | null, subject: string): Alarm | undefined {
    return this.#byRule.get(rule)?.get(keyOf(tenant, subject));
  }

  /** Returns all alarms of a rule, whether they are on or over. */
  of(rule: AlertRule): Iterable<Alarm> {
    return this.#byRule.get(rule)?.values() ?? [];
  }

  /**
   * Returns the alert that a finding raises or clears. Null if the alarm is already in this state, or if the finding
   * is older.
   */
  judge(finding: Finding): { event: Raised['event']; id: string; episode: number } | null {
    const { rule, tenant, subject, holds, order } = finding;
    if (ONCE.has(rule)) {
      if (!holds || this.#once.has(onceKey(rule, tenant, subject))) return null;
      return { event: 'alert.raised', id: idOf(finding, 1), episode: 1 };
    }
    const known = this.get(rule, tenant, subject);
    const newest = known === undefined ? -1 : this.newestOrder(known);
    if ((known?.stands ?? false) === holds) {
      if (known !== undefined && order > newest) this.#confirmed.set(known, order);
      return null;
    }
    // A clearing finding may have the same order as the alarm: a forgotten approval is cleared with the order of the
    // record that raised or confirmed it.
    if (holds ? order <= newest : order < newest) return null;
    const episode = holds ? (known?.episode ?? 0) + 1 : (known?.episode ?? 1);
    const began = holds ? order : (known?.order ?? order);
    return {
      event: holds ? 'alert.raised' : 'alert.cleared',
      id: idOf(finding, FORGOTTEN.has(rule) ? began : episode),
      episode,
    };
  }

  /** Returns the order of the newest record that changed or confirmed the alarm. */
  newestOrder(alarm: Alarm): number {
    return Math.max(alarm.order, this.#confirmed.get(alarm) ?? 0);
  }

  apply({ event, alert }: Raised): void {
    const { rule, tenant, subject, episode, order, at, facts } = alert;
    if (ONCE.has(rule)) {
      const once = onceKey(rule, tenant, subject);
      if (OF_A_DAY.has(rule) && !this.#once.has(once))
        this.#days.add(Date.parse(at), () => this.#once.delete(once));
      this.#once.add(once);
      return;
    }
    const stands = event === 'alert.raised';
    const key = keyOf(tenant, subject);
    const alarms = this.#byRule.get(rule) ?? new Map<string, Alarm>();
    const known = alarms.get(key);
    const isNews =
      known === undefined ||
      episode > known.episode ||
      (episode === known.episode && known.stands && !stands);
    if (!isNews) return;
    this.#byRule.set(rule, alarms);
    alarms.set(key, { tenant, subject, stands, episode, order, at, facts });
    if (stands || !FORGOTTEN.has(rule)) return;
    this.#answered.add(Date.parse(at), () => {
      if (alarms.get(key)?.stands === false) alarms.delete(key);
    });
  }
}

/**
 * Calls each added function after a fixed time. Time is measured by the times of the records, not by the machine's
 * clock.
 */
class Forgetting {
  readonly #afterMs: number;
  readonly #added: { atMs: number; forget: () => void }[] = [];

  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  /** Adds a function, and calls the functions that were added long enough before `atMs`. */
  add(atMs: number, forget: () => void): void {
    this.#added.push({ atMs, forget });
    const before = atMs - this.#afterMs;
    const stay = this.#added.findIndex((added) => added.atMs >= before);
    for (const old of this.#added.splice(0, stay)) old.forget();
  }
}

/** @param time makes the id differ from the ids of other alarms about the same subject */
function idOf({ rule, tenant, subject, holds }: Finding, time: number): Alert['id'] {
  const identity = JSON.stringify([rule, tenant, subject, time, holds ? 'raised' : 'cleared']);
  return `alr_${sha256Hex(identity).slice(0, 32)}`;
}

/** A slash cannot be part of a tenant's name, so keys are unique. */
function keyOf(tenant: string | null, subject: string): string {
  return `${tenant ?? ''}/${subject}`;
}

function onceKey(rule: AlertRule, tenant: string | null, subject: string): string {
  return `${rule}/${keyOf(tenant, subject)}`;
}
