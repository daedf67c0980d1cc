/** What a bench reports: one figure of ours, and where there is a rival the same figure of it, from the same run. */

/** The middle of several samples, and how far half of them lie from it. */
export type Spread = { median: number; lower: number; upper: number };

export type Unit = '/s' | 'ms' | 'µs' | 'B' | 'MB' | 's';

export type Row = {
  what: string;
  unit: Unit;
  measured: Spread;
  /** CPU time of the whole process, its threads included, by unit of work. Null where nothing repeats. */
  cpuMicros: number | null;
  beside: Beside | null;
};

type Beside = {
  what: string;
  measured: Spread;
  cpuMicros: number | null;
  /** Ours divided by its, pair by pair: above 1 is good for a rate, below 1 for a time. */
  ratio: Spread;
};
