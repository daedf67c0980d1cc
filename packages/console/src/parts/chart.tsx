/** Charts as SVG. Each chart also has its numbers as a table, which a person can open. */
import { scaleBand, scaleLinear } from 'd3-scale';
import { area, curveMonotoneX, line } from 'd3-shape';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import styles from './parts.module.css';
import { Table } from './table.tsx';

/** The width of a chart before it is measured. */
const WIDTH = 720;
const HEIGHT = 220;
/** The space for the texts of values. The longest is `$0.000001`. */
const LEFT = 76;
const BOTTOM = 22;
const TOP = 8;
/** The space for a text on the horizontal axis. */
const PLACE_PX = 72;
const TONES = [styles.tone0, styles.tone1, styles.tone2, styles.tone3, styles.tone4, styles.tone5];
const VERDICT_TONES: Readonly<Record<string, string | undefined>> = {
  ALLOW: styles.toneALLOW,
  BLOCK: styles.toneBLOCK,
  DEFER: styles.toneDEFER,
};

/** Null stands for a place without a value. */
type Series = { name: string; values: readonly (number | null)[] };

type Charted = {
  /** A description of the chart, for people who do not see it. */
  label: string;
  /** The text of each place on the horizontal axis. */
  places: readonly string[];
  series: readonly Series[];
  /** A value as text, exactly. */
  exact: (value: number) => string;
  /** Returns a value as text for the axis. */
  short: (value: number) => string;
};

function toneOf(name: string, index: number): string {
  return VERDICT_TONES[name] ?? TONES[Math.min(index, TONES.length - 1)] ?? '';
}

/** Bars of several series, stacked. Negative values are not drawn, but the table contains them. */
export function StackedBars({ label, places, series, exact, short }: Charted) {
  const sums = places.map((_, at) =>
    series.reduce((sum, { values }) => sum + Math.max(0, values[at] ?? 0), 0),
  );
  const y = scaleLinear([0, Math.max(1, ...sums)], [HEIGHT - BOTTOM, TOP]).nice(4);
  const draw = (width: number) => {
    const x = scaleBand(
      places.map((_, at) => String(at)),
      [LEFT, width],
    ).padding(0.2);
    return (
      <>
        <Axis y={y} short={short} width={width} />
        {places.map((place, at) => {
          let below = 0;
          return (
            <g key={place}>
              {series.map(({ name, values }, index) => {
                const value = Math.max(0, values[at] ?? 0);
                const from = below;
                below += value;
                return value === 0 ? null : (
                  <rect
                    key={name}
                    x={x(String(at))}
                    width={x.bandwidth()}
                    y={y(below)}
                    height={Math.max(0.5, y(from) - y(below))}
                    className={toneOf(name, index)}
                  >
                    <title>{`${place}, ${name}: ${exact(value)}`}</title>
                  </rect>
                );
              })}
            </g>
          );
        })}
        <Places places={places} width={width} at={(index) => (x(String(index)) ?? 0) + x.bandwidth() / 2} />
      </>
    );
  };
  return <Chart label={label} places={places} series={series} exact={exact} draw={draw} />;
}

