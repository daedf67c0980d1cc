/**
 * The capacity that callers share. It has three parts. The first part is for keys that operate, so that a kill is
 * always admitted. The second part is for callers without a key, by address. The third part is for all other keys.
 * Only keys that operate may use two parts: the first and the third.
 */
import type { ApiKeyRecord } from '@mandate/schemas';
import { FairRoom, type Held, type Holder } from '../fair-room.ts';

/** The parts as shares of the whole capacity. Their sum is at most 1. */
const PARTS = { operators: 0.1, strangers: 0.2, others: 0.7 };
/**
 * The share of a part that one tenant and one key may take. One address may take everything until another address
 * comes.
 */
const SHARES = { ofATenant: 0.5, ofAKey: 0.25 };

export type Caller = { holder: Holder; kind: 'operator' | 'stranger' | 'other' };

/** @param address identifies a caller without a key */
export function callerWith(
  key: Pick<ApiKeyRecord, 'id' | 'tenant' | 'scopes'> | null,
  address: string,
): Caller {
  if (key === null) return { holder: { tenant: address, key: address }, kind: 'stranger' };
  const operates = key.scopes.some((scope) => scope === 'operate' || scope === 'operate:all');
  return { holder: { tenant: key.tenant, key: key.id }, kind: operates ? 'operator' : 'other' };
}

/**
 * Returns the network of an address. The holder of one IPv6 address usually has all 2^64 of its network, so the
 * 64-bit network counts as one address.
 */
export function networkOf(address = ''): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::');
  const [left, right] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [...(left ?? [])];
  if (tail !== undefined) while (groups.length + (right?.length ?? 0) < 8) groups.push('0');
  return [...groups, ...(right ?? [])].slice(0, 4).join(':');
}

export class CallerRooms {
  readonly #operators: FairRoom;
  readonly #strangers: FairRoom;
  readonly #others: FairRoom;
  /** The parts of the capacity (rooms) that each kind of caller may use, in the order of use. */
  readonly #rooms: Readonly<Record<Caller['kind'], readonly FairRoom[]>>;

  constructor(most: number) {
    this.#operators = new FairRoom(shared(most * PARTS.operators));
    // One address may take the whole part, because many honest callers may share an address, and their keys are not
    // known yet.
    const { most: strangers } = shared(most * PARTS.strangers);
    this.#strangers = new FairRoom({ most: strangers, ofATenant: strangers, ofAKey: strangers });
    this.#others = new FairRoom(shared(most * PARTS.others));
    this.#rooms = {
      stranger: [this.#strangers],
      operator: [this.#operators, this.#others],
      other: [this.#others],
    };
  }

  get amount(): number {
    return this.#operators.amount + this.#strangers.amount + this.#others.amount;
  }

  /**
   * Takes `more` capacity. A key that operates first uses the part that only such keys may use. Nothing is cut while
   * any part that the caller may use has enough capacity.
   *
   * @returns the room from which the capacity was taken, to give it back there; null if there is not enough
   */
  take(kind: Caller['kind'], held: Held, more: number): FairRoom | null {
    const rooms = this.#rooms[kind];
    const roomy = rooms.find((room) => room.fits(held.holder, more));
    if (roomy?.take(held, more)) return roomy;
    return rooms.find((room) => room.take(held, more)) ?? null;
  }
}

/** Each share is at least 1, because limits in tests are small. */
function shared(most: number) {
  const whole = (part: number) => Math.max(1, Math.floor(part));
  return {
    most: whole(most),
    ofATenant: whole(most * SHARES.ofATenant),
    ofAKey: whole(most * SHARES.ofAKey),
  };
}
