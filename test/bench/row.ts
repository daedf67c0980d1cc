/**
 * A row of the report: a figure of Mandate and, if there is a rival, the same figure of the rival from the same run.
 */

/** The median of several samples, and the quartiles around it. */
export type Spread = { median: number; lower: number; upper: number };

export type Unit = '/s' | 'ms' | 'µs' | 'B' | 'MB' | 's' | '%' | 'of 100';

export type Row = {
  what: string;
  unit: Unit;
  measured: Spread;
  /**
   * CPU time of the whole process, with its threads, for each unit of work. Null if the measured work runs only once.
   */
  cpuMicros: number | null;
  rival: RivalFigures | null;
};

type RivalFigures = {
  what: string;
  measured: Spread;
  cpuMicros: number | null;
  /**
   * Mandate's figure divided by the rival's figure, computed for each pair. A rate is better than the rival's if the
   * ratio is above 1, a time if it is below 1.
   */
  ratio: Spread;
};
