/**
 * Keeps entries by keys that come from clients. Anybody can make keys up, so an entry counts as unproven until something
 * that a client cannot make up has confirmed it. A flood of made-up keys pushes out unproven entries only.
 */
import { keepRecent } from './keep-recent.ts';

export class ProvenMap<Value> {
  readonly #proven = new Map<string, Value>();
  readonly #unproven = new Map<string, Value>();
  readonly #most: number;
  readonly #dropped: (value: Value) => void;

  /**
   * @param most how many proven entries are kept, and how many unproven ones
   * @param dropped gets an entry that was not used for the longest time, and had to give way
   */
  constructor(most: number, dropped: (value: Value) => void = () => {}) {
    this.#most = most;
    this.#dropped = dropped;
  }

  get(key: string): Value | undefined {
    return this.#proven.get(key) ?? this.#unproven.get(key);
  }

  /** Makes an entry the most recent one. An entry that is new is unproven. */
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
