/**
 * Metrics in the Prometheus text format. Names are `mandate_<area>_<what>_<unit>`, in base units only (seconds,
 * bytes, micros of a dollar). Counters end in `_total`. Label values must come from a closed set, because each value
 * is a series that stays in memory. For values from outside use `boundedLabel`.
 */
import { getHeapStatistics } from 'node:v8';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

type Description<L extends string> = { name: string; help: string; labels?: readonly L[] };

export type Metrics = {
  readonly registry: Registry;
  counter<L extends string = never>(description: Description<L>): Counter<L>;
  gauge<L extends string = never>(description: Description<L> & { collect?: () => number }): Gauge<L>;
  /** Creates a gauge. At each scrape it has exactly the series that `collect` returns. */
  gaugeOf<L extends string>(
    description: Description<L> & { collect: () => Iterable<readonly [Record<L, string>, number]> },
  ): Gauge<L>;
  histogram<L extends string = never>(
    description: Description<L> & { buckets?: readonly number[] },
  ): Histogram<L>;
};

const NAME = /^mandate(_[a-z][a-z0-9]*){2,}$/;

/**
 * The buckets for durations, from half a millisecond (a decision in memory) to ten seconds (a wait for a decision).
 */
const DURATION_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Creates one registry for the process, never a global one. Two calls with one name return the same metric, because
 * services in one process share the registry.
 *
 * @param processMetrics true to report memory, CPU and event-loop lag of the process too
 */
export function createMetrics(options: { service: string; processMetrics?: boolean }): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service: options.service });
  if (options.processMetrics === true) {
    collectDefaultMetrics({ register: registry });
    measureHeapLimit(registry);
  }

  const made = new Map<string, unknown>();
  function once<M>(kind: new (configuration: never) => M, name: string, make: () => M): M {
    if (!NAME.test(name)) throw new TypeError(`metric ${name}: name it mandate_<area>_<what>_<unit>`);
    const known = made.get(name);
    if (known === undefined) {
      const metric = make();
      made.set(name, metric);
      return metric;
    }
    if (!(known instanceof kind)) throw new TypeError(`metric ${name} exists with another type`);
    return known;
  }

  /** @param collect a function that sets the values of the gauge at each scrape */
  function gaugeThat<L extends string>(
    { name, help, labels = [] }: Description<L>,
    collect?: (gauge: Gauge<L>) => void,
  ): Gauge<L> {
    return once(Gauge<L>, name, () => {
      const gauge: Gauge<L> = new Gauge({
        name,
        help,
        labelNames: labels,
        registers: [registry],
        ...(collect && { collect: () => collect(gauge) }),
      });
      return gauge;
    });
  }

  return {
    registry,
    counter<L extends string>({ name, help, labels = [] }: Description<L>) {
      if (!name.endsWith('_total')) throw new TypeError(`counter ${name}: the name ends in _total`);
      return once(
        Counter<L>,
        name,
        () => new Counter({ name, help, labelNames: labels, registers: [registry] }),
      );
    },
    gauge<L extends string>({ collect, ...description }: Description<L> & { collect?: () => number }) {
      return gaugeThat(description, collect && ((gauge) => gauge.set(collect())));
    },
    gaugeOf<L extends string>({
      collect,
      ...description
    }: Description<L> & { collect: () => Iterable<readonly [Record<L, string>, number]> }) {
      return gaugeThat(description, (gauge) => {
        gauge.reset();
        for (const [values, value] of collect()) gauge.set(values, value);
      });
    },
    histogram<L extends string>(description: Description<L> & { buckets?: readonly number[] }) {
      const { name, help, labels = [], buckets = DURATION_BUCKETS_S } = description;
      return once(
        Histogram<L>,
        name,
        () => new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers: [registry] }),
      );
    },
  };
}

/**
 * Limits the number of values of a label, if the values come from outside. The first `max` distinct values are kept,
 * and all later values become `other`.
 */
export function boundedLabel(max = 100): (value: string) => string {
  const seen = new Set<string>();
  return (value) => {
    if (seen.has(value)) return value;
    if (seen.size >= max) return 'other';
    seen.add(value);
    return value;
  };
}

/** Reports the maximum heap size. The process ends if its heap exceeds this size. */
function measureHeapLimit(registry: Registry): void {
  const gauge = new Gauge({
    name: 'mandate_process_heap_limit_bytes',
    help: 'Bytes that the heap of the process may take',
    registers: [registry],
  });
  gauge.set(getHeapStatistics().heap_size_limit);
}
