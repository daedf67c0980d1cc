/**
 * Limits how many alerts of a rule are sent in a minute about one agent, and about one tenant. Further alerts are
 * recorded and listed, but no webhook gets them, because a person who gets 200 messages reads none of them. The next
 * alert that is sent says how many were only listed.
 *
 * A minute is measured by the times of the records, so a replay of old records gives the same result. Alerts about
 * the actions of people (`kill`, `revive`, `test`) and about the whole plane (`lag`, `drift`) are always sent.
 */
import type { AlertRule } from '@mandate/schemas';
import type { Finding } from './finding.ts';

export const MOST_IN_A_MINUTE = { ofAnAgent: 10, ofATenant: 60 };

const ALWAYS_SENT: ReadonlySet<AlertRule> = new Set(['kill', 'revive', 'test', 'lag', 'drift']);
const MINUTE_MS = 60_000;
/**
 * The maximum number of agents and tenants that are counted. Above this number, the counts with the oldest updates are
 * dropped.
 */
const MOST_COUNTED = 10_000;

/** `listed` is the number of alerts that were only listed since the last sent alert. */
type Counted = { minute: number; sent: number; listed: number };

export class Floods {
  readonly #counted = new Map<string, Counted>();

  /** Returns how many agents and tenants are counted now. */
  get size(): number {
    return this.#counted.size;
  }

  /**
   * Returns how many alerts were only listed since the last sent alert. Null if this alert must only be listed too.
   */
  send({ rule, tenant, at, facts }: Pick<Finding, 'rule' | 'tenant' | 'at' | 'facts'>): number | null {
    if (ALWAYS_SENT.has(rule)) return 0;
    const minute = Math.floor(Date.parse(at) / MINUTE_MS);
    const ofTenant = this.#at([rule, tenant], minute);
    const agentId = facts.agentId;
    const ofAgent = typeof agentId === 'string' ? this.#at([rule, tenant, agentId], minute) : null;
    const { ofAnAgent, ofATenant } = MOST_IN_A_MINUTE;
    const counted = ofAgent ?? ofTenant;
    if (ofTenant.sent >= ofATenant || (ofAgent?.sent ?? 0) >= ofAnAgent) {
      counted.listed += 1;
      return null;
    }
    const { listed } = counted;
    ofTenant.sent += 1;
    if (ofAgent !== null) ofAgent.sent += 1;
    counted.listed = 0;
    return listed;
  }

  #at(of: readonly (string | null)[], minute: number): Counted {
    const name = JSON.stringify(of);
    const known = this.#counted.get(name) ?? { minute, sent: 0, listed: 0 };
    if (known.minute < minute) Object.assign(known, { minute, sent: 0 });
    // The entry moves to the end of the map. So the first entry is always the one with the oldest update.
    this.#counted.delete(name);
    this.#counted.set(name, known);
    for (const oldest of this.#counted.keys()) {
      if (this.#counted.size <= MOST_COUNTED) break;
      this.#counted.delete(oldest);
    }
    return known;
  }
}
