/**
 * Which alarms stand, and which have stood: a fold of the alerts topic, and the only memory of the rules. It takes each
 * record any number of times and in any order, and comes out the same, so whoever evaluates may apply what it has raised
 * at once, and read it again later.
 *
 * An id is a function of rule, tenant, subject and episode. The episode counts how often the subject was alarming, so
 * two alerters that see the same alarm begin give it one id, and the next time has another. An approval's is one of the
 * record that it began with, too: its episodes are forgotten, and an action may come under an old id after a day.
 */
import { sha256Hex } from '@mandate/policy';
import type { Alert, AlertCleared, AlertRaised, AlertRule, Json } from '@mandate/schemas';
import type { Finding } from './finding.ts';

export type Raised = AlertRaised | AlertCleared;

/** `order` is that of the record that last changed it. */
export type Alarm = {
  tenant: string | null;
  subject: string;
  stands: boolean;
  episode: number;
  order: number;
  at: string;
  facts: Readonly<Record<string, Json>>;
};

/** What happens, rather than lasts: a subject of these rules is never told of twice, and there is no more to know of it. */
const ONCE: ReadonlySet<AlertRule> = new Set(['kill', 'revive', 'first_use', 'test']);

/** Actions wait once and not again, so those that were answered are forgotten: as soon as the ledger forgets them, too. */
const FORGOTTEN: ReadonlySet<AlertRule> = new Set(['approval', 'approval_overdue']);
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1_000;

export class Alarms {
  readonly #once = new Set<string>();
  readonly #byRule = new Map<AlertRule, Map<string, Alarm>>();
  /** The newest record that showed an alarm as it is known. */
  readonly #confirmed = new WeakMap<Alarm, number>();
  readonly #answered: { rule: AlertRule; key: string; atMs: number }[] = [];

  get(rule: AlertRule, tenant: string | null, subject: string): Alarm | undefined {
    return this.#byRule.get(rule)?.get(keyOf(tenant, subject));
  }

  /** Those that stand, and those that have stood. */
  of(rule: AlertRule): Iterable<Alarm> {
    return this.#byRule.get(rule)?.values() ?? [];
  }

  /** What is to be raised or cleared because of what a rule has found; null where that is known, or older than what is. */
  judge(finding: Finding): { event: Raised['event']; id: string; episode: number } | null {
    const { rule, tenant, subject, holds, order } = finding;
    if (ONCE.has(rule)) {
      if (!holds || this.#once.has(onceKey(rule, tenant, subject))) return null;
      return { event: 'alert.raised', id: idOf(finding, 1, true, []), episode: 1 };
    }
    const known = this.get(rule, tenant, subject);
    const newest = known === undefined ? -1 : Math.max(known.order, this.#confirmed.get(known) ?? 0);
    if ((known?.stands ?? false) === holds) {
      if (known !== undefined && order > newest) this.#confirmed.set(known, order);
      return null;
    }
    if (order <= newest) return null;
    const episode = holds ? (known?.episode ?? 0) + 1 : (known?.episode ?? 1);
    const began = FORGOTTEN.has(rule) ? [known?.stands ? known.order : order] : [];
    return {
      event: holds ? 'alert.raised' : 'alert.cleared',
      id: idOf(finding, episode, holds, began),
      episode,
    };
  }

  apply({ event, alert }: Raised): void {
    const { rule, tenant, subject, episode, order, at, facts } = alert;
    if (ONCE.has(rule)) {
      this.#once.add(onceKey(rule, tenant, subject));
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
    if (!stands && FORGOTTEN.has(rule)) this.#forget({ rule, key, atMs: Date.parse(at) });
  }

  /** Puts it down to be forgotten, and forgets those whose time has come. */
  #forget(answered: { rule: AlertRule; key: string; atMs: number }): void {
    this.#answered.push(answered);
    const before = answered.atMs - FORGOTTEN_AFTER_MS;
    const stay = this.#answered.findIndex(({ atMs }) => atMs >= before);
    for (const { rule, key } of this.#answered.splice(0, stay)) {
      if (this.#byRule.get(rule)?.get(key)?.stands === false) this.#byRule.get(rule)?.delete(key);
    }
  }
}

/** @param began where the episodes of a subject may be forgotten, the order of the record with which this one began */
function idOf(
  { rule, tenant, subject }: Finding,
  episode: number,
  holds: boolean,
  began: readonly number[],
): Alert['id'] {
  const identity = JSON.stringify([rule, tenant, subject, episode, holds ? 'raised' : 'cleared', ...began]);
  return `alr_${sha256Hex(identity).slice(0, 32)}`;
}

/** A tenant's name holds no slash. */
function keyOf(tenant: string | null, subject: string): string {
  return `${tenant ?? ''}/${subject}`;
}

function onceKey(rule: AlertRule, tenant: string | null, subject: string): string {
  return `${rule}/${keyOf(tenant, subject)}`;
}
