/**
 * Measures two things alternately, A B A B …, so that other work on the machine affects both alike. The ratio is
 * computed for each pair, and the median of the ratios is reported. A slow minute changes both figures but not their
 * ratio. The first pair is dropped, because it includes the time for compiling.
 */
import type { Row, Unit } from '../row.ts';
import { spreadOf } from './spread.ts';

/** Figures by name. Every sample of a bench has the same names. */
export type Sample<Figure extends string> = Readonly<Record<Figure, number> & { cpuMicros: number }>;

export type Comparison<Figure extends string> = {
  pairs: number;
  ours: () => Promise<Sample<NoInfer<Figure>>>;
  rival: { what: string; run: () => Promise<Sample<NoInfer<Figure>>> };
  /** Describes each figure that is reported. The report has one row for each. */
  figures: Readonly<Record<Figure, { what: string; unit: Unit }>>;
};

export async function compare<Figure extends string>(comparison: Comparison<Figure>): Promise<Row[]> {
  const { pairs, ours, rival, figures } = comparison;
  const measured: { ours: Sample<Figure>; theirs: Sample<Figure> }[] = [];
  for (let pair = 0; pair <= pairs; pair++) {
    const both = { ours: await afresh(ours), theirs: await afresh(rival.run) };
    if (pair > 0) measured.push(both);
  }
  const names = Object.keys(figures) as Figure[];
  return names.map((figure): Row => {
    const { what, unit } = figures[figure];
    const figureOf = (sample: Sample<Figure>): number => sample[figure];
    return {
      what,
      unit,
      measured: spreadOf(measured.map((both) => figureOf(both.ours))),
      cpuMicros: spreadOf(measured.map((both) => both.ours.cpuMicros)).median,
      rival: {
        what: rival.what,
        measured: spreadOf(measured.map((both) => figureOf(both.theirs))),
        cpuMicros: spreadOf(measured.map((both) => both.theirs.cpuMicros)).median,
        ratio: spreadOf(measured.map((both) => figureOf(both.ours) / figureOf(both.theirs))),
      },
    };
  });
}

/** Collects garbage first, so that the garbage of one run does not slow down the next. */
async function afresh<T>(run: () => Promise<T>): Promise<T> {
  globalThis.gc?.();
  return run();
}

/** Returns a report row for a figure that has no rival. */
export function stated(what: string, unit: Unit, samples: readonly number[]): Row {
  return { what, unit, measured: spreadOf(samples), cpuMicros: null, rival: null };
}
