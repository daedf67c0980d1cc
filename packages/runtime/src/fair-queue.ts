/**
 * A queue that is fair by cost. The lane with the lowest charge is next. Lanes contain inner lanes. Even if many
 * items wait in one lane, its neighbour is served equally often.
 */

/**
 * The path of a lane, from the widest to the narrowest, such as `['requests', tenant, key]`. No lane's path is the
 * beginning of another path.
 */
export type Lane = readonly string[];

type Place<T> = {
  /** The charge of the lane. It starts at the floor when the lane is added. */
  charged: number;
  /** The number of items that wait in the lane. */
  waiting: number;
  /**
   * The charge of the inner lane that was served last. A new lane starts with this charge, so that it gains nothing
   * by its absence.
   */
  floor: number;
  readonly within: Map<string, Place<T>>;
  readonly items: T[];
};

/** The maximum number of remembered lanes without waiting items. */
const MOST_IDLE = 1_000;

export class FairQueue<T> {
  readonly #root: Place<T> = emptyPlace(0);
  readonly #weights: ReadonlyMap<string, number>;

  /**
   * @param weights of the outermost lanes, by name: a lane of weight 4 gets four times as much as a lane of weight 1.
   * Default: 1
   */
  constructor(weights: ReadonlyMap<string, number> = new Map()) {
    this.#weights = weights;
  }

  get size(): number {
    return this.#root.waiting;
  }

  add(lane: Lane, item: T): void {
    const places = this.#placesOf(lane);
    for (const place of places) place.waiting += 1;
    places.at(-1)?.items.push(item);
  }

  waitingIn(lane: Lane): number {
    let place: Place<T> | undefined = this.#root;
    for (const name of lane) place = place?.within.get(name);
    return place?.waiting ?? 0;
  }

  /** Removes and returns the first waiting item of the lane with the lowest charge. */
  take(): T | undefined {
    if (this.size === 0) return undefined;
    let place = this.#root;
    place.waiting -= 1;
    while (place.items.length === 0) {
      const next = leastCharged(place);
      place.floor = Math.max(place.floor, next.charged);
      next.waiting -= 1;
      place = next;
    }
    return place.items.shift();
  }

  /** Adds the cost of finished work to the charge of its lane. */
  charge(lane: Lane, amount: number): void {
    const charged = amount / (this.#weights.get(lane[0] ?? '') ?? 1);
    for (const place of this.#placesOf(lane)) place.charged += charged;
  }

  #placesOf(lane: Lane): readonly Place<T>[] {
    const places = [this.#root];
    let place = this.#root;
    for (const name of lane) {
      place = placeWithin(place, name);
      places.push(place);
    }
    return places;
  }
}

function emptyPlace<T>(charged: number): Place<T> {
  return { charged, waiting: 0, floor: 0, within: new Map(), items: [] };
}

function placeWithin<T>(place: Place<T>, name: string): Place<T> {
  const known = place.within.get(name);
  if (known !== undefined) {
    if (known.waiting === 0) known.charged = Math.max(known.charged, place.floor);
    return known;
  }
  if (place.within.size >= MOST_IDLE) forgetIdle(place);
  const made = emptyPlace<T>(place.floor);
  place.within.set(name, made);
  return made;
}

/** Forgets idle lanes that would start with the same charge as a new lane. */
function forgetIdle<T>({ within, floor }: Place<T>): void {
  for (const [name, { waiting, charged }] of within)
    if (waiting === 0 && charged <= floor) within.delete(name);
}

function leastCharged<T>({ within }: Place<T>): Place<T> {
  let least: Place<T> | undefined;
  for (const place of within.values())
    if (place.waiting > 0 && (least === undefined || place.charged < least.charged)) least = place;
  if (least === undefined) throw new Error('a place counts more than wait in it');
  return least;
}
