/**
 * The API keys of people who sign in through the identity provider. Each person has one key with a role, on record as
 * issued to that person. The key is used again at later sign-ins. The server can compute it again, so it is stored
 * nowhere.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { FollowedControl } from '@mandate/control-log';
import type { Clock } from '@mandate/runtime';
import { type ApiKeyRecord, type ControlRecord, type Role, roleLastsMs, wireTime } from '@mandate/schemas';
import { DerivedKeys, HttpProblem, issueRoleKey, isValidKey } from '@mandate/server';
import type { Person } from './identity-provider.ts';

/** A key that expires within the longest session is replaced. */
const LEFT_MS = 8 * 3_600_000;

type Followed = Pick<FollowedControl, 'tenant' | 'allKeys' | 'change'>;
type Grant = { tenant: string; role: Role };
type Held = { record: ApiKeyRecord; role: Role };

export class PersonKeys {
  readonly #derived: DerivedKeys;
  readonly #followed: Followed;
  readonly #clock: Clock;
  /** The sign-in of each person that is under way. Two at a time would issue two keys. */
  readonly #busy = new Map<string, Promise<unknown>>();

  /** @param secret the secret of the data folder */
  constructor(secret: string, followed: Followed, clock: Clock) {
    this.#derived = new DerivedKeys(secret, 'mandate key of a person 1');
    this.#followed = followed;
    this.#clock = clock;
  }

  /**
   * Returns the person's key with this role. Issues it if there is none, and revokes the person's other keys.
   *
   * @param name the name of a new key, for people who read the audit
   * @throws HttpProblem 409, MandateError
   */
  keyOf(person: Person, grant: Grant, name: string): Promise<string> {
    return this.#alone(person, async () => {
      const held = this.#heldBy(person);
      const fit = held.find((one) => this.#fits(one, person, grant));
      // The other keys are revoked first. Then a person who loses a role cannot keep it because of a failure.
      await this.#revoke(
        person,
        held.filter((one) => one !== fit),
      );
      return fit === undefined
        ? this.#issue(person, grant, name)
        : this.#derived.keyOf(fit.record.id, ownerOf(person));
    });
  }

  /** Revokes every key of the person. */
  revoke(person: Person): Promise<void> {
    return this.#alone(person, () => this.#revoke(person, this.#heldBy(person)));
  }

  async #alone<T>(person: Person, act: () => Promise<T>): Promise<T> {
    const owner = JSON.stringify(ownerOf(person));
    const acted = (this.#busy.get(owner) ?? Promise.resolve()).then(act, act);
    this.#busy.set(owner, acted);
    try {
      return await acted;
    } finally {
      if (this.#busy.get(owner) === acted) this.#busy.delete(owner);
    }
  }

  /** Returns the person's keys of all tenants. The id of the change that issued a key names its owner. */
  #heldBy(person: Person): Held[] {
    const prefix = changePrefix(person);
    const tenants = new Set([...this.#followed.allKeys()].map(({ tenant }) => tenant));
    return [...tenants].flatMap((tenant) =>
      [...this.#followed.tenant(tenant).roleKeys.values()].flatMap(({ document: { key, role, changeId } }) =>
        changeId.startsWith(prefix) ? [{ record: key, role }] : [],
      ),
    );
  }

  #fits({ record, role }: Held, person: Person, grant: Grant): boolean {
    if (record.tenant !== grant.tenant || role !== grant.role) return false;
    // With another secret of the data folder, the key is another one too, and its record refuses it.
    return isValidKey(record, this.#derived.keyOf(record.id, ownerOf(person)), this.#clock() + LEFT_MS);
  }

  async #issue(person: Person, { tenant, role }: Grant, name: string): Promise<string> {
    const made = this.#derived.make(ownerOf(person));
    const grant = { tenant, role, name, lastsMs: roleLastsMs(role) };
    const { key, record } = issueRoleKey(grant, this.#clock, made);
    const change = { ...this.#change(person, tenant), reason: 'signed in by OIDC', expects: 0 };
    await this.#carryOut({ event: 'role.granted', role, key: record, change });
    return key;
  }

  async #revoke(person: Person, held: readonly Held[]): Promise<void> {
    for (const { record } of held) {
      const reason = 'the sign-in by OIDC no longer gives this role, or replaces the key';
      const change = { ...this.#change(person, record.tenant), reason };
      await this.#carryOut({ event: 'role.revoked', keyId: record.id, change });
    }
  }

  #change(person: Person, tenant: string): Pick<ControlRecord['change'], 'id' | 'tenant' | 'by' | 'at'> {
    const id = `${changePrefix(person)}${randomBytes(10).toString('hex')}`;
    return { id, tenant, by: `oidc ${person.issuer} ${person.sub}`, at: wireTime(this.#clock()) };
  }

  async #carryOut(record: Extract<ControlRecord, { event: 'role.granted' | 'role.revoked' }>): Promise<void> {
    const changed = await this.#followed.change(record);
    // A key that does not exist any more was revoked by another request at the same time.
    if (changed.ok || (record.event === 'role.revoked' && changed.refusal === 'NOT_FOUND')) return;
    throw new HttpProblem(409, changed.refusal, `the key of the person was refused: ${changed.refusal}`, {
      remedy: 'Ask an operator of the plane. If the tenant has too many keys, revoke unused keys.',
    });
  }
}

function ownerOf({ issuer, sub }: Person): [string, string] {
  return [issuer, sub];
}

function changePrefix(person: Person): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(ownerOf(person)))
    .digest('hex');
  return `oidc_${digest.slice(0, 40)}_`;
}