/** One area for each series, stacked. A place without a value interrupts the areas. */
export function Lines({ label, places, series, exact, short }: Charted) {
  const most = Math.max(1, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const y = scaleLinear([0, most], [HEIGHT - BOTTOM, TOP]).nice(4);
  const draw = (width: number) => {
    const x = scaleLinear([0, Math.max(1, places.length - 1)], [LEFT + 4, width - 8]);
    const shape = line<number | null>(
      (_, at) => x(at),
      (value) => y(value ?? 0),
    )
      .defined((value) => value !== null)
      .curve(curveMonotoneX);
    const ground = area<number | null>(
      (_, at) => x(at),
      y(0),
      (value) => y(value ?? 0),
    )
      .defined((value) => value !== null)
      .curve(curveMonotoneX);
    return (
      <>
        <Axis y={y} short={short} width={width} />
        {series.map(({ name, values }, index) => (
          <g key={name} className={toneOf(name, index)}>
            <path d={ground([...values]) ?? ''} className={styles.ground} />
            <path d={shape([...values]) ?? ''} className={styles.line} />
            {values.map((value, at) =>
              value === null ? null : (
                <circle key={places[at]} cx={x(at)} cy={y(value)} r={2.5}>
                  <title>{`${places[at]}, ${name}: ${exact(value)}`}</title>
                </circle>
              ),
            )}
          </g>
        ))}
        <Places places={places} width={width} at={(index) => x(index)} />
      </>
    );
  };
  return <Chart label={label} places={places} series={series} exact={exact} draw={draw} />;
}

function shown(value: number | null | undefined, exact: Charted['exact']): string {
  return value == null ? 'none' : exact(value);
}

/** A chart is drawn at the width of its place, so that its texts have the same size in every window. */
function useWidth() {
  const place = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(WIDTH);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    const measure = () => setWidth(Math.max(LEFT + PLACE_PX, Math.floor(current.clientWidth)));
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    measure();
    return () => observer.disconnect();
  }, []);
  return { place, width };
}

/** @param draw draws the inside of the chart, for a width in pixels */
function Chart({
  label,
  places,
  series,
  exact,
  draw,
}: Omit<Charted, 'short'> & { draw: (width: number) => ReactNode }) {
  const { place, width } = useWidth();
  return (
    <figure ref={place} className="stack" style={{ margin: 0 }}>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} className={styles.chart} role="img" aria-label={label}>
        {draw(width)}
      </svg>
      {series.length > 1 && (
        <ul className={styles.legend} aria-label="Legend">
          {series.map(({ name }, index) => (
            <li key={name}>
              <span className={`${styles.swatch} ${toneOf(name, index)}`} /> {name}
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>Numbers</summary>
        <Table
          label={`${label}, as a table`}
          isGrid
          columns={[
            { head: 'Time', isHead: true, cell: (at) => places[at] },
            ...series.map(({ name, values }) => ({
              head: name,
              look: 'number' as const,
              cell: (at: number) => shown(values[at], exact),
            })),
          ]}
          rows={places.map((_, at) => at)}
          nameOf={String}
        />
      </details>
    </figure>
  );
}

/** All values are whole numbers: micro-dollars, calls or milliseconds. */
function Axis({
  y,
  short,
  width,
}: {
  y: ReturnType<typeof scaleLinear<number, number>>;
  short: (value: number) => string;
  width: number;
}) {
  return (
    <g>
      {y
        .ticks(4)
        .filter(Number.isInteger)
        .map((value) => (
          <g key={value}>
            <line x1={LEFT} x2={width} y1={y(value)} y2={y(value)} className={styles.axis} />
            <text x={LEFT - 6} y={y(value) + 4} textAnchor="end">
              {short(value)}
            </text>
          </g>
        ))}
    </g>
  );
}

/** The number of texts that fit beside each other. */
function Places({
  places,
  width,
  at,
}: {
  places: readonly string[];
  width: number;
  at: (index: number) => number;
}) {
  const every = Math.ceil((places.length * PLACE_PX) / (width - LEFT));
  return (
    <g>
      {places.map((place, index) =>
        index % every === 0 ? (
          <text
            key={place}
            x={at(index)}
            y={HEIGHT - 6}
            // The last text would be cut if it were centred on its place.
            textAnchor={at(index) > width - 24 ? 'end' : 'middle'}
          >
            {place}
          </text>
        ) : null,
      )}
    </g>
  );
}

/** The used part of a limit. Above four fifths it looks different, and above the limit it changes again. */
export function Meter({ percent, label }: { percent: number; label: string }) {
  const tone = percent >= 100 ? styles.over : percent >= 80 ? styles.near : styles.full;
  return (
    <svg
      className={styles.meter}
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <rect x="0" y="0" width="100" height="8" rx="2" className={styles.track} />
      <rect x="0" y="0" width={Math.min(100, Math.max(0, percent))} height="8" rx="2" className={tone} />
    </svg>
  );
}
