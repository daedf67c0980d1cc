/**
 * Stores entries by keys that come from clients. A client can invent keys. So an entry counts as unproven until
 * something that a client cannot invent has confirmed it. A flood of invented keys replaces unproven entries only.
 */
import { keepRecent } from './keep-recent.ts';

export class ProvenMap<Value> {
  readonly #proven = new Map<string, Value>();
  readonly #unproven = new Map<string, Value>();
  readonly #most: number;
  readonly #dropped: (value: Value) => void;

  /**
   * @param most the maximum number of proven entries, and of unproven entries
   * @param dropped is called with each removed entry, which is the one with the oldest use
   */
  constructor(most: number, dropped: (value: Value) => void = () => {}) {
    this.#most = most;
    this.#dropped = dropped;
  }

  get(key: string): Value | undefined {
    return this.#proven.get(key) ?? this.#unproven.get(key);
  }

  /** Makes an entry the most recent one. A new entry is unproven. */
  keep(key: string, value: Value): void {
    this.#keep(this.#proven.has(key) ? this.#proven : this.#unproven, key, value);
  }

  /** Makes an entry the most recent one, and proven. */
  prove(key: string, value: Value): void {
    this.#unproven.delete(key);
    this.#keep(this.#proven, key, value);
  }

  values(): Value[] {
    return [...this.#proven.values(), ...this.#unproven.values()];
  }

  #keep(map: Map<string, Value>, key: string, value: Value): void {
    const dropped = keepRecent(map, key, value, this.#most);
    if (dropped !== null) this.#dropped(dropped);
  }
}
